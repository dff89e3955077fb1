import { tier } from "./tier.ts";

/** Part of the whole search that is made: 1, or less in a slice such as CI's (`npm run test:search -- --share 0.05`). */
const share = Number(process.env.CHARTER_SEARCH_SHARE ?? 1);

/** Not a slice: what cannot be made smaller is tried in the whole search only. */
export const isWhole = share >= 1;

/** Decides everything that is drawn at random; the first tier always has the same. */
export const seed = tier === "search" ? Number(process.env.CHARTER_SEARCH_SEED ?? 1) : 1;

/** How often something is done: `count` times in the whole search, fewer in a slice of it. */
export function times(count: number, least = 1): number {
  return Math.max(Math.min(least, count), Math.round(count * share));
}

/** How many values a property is tried with: `light` in the first tier, up to `count` in the search. */
export function runs(light: number, count: number): number {
  return tier === "search" ? times(count, light) : light;
}

/** All of a list in the whole search; in a slice of it some, drawn by the seed. */
export function some<Item>(all: readonly Item[], least = 1): readonly Item[] {
  const random = randomFrom(seed);
  const drawn = all.map((_, index) => ({ index, at: random() })).sort((one, other) => one.at - other.at);
  const kept = new Set(drawn.slice(0, times(all.length, least)).map(({ index }) => index));
  return all.filter((_, index) => kept.has(index));
}

/** The same numbers from 0 up to 1 for the same seed (Mulberry32). */
export function randomFrom(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
