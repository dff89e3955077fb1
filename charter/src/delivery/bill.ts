import type { CacheTokens, Receipt, SentSection } from "../prompt/receipt.ts";
import type { Usage } from "./model.ts";
import { type SentStretch, sentLayout, tokensIn } from "./sent-layout.ts";

/** What a provider counted, by what of the request it was for. All of it together is the provider's count. */
export type Bill = {
  readonly tools: CacheTokens;
  /** Without what was said in it of changed sections: that is the sections'. */
  readonly history: CacheTokens;
  /** In the order in which they were sent, each with the slot it stood in. */
  readonly sections: readonly { readonly slot: string; readonly section: SentSection; readonly billed: CacheTokens }[];
};

export const noCacheTokens: CacheTokens = { read: 0, written: 0, fresh: 0 };

/** A provider's count in three: what it read from its cache, wrote to it, and neither. Null where it counted nothing. */
export function cacheTokensOf({ input, read, written }: Usage): CacheTokens | null {
  if (input === null) return null;
  const fromCache = Math.min(input, read ?? 0);
  const toCache = Math.min(input - fromCache, written ?? 0);
  return { read: fromCache, written: toCache, fresh: input - fromCache - toCache };
}

/**
 * Whose share of a provider's count is which. A cache holds beginnings: what was read is the start of the request, what
 * was written follows, and the rest is fresh. Where the provider counts otherwise than we do, every share grows alike.
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

/** A whole number in whole shares by weight: each gets its due rounded down, and what is left goes to the largest rests. */
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

function between(start: number, end: number, { read, written }: CacheTokens): CacheTokens {
  const within = (from: number, to: number) => Math.max(0, Math.min(end, to) - Math.max(start, from));
  return {
    read: within(0, read),
    written: within(read, read + written),
    fresh: within(read + written, Number.POSITIVE_INFINITY),
  };
}
