import { expect, test } from "vitest";
import { firstDay } from "./days.ts";
import { csvOf } from "./table.tsx";

const cells: readonly (readonly [string | number, string])[] = [
  ["ada", "ada"],
  [0.25, "0.25"],
  [-1, "-1"],
  ["a,b", '"a,b"'],
  ['say "so"', '"say ""so"""'],
  ["two\nlines", '"two\nlines"'],
  ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
  ["+1", `"'+1"`],
  ["-1", `"'-1"`],
  ["@SUM(A1)", `"'@SUM(A1)"`],
  ["\t=1", `"'\t=1"`],
  [" =1", `"' =1"`],
];
for (const [cell, written] of cells)
  test(`the cell ${JSON.stringify(cell)} is written as ${JSON.stringify(written)}`, () => {
    expect(csvOf(["name", "cost"], [[cell, 1]])).toBe(`name,cost\r\n${written},1\r\n`);
  });

test("a range ends today, which counts as a day of it", () => {
  const now = new Date("2026-03-01T23:59:59.999Z");
  expect([firstDay("7", now), firstDay("30", now), firstDay("month", now), firstDay("all", now)]).toEqual([
    "2026-02-23",
    "2026-01-31",
    "2026-03-01",
    undefined,
  ]);
});
