import { remembered } from "../prompt/bounds.ts";
import type { CacheTokens, Receipt, SentSection, SentSlot } from "../prompt/receipt.ts";
import type { Usage } from "./model.ts";
import type { CacheRules } from "./receiver.ts";

/** A provider's token count, split by the parts of the request. The parts add up to the provider's count. */
export type Bill = {
  readonly tools: CacheTokens;
  /** The history without updates, which count for their sections. */
  readonly history: CacheTokens;
  /** The sections in the order in which they were sent, each with its slot. */
  readonly sections: readonly { readonly slot: string; readonly section: SentSection; readonly billed: CacheTokens }[];
};

export const noCacheTokens: CacheTokens = { read: 0, written: 0, fresh: 0 };

/**
 * Splits a provider's count into three: tokens read from its cache, written to it, and neither. Null where it counted nothing.
 */
export function cacheTokensOf({ input, read, written }: Usage): CacheTokens | null {
  if (input === null) return null;
  const fromCache = Math.min(input, read ?? 0);
  const toCache = Math.min(input - fromCache, written ?? 0);
  return { read: fromCache, written: toCache, fresh: input - fromCache - toCache };
}

/**
 * Splits a provider's count by the parts of the request. A cache holds beginnings: what was read is the start of the request,
 * what was written follows, and the rest is fresh. Where the provider's count differs from ours, every share is scaled alike.
 */
export function splitBill(receipt: Receipt, usage: Usage): Bill | null {
  const whole = cacheTokensOf(usage);
  const layout = sentLayout(receipt);
  if (!whole || !layout || tokensIn(layout) === 0) return null;
  const sizes = apportion(
    sumTokens(whole),
    layout.map(({ tokens }) => tokens),
  );
  let at = 0;
  const shares = layout.map((stretch, index) => {
    const start = at;
    at += sizes[index] as number;
    return { stretch, billed: between(start, at, whole) };
  });
  const sum = (what: SentStretch["what"]) =>
    shares
      .filter(({ stretch }) => stretch.what === what)
      .reduce((all, one) => addTokens(all, one.billed), noCacheTokens);
  const sections = shares.flatMap(({ stretch, billed: share }) =>
    stretch.what === "section" ? [{ slot: stretch.slot, section: stretch.section, billed: share }] : [],
  );
  return { tools: sum("tools"), history: sum("history"), sections };
}

export function sumTokens({ read, written, fresh }: CacheTokens): number {
  return read + written + fresh;
}

export function addTokens(one: CacheTokens, other: CacheTokens): CacheTokens {
  return { read: one.read + other.read, written: one.written + other.written, fresh: one.fresh + other.fresh };
}

/** Divides a whole number by weights into whole shares: each is rounded down, and the remainder goes to the largest fractions. */
export function apportion(whole: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  if (sum === 0) return weights.map(() => 0);
  const due = weights.map((weight) => (whole * weight) / sum);
  const shares = due.map(Math.floor);
  const left = whole - shares.reduce((all, share) => all + share, 0);
  const rest = (index: number) => (due[index] as number) - (shares[index] as number);
  const byRest = weights.map((_, index) => index).sort((one, other) => rest(other) - rest(one) || one - other);
  for (const index of byRest.slice(0, left)) shares[index] = (shares[index] as number) + 1;
  return shares;
}

/** Splits a stretch of a request, from one token to another: a cache holds beginnings, so what was read comes first. */
export function between(start: number, end: number, { read, written }: CacheTokens): CacheTokens {
  const within = (from: number, to: number) => Math.max(0, Math.min(end, to) - Math.max(start, from));
  return {
    read: within(0, read),
    written: within(read, read + written),
    fresh: within(read + written, Number.POSITIVE_INFINITY),
  };
}

/** A stretch of a request, by its receipt: the tools, a section in a slot, or messages of the history. */
export type SentStretch = { readonly tokens: number } & (
  | { readonly what: "tools" | "history" }
  | { readonly what: "section"; readonly slot: string; readonly section: SentSection }
);

/**
 * Lists the stretches of a request in the order its receiver reads them: tools, prefix, history with its updates, and the state
 * that earlier versions sent at the end. Null where the receipt has no counts.
 *
 * A receipt counts its messages all together, and each is assumed to be as long as the others: where in the history an update
 * stands is known only roughly.
 */
export const sentLayout = remembered(({ slots, predicted, history }: Receipt): readonly SentStretch[] | null => {
  if (!predicted) return null;
  const prefix = stretchesIn(slots.filter(({ slot }) => slot === "system"));
  const state = stretchesIn(slots.filter(({ slot }) => slot === "state"));
  const messages = historyStretches(slots.filter(isSaid), history?.messages ?? 0, history?.tokens ?? 0);
  const others = tokensIn([...prefix, ...messages, ...state]);
  const tools = Math.max(0, predicted.read + predicted.written + predicted.fresh - others);
  return [{ what: "tools", tokens: tools }, ...prefix, ...messages, ...state];
});

/** Returns true if a slot is one of the messages: an update, other people's text, or the request for a summary. */
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

function historyStretches(messageSlots: readonly SentSlot[], messages: number, tokens: number): SentStretch[] {
  const others = Math.max(1, messages - messageSlots.length);
  const left = Math.max(0, tokens - tokensIn(stretchesIn(messageSlots)));
  const upTo = (count: number) => Math.round((left * count) / others);
  const out: SentStretch[] = [];
  let passed = 0;
  const passTo = (count: number) => {
    const between = upTo(count) - upTo(passed);
    if (between > 0) out.push({ what: "history", tokens: between });
    passed = count;
  };
  const inOrder = [...messageSlots].sort((one, other) => (one.message ?? 0) - (other.message ?? 0));
  for (const [index, slot] of inOrder.entries()) {
    passTo(Math.min(others, Math.max(passed, (slot.message ?? 0) - index)));
    out.push(...stretchesIn([slot]));
  }
  passTo(others);
  return out;
}

/**
 * Returns the share of a request, in thousandths, that stays in an automatic cache: its tokens in whole steps; 0 where they are
 * too few. Such receivers do not count what they write, so this estimate replaces the count; other receivers need none.
 */
export function stableShare(receipt: Receipt, cache: CacheRules): number | undefined {
  const layout = sentLayout(receipt);
  if (cache.kind !== "prefix" || !layout) return undefined;
  const total = tokensIn(layout);
  const kept = Math.floor(total / cache.granularity) * cache.granularity;
  return total === 0 || kept < cache.min ? 0 : Math.floor((1000 * kept) / total);
}
