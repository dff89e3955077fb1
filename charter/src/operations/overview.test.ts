import { expect, test } from "vitest";
import { reachedAt } from "./overview.ts";

const noon = new Date("2026-02-18T12:00:00.000Z");
const rows: [spent: number, reached: string | null][] = [
  [0, null],
  [0.5, null],
  [0.500001, "2026-02-18T23:59:59.827Z"],
  [0.75, "2026-02-18T16:00:00.000Z"],
  [1, null],
  [1.2, null],
];
for (const [spent, reached] of rows)
  test(`of a dollar for a day, $${spent} until noon: all of it is spent at ${reached ?? "no later time of that day"}`, () =>
    expect(reachedAt(1, spent, noon)).toBe(reached));
