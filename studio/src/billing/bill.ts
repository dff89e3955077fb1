import { plural } from "../kit/words.ts";
import type { Tone } from "./bill-table.tsx";
import type { Sample, SampleStep } from "./sample.ts";

/** Tokens by what they are billed as: read from the cache, written to it, or neither. */
export type Billing = { readonly read: number; readonly written: number; readonly fresh: number };

/** `by`: the provider counted it; or, where it says nothing, we predicted it. */
type Bill = Billing & { readonly by: "provider" | "prediction" };

export const nothing: Billing = { read: 0, written: 0, fresh: 0 };

export const allOf = ({ read, written, fresh }: Billing): number => read + written + fresh;

export function add(one: Billing, other: Billing): Billing {
  return { read: one.read + other.read, written: one.written + other.written, fresh: one.fresh + other.fresh };
}

/** What a turn or a step was billed as; nothing where it never got so far. */
export function billOf({ usage, predicted }: Pick<Sample | SampleStep, "usage" | "predicted">): Bill | undefined {
  if (usage && usage.input !== null) {
    const read = Math.min(usage.input, usage.read ?? 0);
    const written = Math.min(usage.input - read, usage.written ?? 0);
    return { read, written, fresh: usage.input - read - written, by: "provider" };
  }
  return predicted ? { ...predicted, by: "prediction" } : undefined;
}

/** What a turn will have been charged for: where it failed and nothing was counted, nobody knows of anything. */
export function chargedFor(sample: Pick<Sample, "usage" | "predicted" | "state">): Bill | undefined {
  const bill = billOf(sample);
  return bill?.by === "provider" || sample.state === "answered" ? bill : undefined;
}

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
