import type { BlockName } from "../../store/chain/chain-message.ts";

/** Up to this block a chain is taken as it is: a block with so many on it, itself among them, does not go. */
export function confirmedBlock(head: number, confirmations: number): number {
  return head + 1 - confirmations;
}

/** How far a chain was read, and how far it can be. */
type ReadState = {
  readonly last: BlockName | undefined;
  /** The first block that was to be read when it was begun. */
  readonly start: number | null;
  /** The first block that the settings say. */
  readonly from?: number | undefined;
  readonly confirmed: number;
  /** How many blocks at once. */
  readonly span: number;
};

/**
 * What to do next. `begin`: the hash of the block before the first is kept, so that later a chain that was replaced
 * altogether is known as such.
 */
type ReadPlan =
  | { readonly kind: "wait" }
  | { readonly kind: "begin"; readonly start: number; readonly anchor: number }
  | { readonly kind: "read"; readonly from: number; readonly to: number };

export function planRead({ last, start, from, confirmed, span }: ReadState): ReadPlan {
  if (last) {
    const to = Math.min(confirmed, last.block + span);
    return to > last.block ? { kind: "read", from: last.block + 1, to } : { kind: "wait" };
  }
  // In the first block of a chain there are no transactions. Without a word it is begun with what comes from now on.
  const first = Math.max(1, from ?? Math.min(start ?? confirmed + 1, confirmed + 1));
  return first - 1 > confirmed ? { kind: "wait" } : { kind: "begin", start: first, anchor: first - 1 };
}

/** So many blocks are read at once to begin with, and at most. */
export const [firstSpan, mostSpan] = [2000, 10_000];

/** How many at once after an address has told so many, or would not. */
export function nextSpan(span: number, told: boolean): number {
  return told ? Math.min(mostSpan, span + Math.ceil(span / 8)) : Math.max(1, Math.floor(span / 2));
}

/**
 * The newest of these blocks that is still part of the chain. Where one is, those before it are: so not each has to be
 * asked for.
 */
export async function findCommon(
  newestFirst: readonly BlockName[],
  isSame: (block: BlockName) => Promise<boolean>,
): Promise<BlockName | undefined> {
  let [low, high] = [0, newestFirst.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await isSame(newestFirst[middle] as BlockName)) high = middle;
    else low = middle + 1;
  }
  return newestFirst[low];
}
