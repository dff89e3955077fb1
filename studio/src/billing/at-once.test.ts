import { expect, test } from "vitest";
import { atOnce } from "./sample.ts";

const rows: [wanted: number, sections: number, turns: number][] = [
  [60, 0, 60],
  [60, 20, 60],
  [200, 100, 80],
  [60, 2_000, 8],
  [60, 10_000, 8],
  [5, 10_000, 5],
];
for (const [wanted, sections, turns] of rows)
  test(`of ${wanted} turns with ${sections} sections each, ${turns} are read at once`, () =>
    expect(atOnce(wanted, sections)).toBe(turns));
