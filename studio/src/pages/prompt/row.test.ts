import { expect, test } from "vitest";
import type { Placed } from "../../assembly/placed.ts";
import { rowAt, rowsOf } from "./row.ts";

const placed = (name: string, start: number, end: number, tail = false): Placed => ({
  name,
  layer: "layer",
  mutability: "amendable",
  stability: "stable",
  trust: "own",
  start,
  end,
  gap: 0,
  source: "standing",
  revision: 0,
  tokens: 1,
  cut: false,
  tail,
});

const shapes = (text: string, sections: readonly Placed[]) =>
  rowsOf(text, sections).map(({ start, end, lines, opens, opensTail }) => [
    text.slice(start, end),
    lines,
    ...(opens ? ["opens"] : []),
    ...(opensTail ? ["tail"] : []),
  ]);

test("a short section is a row of its own, without the line ends after it", () => {
  const text = "# Soul\nKind.\n\nIt is noon.\n\nLate.";
  expect(shapes(text, [placed("soul", 0, 14), placed("late", 27, 32, true), placed("time", 14, 27, true)])).toEqual([
    ["# Soul\nKind.", 2, "opens"],
    ["Late.", 1, "opens", "tail"],
    ["It is noon.", 1, "opens"],
  ]);
});

test("a section without words has a row all the same", () => {
  expect(shapes("\n\n", [placed("nothing", 0, 2)])).toEqual([["", 1, "opens"]]);
});

test("a long section is cut at line ends, and loses nothing", () => {
  const text = Array.from({ length: 1_000 }, (_, at) => `line ${at}`).join("\n");
  const rows = rowsOf(text, [placed("long", 0, text.length)]);
  expect(rows.length).toBe(Math.ceil(1_000 / 24));
  expect(rows.map(({ start, end }) => text.slice(start, end)).join("")).toBe(text);
  expect(rows.every(({ end }) => end === text.length || text[end - 1] === "\n")).toBe(true);
});

test("a million characters without a line end are cut between words, else anywhere but inside a character", () => {
  for (const text of ["word ".repeat(200_000), "x".repeat(1_000_000), "𒀀".repeat(500_000)]) {
    const rows = rowsOf(text, [placed("long", 0, text.length)]);
    expect(rows.map(({ start, end }) => text.slice(start, end)).join("")).toBe(text);
    expect(Math.max(...rows.map(({ start, end }) => end - start))).toBeLessThanOrEqual(2_000);
    expect(rows.every(({ start, end }) => text.slice(start, end).isWellFormed())).toBe(true);
  }
});

test("every place in the text is in a row, the line ends between sections too", () => {
  const text = "One.\n\nTwo.\n\nThree.";
  const rows = rowsOf(text, [placed("one", 0, 6), placed("three", 12, 18), placed("two", 6, 12, true)]);
  expect([0, 5, 6, 11, 12, 17, 18].map((offset) => rowAt(rows, offset))).toEqual([0, 0, 2, 2, 1, 1, -1]);
});
