import { expect, test } from "vitest";
import { isCovered, joined } from "./stretches.ts";

const at = (start: number, end: number) => ({ start, end });

test("stretches that touch or overlap are one", () => {
  expect(joined([at(8, 9), at(0, 3), at(2, 5), at(5, 6), at(1, 2)])).toEqual([at(0, 6), at(8, 9)]);
  expect(joined([])).toEqual([]);
});

test("a stretch is covered by one that holds all of it", () => {
  expect([isCovered(at(1, 3), [at(0, 2), at(1, 4)]), isCovered(at(1, 3), [at(0, 2), at(2, 4)])]).toEqual([true, false]);
});
