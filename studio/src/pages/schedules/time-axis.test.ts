import { expect, test } from "vitest";
import { axisAround, marksOf, placeOn } from "./time-axis.ts";

const now = new Date(2026, 1, 18, 15, 30).getTime();

test("now lies in the middle, and what is outside lies nowhere", () => {
  const axis = axisAround(now, "day");
  expect([placeOn(axis, now), placeOn(axis, axis.start), placeOn(axis, axis.end + 1)]).toEqual([0.5, 0, undefined]);
});

test("a week on both sides has its midnights, two days every sixth hour", () => {
  const local = (at: number) => new Date(at).getHours();
  expect(marksOf(axisAround(now, "week"), "week").map(({ at, midnight }) => [local(at), midnight])).toEqual(
    Array.from({ length: 14 }, () => [0, true]),
  );
  expect(marksOf(axisAround(now, "day"), "day").map(({ at }) => local(at))).toEqual([18, 0, 6, 12, 18, 0, 6, 12]);
});
