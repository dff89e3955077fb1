import { type SentOccurrence, whyInStep } from "../../agent/replay.ts";
import { slotText } from "../../delivery/identity-text.ts";
import { occurrenceText, sentText } from "../../operations/prompt/occurrence.ts";
import { Problem } from "../../prompt/problem.ts";
import { why } from "../../prompt/prompt.ts";
import { authorsIn, copiesIn } from "../../store/amendments/written-by.ts";
import type { Paint, Screen } from "../terminal/screen.ts";
import type { SlashCommand } from "../terminal/slash-command.ts";
import type { Talk } from "./talk.ts";

/** Who wrote these words of what was last sent; what was never sent is looked for in what would be. */
export function whyCommand(talk: Talk, { paint }: Screen): SlashCommand {
  return {
    name: "why",
    usage: "words",
    summary: "find where a text in the last prompt comes from",
    run: async (words) => {
      if (words === "") throw new Problem("usage", "/why needs the words to ask about.", "As in: /why bullet points");
      const turn = await talk.lastTurn();
      const sent = turn === undefined ? [] : await sentAnswers(talk, turn, words);
      const { said: others = [], written: own = [] } = Object.groupBy(sent, (one) => (one.said ? "said" : "written"));
      const [said, written] = [linesOfSlots(others, paint), linesOfSlots(own, paint)];
      if (written.length > 0) return [...said, ...written];
      const next = await nextAnswers(talk, words);
      if (next.length > 0 && turn !== undefined)
        return [...said, paint.dim("not in the last prompt, but in the next"), ...next];
      if (said.length + next.length > 0) return [...said, ...next];
      return turn === undefined
        ? [`“${words}” is not in the next prompt. See it with /prompt.`]
        : [`“${words}” is neither in the last prompt nor in the next. See them with /prompt sent and /prompt.`];
    },
  };
}

type SentAnswer = SentOccurrence & { readonly place: string; readonly lines: readonly string[] };

async function sentAnswers({ store }: Talk, turn: string, words: string): Promise<SentAnswer[]> {
  const { scope } = await store.turns.get(turn);
  const step = await store.steps.replay(turn);
  const { found } = await whyInStep(store, { ...step, scope }, words);
  return found.map((one) => ({
    ...{ ...one, lines: linesOf(sentText(one, turn)) },
    place: one.said ? one.slot : `slot ${slotText(one.slot, step.receipt)}`,
  }));
}

function linesOfSlots(found: readonly SentAnswer[], paint: Paint): string[] {
  const bySlot = Map.groupBy(found, ({ place, text }) => `${place}\0${text}`);
  return [...bySlot.values()].flatMap((all) => [
    paint.dim((all[0] as SentAnswer).place),
    ...all.flatMap(({ lines }) => lines),
  ]);
}

async function nextAnswers(talk: Talk, words: string): Promise<string[]> {
  const { charter, turn } = await talk.declaredTurn();
  const prompt = await talk.nextPrompt();
  const found = why(prompt, words);
  const authors = await authorsIn(talk.store.history, copiesIn(charter, turn), prompt.text, found);
  return found.flatMap((one) => linesOf(occurrenceText(one, prompt.text, authors.get(one))));
}

function linesOf(answer: string): string[] {
  return answer.trimEnd().split("\n");
}
