import { slotText } from "../../delivery/identity-text.ts";
import { occurrenceText } from "../../operations/prompt/occurrence.ts";
import { authorsIn } from "../../operations/prompt/written-by.ts";
import { Problem } from "../../prompt/problem.ts";
import type { SentSlot } from "../../prompt/receipt.ts";
import { type Span, why } from "../../prompt/span.ts";
import type { ReplayedStep } from "../../store/turns/steps.ts";
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
      const sent = turn === undefined ? [] : slotTexts(await talk.store.steps.replay(turn));
      const said = await answersIn(talk, sent, words, paint);
      if (said.length > 0) return said;
      const next = await answersIn(talk, [await talk.nextPrompt()], words, paint);
      if (turn === undefined)
        return next.length > 0 ? next : [`“${words}” is not in the next prompt. See it with /prompt.`];
      return next.length > 0
        ? [paint.dim("not in the last prompt, but in the next"), ...next]
        : [`“${words}” is neither in the last prompt nor in the next. See them with /prompt sent and /prompt.`];
    },
  };
}

async function answersIn(talk: Talk, texts: readonly SlotText[], words: string, paint: Paint): Promise<string[]> {
  const given = await talk.declaredTurn();
  const lines: string[] = [];
  for (const one of texts) {
    const found = why(one, words);
    const authors = await authorsIn(talk.store.history, given, one.text, found);
    const answers = found.map((occurrence) => occurrenceText(occurrence, one.text, authors.get(occurrence)));
    if (found.length > 0 && one.slot !== undefined) lines.push(paint.dim(`slot ${one.slot}`));
    lines.push(...answers.flatMap((answer) => answer.trimEnd().split("\n")));
  }
  return lines;
}

type SlotText = { readonly slot?: string; readonly text: string; readonly spans: readonly Span[] };

function slotTexts({ receipt, slots }: ReplayedStep): SlotText[] {
  return slots.map(({ slot, text }, index) => ({
    slot: slotText(slot, receipt),
    text,
    spans: spansOf(receipt.slots[index] as SentSlot),
  }));
}

function spansOf({ sections }: SentSlot): Span[] {
  let start = 0;
  return sections.flatMap(({ name, layer, spans }) =>
    spans.map(({ length, ...span }) => {
      const from = start;
      start += length;
      return { ...span, section: name, layer, start: from, end: start };
    }),
  );
}
