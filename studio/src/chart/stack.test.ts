import { expect, test } from "vitest";
import { largest, pile, running } from "./scale.ts";

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
