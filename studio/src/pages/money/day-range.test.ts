import { expect, test } from "vitest";
import { firstDay } from "./day-range.ts";

test("a range ends today, which counts as a day of it", () => {
  const now = new Date("2026-03-01T23:59:59.999Z");
  expect([firstDay("7", now), firstDay("30", now), firstDay("month", now), firstDay("all", now)]).toEqual([
    "2026-02-23",
    "2026-01-31",
    "2026-03-01",
    undefined,
  ]);
});
