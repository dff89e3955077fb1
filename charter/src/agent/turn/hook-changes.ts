import type { Delivery } from "../../delivery/deliver.ts";
import type { Message, ToolCall, ToolResult } from "../../delivery/model.ts";
import { plainMessages } from "../../delivery/plain-message.ts";
import { codeWords } from "../../delivery/slot.ts";
import { isUpdate, updatePlacements } from "../../delivery/update.ts";
import { missingFixedWords } from "../../prompt/lock.ts";
import { listed } from "../../prompt/problem.ts";
import type { Prompt } from "../../prompt/prompt.ts";
import { isWhole } from "../../prompt/sound.ts";
import { sha256 } from "../../store/texts/packing.ts";
import type { ApplyChange } from "../hook.ts";
import { noticeMarkRemoved, type TurnIdentity, type TurnState } from "./turn-state.ts";

/** What hooks make of one step's messages. Updates of the prompt are the prompt's words: they stay, each as it is. */
export async function beforeStep(who: TurnIdentity, delivery: Delivery, step: number): Promise<Delivery> {
  const { history, request, marks } = delivery;
  const take: ApplyChange<"before-step"> = (now, change) => {
    if (change.messages === undefined) return now;
    // They are digested and sent as JSON: what cannot be written so shows here, and nothing in them changes later.
    const given: unknown = JSON.parse(JSON.stringify(change.messages) ?? "null");
    if (!Array.isArray(given) || !given.every(isMessage)) return "its messages are no list of messages";
    const updates = (messages: readonly Message[]) => JSON.stringify(messages.filter(isUpdate));
    if (updates(given) !== updates(history))
      return "it dropped or changed text of the prompt among the messages; its result is discarded";
    if (given.every(isUpdate)) return "it left nothing of what was said; its result is discarded";
    return { ...now, messages: paired(given) };
  };
  const given = { turn: who.id, step, messages: history };
  const { messages: hooked } = await who.hooks.run("before-step", given, take);
  if (hooked === history) return delivery;
  const messages = plainMessages(hooked, delivery.baseline, sha256);
  if (messages !== hooked) noticeMarkRemoved(who);
  const tail = request.messages.slice(history.length);
  const marked = messages.map((message, index) =>
    marks.length > 0 && index === messages.length - 1 ? { ...message, breakpoint: true as const } : message,
  );
  const after = marks.length > 0 && messages.length > 0 ? [messages.length] : [];
  const others = delivery.placements.filter(({ slot }) => slot !== "update");
  const placements = [
    ...others.filter(({ slot }) => slot !== "state"),
    ...updatePlacements(delivery.baseline.updates, messages),
    ...others.flatMap((one) => (one.slot === "state" ? [{ ...one, message: messages.length }] : [])),
  ];
  return {
    ...delivery,
    placements,
    history: messages,
    marks: after,
    request: { ...request, messages: [...marked, ...tail] },
  };
}

function isMessage(value: unknown): value is Message {
  const { role, text, calls, results } = (value ?? {}) as Record<string, unknown>;
  if (role === "user" || role === "system") return typeof text === "string";
  if (role === "assistant") return typeof text === "string" && areTexts(calls, ["id", "name", "input"]);
  return role === "tool" && areTexts(results, ["call", "name", "output"]);
}

/** A list of objects with these texts in each. */
function areTexts(value: unknown, names: readonly string[]): boolean {
  const whole = (one: unknown) =>
    names.every((name) => typeof (one as Record<string, unknown> | null)?.[name] === "string");
  return Array.isArray(value) && value.every(whole);
}

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

const leftOut = "(The result of this call was left out.)";

/**
 * Messages in which every call has its result and every result its call: a provider rejects a request in which one
 * stands without the other. A result that was left out says so; one whose call was left out goes with it.
 */
export function paired(messages: readonly Message[]): Message[] {
  const whole: Message[] = [];
  let open: ToolCall[] = [];
  let results: ToolResult[] = [];
  const answers = ({ call }: ToolResult) => {
    const at = open.findIndex(({ id }) => id === call);
    return at !== -1 && open.splice(at, 1).length === 1;
  };
  const close = () => {
    for (const { id, name } of open) results.push({ call: id, name, output: leftOut, failed: true });
    if (results.length > 0) whole.push({ role: "tool", results });
    open = [];
    results = [];
  };
  for (const message of messages) {
    if (message.role === "tool") {
      results.push(...message.results.filter(answers));
      continue;
    }
    close();
    whole.push(message);
    if (message.role === "assistant") open = [...message.calls];
  }
  close();
  return whole;
}
