import type { Receipt, SentSection, SentSlot } from "../prompt/receipt.ts";

/** A stretch of a request, by its receipt: the tools, a section in a slot, or messages of the history. */
export type SentStretch = { readonly tokens: number } & (
  | { readonly what: "tools" | "history" }
  | { readonly what: "section"; readonly slot: string; readonly section: SentSection }
);

/**
 * What a request was made of, in the order in which its receiver reads it: tools, prefix, the history with what was said
 * of changed sections in it, state. Null where the receipt has no counts.
 *
 * A receipt counts its messages all together: each is taken to be as long as the others, so where in the history an
 * update stands is known only roughly.
 */
export function sentLayout(receipt: Receipt): readonly SentStretch[] | null {
  const known = layouts.get(receipt);
  if (known) return known;
  const layout = layoutOf(receipt);
  if (layout) layouts.set(receipt, layout);
  return layout;
}

const layouts = new WeakMap<Receipt, readonly SentStretch[]>();

function layoutOf({ slots, predicted, history }: Receipt): readonly SentStretch[] | null {
  if (!predicted) return null;
  const prefix = stretchesIn(slots.filter(({ slot }) => slot === "system"));
  const state = stretchesIn(slots.filter(({ slot }) => slot === "state"));
  const said = historyStretches(slots.filter(isSaid), history?.messages ?? 0, history?.tokens ?? 0);
  const besides = tokensIn([...prefix, ...said, ...state]);
  const tools = Math.max(0, predicted.read + predicted.written + predicted.fresh - besides);
  return [{ what: "tools", tokens: tools }, ...prefix, ...said, ...state];
}

/** It is one of the messages: an update, or what asked for a summary. */
function isSaid({ slot }: SentSlot): boolean {
  return slot !== "system" && slot !== "state";
}

export function tokensIn(stretches: readonly SentStretch[]): number {
  return stretches.reduce((sum, { tokens }) => sum + tokens, 0);
}

function stretchesIn(slots: readonly SentSlot[]): SentStretch[] {
  return slots.flatMap(({ slot, sections }) =>
    sections.map((section): SentStretch => ({ what: "section", slot, section, tokens: section.tokens ?? 0 })),
  );
}

function historyStretches(said: readonly SentSlot[], messages: number, tokens: number): SentStretch[] {
  const others = Math.max(1, messages - said.length);
  const left = Math.max(0, tokens - tokensIn(stretchesIn(said)));
  const upTo = (count: number) => Math.round((left * count) / others);
  const out: SentStretch[] = [];
  let passed = 0;
  const passTo = (count: number) => {
    const between = upTo(count) - upTo(passed);
    if (between > 0) out.push({ what: "history", tokens: between });
    passed = count;
  };
  const inOrder = [...said].sort((one, other) => (one.message ?? 0) - (other.message ?? 0));
  for (const [index, slot] of inOrder.entries()) {
    passTo(Math.min(others, Math.max(passed, (slot.message ?? 0) - index)));
    out.push(...stretchesIn([slot]));
  }
  passTo(others);
  return out;
}
