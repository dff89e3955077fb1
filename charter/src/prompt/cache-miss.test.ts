import { expect, test } from "vitest";
import { type CacheCount, type CacheLeft, missesCache } from "./step-result.ts";

const count = (read: number | null, written: number | null = 0, input: number | null = 2000) => ({
  ...{ input, read, written, stable: null },
});
const rows: [what: string, before: CacheLeft, now: CacheCount, missed: boolean][] = [
  ["nothing was sent before", count(null, null), count(0, 900), false],
  ["all that was left is read", count(0, 900), count(900), false],
  ["nearly all, since providers round", count(400, 600), count(900), false],
  ["less than nearly all", count(400, 600), count(899), true],
  ["nothing of what was written", count(0, 900), count(0, 900), true],
  ["nothing of what was read", count(900, null), count(0, null), true],
  ["nothing was left", count(0, null), count(0, null), false],
  ["the provider does not say what it read", count(900), count(null), false],
  ["nor said before", count(null, 900), count(0), false],
  ["a short request that was read whole", count(1900), count(500, 0, 500), false],
  ["a short request of which little was read", count(1900), count(300, 0, 500), true],
  ["nothing of what a provider keeps without counting it", { ...count(0, null), stable: 800 }, count(0, null), true],
  ["all of that", { ...count(0, null), stable: 800 }, count(1600, null), false],
  ["the change came after most of that", { ...count(0, null), stable: 800 }, count(1400, null), true],
  ["it was too short to be kept", { ...count(0, null), stable: 0 }, count(0, null), false],
  ["nobody knows how long it was", count(1000), count(800, 0, null), true],
];
for (const [what, before, now, missed] of rows)
  test(`a cache miss by the provider's count: ${what}`, () => expect(missesCache(before, now)).toBe(missed));
