import { expect, test } from "vitest";
import { sampleOf } from "../../test/stage/sample-of.ts";
import { layout } from "../strata/layout.ts";
import type { Stratum } from "../strata/stratum.ts";
import { commonScale, dayTicks, seamsBetween } from "./timeline.ts";

const dayOf = (at: string) => at.slice(0, 10);
const at = (startedAt: string) => sampleOf(startedAt, { startedAt });

test("a day is marked where it begins, and named where there is room", () => {
  const samples = [
    at("2026-02-18T12"),
    at("2026-02-18T13"),
    at("2026-02-19T09"),
    at("2026-02-20T09"),
    at("2026-02-20T10"),
  ];
  expect(dayTicks(samples, dayOf, 2)).toEqual([
    { at: 0, day: "2026-02-18", named: true },
    { at: 2, day: "2026-02-19", named: true },
    { at: 3, day: "2026-02-20", named: false },
  ]);
  expect(dayTicks([], dayOf, 2)).toEqual([]);
});

const stratum = (name: string, tokens: number, mutability: Stratum["mutability"] = "fixed"): Stratum => ({
  name,
  layer: "layer",
  mutability,
  tokens,
});

test("the lower edges of the same section are joined, and one that grew is a step", () => {
  const left = layout([stratum("rules", 50), stratum("notes", 10, "amendable")], 100, 100);
  const right = layout([stratum("rules", 50), stratum("notes", 30, "amendable"), stratum("new", 5)], 100, 100);
  expect(seamsBetween(left, right)).toEqual([
    { left: 50, right: 50, mutability: "fixed", step: false },
    { left: 60, right: 80, mutability: "amendable", step: true },
  ]);
});

test("a section that was sent twice is joined with itself, place by place", () => {
  const twice = layout([stratum("notes", 20), stratum("rules", 20), stratum("notes", 40)], 100, 100);
  expect(seamsBetween(twice, twice).map(({ left }) => left)).toEqual([20, 40, 80]);
});

test("ten thousand sections have no more lines between two samples than can be told apart", () => {
  const many = layout(
    Array.from({ length: 10_000 }, (_, index) => stratum(`s${index}`, 1)),
    264,
  );
  expect(seamsBetween(many, many).length).toBeLessThan(264 / 2 + 1);
});

test("the largest sample fills the height of all", () => {
  expect(commonScale([3, 9, 4])).toBe(9);
  expect(commonScale([])).toBe(1);
});
