import { codeWords } from "../../delivery/slot.ts";
import { missingFixedWords } from "../../prompt/lock.ts";
import { listed } from "../../prompt/problem.ts";
import type { Prompt } from "../../prompt/prompt.ts";
import { isWhole } from "../../prompt/sound.ts";
import type { ApplyChange } from "../hook.ts";
import type { TurnState } from "./turn-state.ts";

/**
 * What hooks make of a turn before its first step. A prompt that only grew is that prompt and, after it, state of this
 * turn; one that was rewritten is sent as it is, for this turn, as long as every fixed word is still in it.
 */
export async function beforeTurn(
  running: Pick<TurnState, "who" | "progress" | "words">,
  prompt: Prompt,
): Promise<void> {
  const { id, scope, channel, declaration, tokenizer } = running.who;
  const hands: string[] = [];
  const messages: string[] = [];
  const take: ApplyChange<"before-turn"> = (now, change, hook) => {
    const odd = (["input", "message", "prompt"] as const).find(
      (name) => change[name] !== undefined && !(typeof change[name] === "string" && isWhole(change[name])),
    );
    if (odd !== undefined) return `its ${odd} is no text`;
    if (change.prompt !== undefined && change.prompt !== now.prompt) {
      const missing = missingFixedWords(declaration.charter, prompt.edition, change.prompt);
      if (missing.length > 0)
        return `it dropped or changed the fixed text of ${listed(missing)}; its result is discarded`;
      hands.push(hook);
    }
    if (change.message !== undefined && change.message.trim() !== "") messages.push(change.message);
    return { ...now, input: change.input ?? now.input, prompt: change.prompt ?? now.prompt };
  };
  const about = {
    ...(scope.user === undefined ? {} : { user: scope.user }),
    ...(channel === undefined ? {} : { channel }),
  };
  const given = { turn: id, input: running.progress.input, prompt: prompt.text, ...about };
  const after = await running.who.hooks.run("before-turn", given, take);
  running.progress.input = [after.input, ...messages].join("\n\n");
  if (hands.length === 0 || after.prompt === prompt.text) return;
  const source = `hook ${hands.join(", ")}`;
  const words = (text: string) =>
    codeWords({ name: "hooks", layer: "hooks", source, stability: "state", text }, tokenizer);
  const grown = after.prompt.startsWith(prompt.text) ? after.prompt.slice(prompt.text.length).trim() : undefined;
  if (grown === undefined) running.words.hookReplacement = words(after.prompt);
  else if (grown !== "") running.words.hookAdditions = [words(grown)];
}
