import { expect, test } from "vitest";
import { fromNow } from "./from-now.ts";

const rows: [away: number, words: string][] = [
  [0, "now"],
  [59_000, "now"],
  [60_000, "in 1 min"],
  [3 * 3_600_000 + 5, "in 3 h"],
  [-2 * 86_400_000, "2 d ago"],
  [-61_000, "1 min ago"],
];
for (const [away, words] of rows)
  test(`${away} ms is “${words}”`, () => expect(fromNow(1e12 + away, 1e12)).toBe(words));
