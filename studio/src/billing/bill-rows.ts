import { plural } from "../kit/words.ts";
import { allOf, type Billing, billOf } from "./bill.ts";
import type { Tone } from "./billing-bar.tsx";
import type { SampleStep } from "./sample.ts";

/** A line of a step's bill: a section, the history, the tools that were offered, or all of it. */
export type BillRow = {
  readonly key: string;
  readonly section: string | undefined;
  readonly what: string;
  readonly tone: Tone;
  readonly slot: string | undefined;
  readonly revision: number | null;
  readonly cut: boolean;
  readonly tokens: number | null;
  readonly predicted: Billing | null;
  readonly billed: Billing | null;
};

/** What was sent, line by line, in the order the receiver reads it: tools, prefix, history, tail; then all of it. */
export function billRows(step: SampleStep): readonly BillRow[] {
  const { sections, history, tools, toolsBilled, predicted, total } = step;
  const bill = billOf(step);
  const lines = sections.map(
    (section, index): BillRow => ({
      key: `${index}/${section.name}`,
      section: section.name,
      what: section.name,
      tone: section.mutability,
      slot: section.slot,
      revision: section.revision,
      cut: section.cut,
      tokens: section.tokens,
      predicted: section.predicted,
      billed: section.billed,
    }),
  );
  const offered = tools ? [row("tools", "Tools that were offered", tools, null, toolsBilled)] : [];
  const messages = history && plural(history.messages, "message");
  const said = history ? [row("history", `History, ${messages}`, history.tokens, null, history.billed)] : [];
  const all = row("all", "The whole request", total, predicted, bill?.by === "provider" ? bill : null);
  const before = lines.filter(({ slot }) => slot === "system");
  const after = lines.filter(({ slot }) => slot !== "system");
  return [...offered, ...before, ...said, ...after, all];
}

function row(
  key: string,
  what: string,
  tokens: number | null,
  predicted: Billing | null,
  billed: Billing | null,
): BillRow {
  const plain = { section: undefined, tone: "plain", slot: undefined, revision: null, cut: false } as const;
  return { ...plain, key, what, tokens, predicted, billed };
}

/** The longest bar among the lines. */
export function longest(rows: readonly BillRow[]): number {
  const sizes = rows.flatMap(({ predicted, billed }) =>
    [predicted, billed].flatMap((one) => (one ? [allOf(one)] : [])),
  );
  return Math.max(1, ...sizes);
}
