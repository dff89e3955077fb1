import { expect, test } from "vitest";
import { backoffMs } from "./bounds.ts";

const failures = [0, 1, 2, 5, 6, 40, 5000];
const waits = (chance: number, options = {}) => failures.map((count) => backoffMs(count, () => chance, options));

test("each wait is twice the one before, up to a limit", () => {
  expect(waits(1)).toEqual([1000, 2000, 4000, 32_000, 60_000, 60_000, 60_000]);
  expect(waits(1, { min: 60_000, max: 3_600_000 }).map((ms) => ms / 60_000)).toEqual([1, 2, 4, 32, 60, 60, 60]);
});

test("half of it is chance, unless another part is named", () => {
  expect(waits(0)).toEqual([500, 1000, 2000, 16_000, 30_000, 30_000, 30_000]);
  const waitsOf = (options: object) => [0, 0.5, 1].map((chance) => backoffMs(2, () => chance, options));
  expect(waitsOf({})).toEqual([2000, 3000, 4000]);
  expect(waitsOf({ min: 500, spread: [0.75, 1.25] })).toEqual([1500, 2000, 2500]);
});
