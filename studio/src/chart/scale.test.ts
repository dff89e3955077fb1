import { expect, test } from "vitest";
import { largest, linear, linePath, niceEnd, niceTicks, pile, running } from "./scale.ts";

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

test("a line goes through its points", () => {
  expect(
    linePath([
      { x: 0, y: 1 },
      { x: 2, y: 3.456 },
    ]),
  ).toBe("M0 1L2 3.46");
});

test("a line is parted where a point is missing, and a point that stands alone is a dot", () => {
  expect(linePath([undefined, { x: 1, y: 1 }, undefined, { x: 3, y: 1 }, { x: 4, y: 2 }])).toBe("M1 1h.01M3 1L4 2");
  expect(linePath([])).toBe("");
});

test("amounts lie on top of each other, the first at the bottom", () => {
  expect(pile([3, 0, 2])).toEqual([
    { from: 0, to: 3 },
    { from: 3, to: 3 },
    { from: 3, to: 5 },
  ]);
});

test("less than nothing is nothing", () => {
  expect(pile([-3, 2])).toEqual([
    { from: 0, to: 0 },
    { from: 0, to: 2 },
  ]);
});

test("each amount with all before it", () => {
  expect(running([1, 2, 3])).toEqual([1, 3, 6]);
  expect(running([])).toEqual([]);
});

test("the largest are found by their sums, and by name where those are alike", () => {
  const sums = new Map([
    ["b", 2],
    ["a", 2],
    ["c", 9],
  ]);
  expect(largest(sums, 2)).toEqual(["c", "a"]);
});
