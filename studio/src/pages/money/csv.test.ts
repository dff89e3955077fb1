import { expect, test } from "vitest";
import { csvOf } from "./csv.ts";

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
