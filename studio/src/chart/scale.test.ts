import { expect, test } from "vitest";
import { linear, niceEnd, niceTicks } from "./scale.ts";

const rows: [most: number, ticks: readonly number[], end: number][] = [
  [0, [0], 1],
  [1, [0, 0.5, 1], 1],
  [7, [0, 2, 4, 6], 8],
  [1_000, [0, 500, 1_000], 1_000],
  [1_234, [0, 500, 1_000], 1_500],
  [0.0091, [0, 0.005], 0.01],
  [39_999, [0, 10_000, 20_000, 30_000], 40_000],
];
for (const [max, ticks, end] of rows)
  test(`an axis up to ${max} is marked in steps of 1, 2 or 5`, () => {
    expect(niceTicks(max)).toEqual(ticks);
    expect(niceEnd(max)).toBe(end);
  });

test("what is no number has an axis all the same", () => {
  expect(niceTicks(Number.NaN)).toEqual([0]);
  expect(niceEnd(-3)).toBe(1);
});

test("values become pixels, also upside down, and where there is only one", () => {
  const y = linear([0, 10], [200, 0]);
  expect([0, 5, 10].map(y)).toEqual([200, 100, 0]);
  expect(linear([3, 3], [7, 9])(3)).toBe(7);
});
