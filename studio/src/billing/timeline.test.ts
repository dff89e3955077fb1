import { expect, test } from "vitest";
import { sampleOf } from "../../test/stage/sample-of.ts";
import { dayTicks } from "./sample.ts";

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
