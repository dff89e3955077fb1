import type { Receipt } from "../prompt/receipt.ts";
import type { CacheRules } from "./receiver.ts";
import { type SentStretch, sentLayout, tokensIn } from "./sent-layout.ts";

/**
 * How many thousandths of a request a receiver that caches by itself will have left in its cache: what stands before the
 * state, in whole steps. None where it is too short. Such receivers do not count what they write, so this is what is known
 * of it; of others nothing has to be worked out.
 */
export function stableShare(receipt: Receipt, cache: CacheRules): number | undefined {
  const layout = sentLayout(receipt);
  if (cache.kind !== "prefix" || !layout) return undefined;
  const total = tokensIn(layout);
  const stable = tokensIn(layout.filter((stretch) => !isState(stretch)));
  const kept = Math.floor(stable / cache.granularity) * cache.granularity;
  return total === 0 || kept < cache.min ? 0 : Math.floor((1000 * kept) / total);
}

function isState(stretch: SentStretch): boolean {
  return stretch.what === "section" && stretch.slot === "state";
}
