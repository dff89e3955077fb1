import { expect, test } from "vitest";
import type { Block, HandStretch, Part } from "./document.ts";
import { rowAt, rowsOf, spanOfLine, spansWithin } from "./row.ts";

const block = (name: string, start: number, end: number, part: Part = "prefix"): Block => ({
  ...{ name, start, end, part },
  kind: "tools",
  names: [],
  tokens: 1,
  hand: "agent",
  gap: 0,
});

const shapes = (text: string, blocks: readonly Block[], folded?: ReadonlySet<string>) =>
  rowsOf(text, blocks, folded).map(({ start, end, opens, opensPart, closes }) => [
    text.slice(start, end),
    ...(opensPart ? ["part"] : []),
    ...(opens ? ["opens"] : []),
    ...(closes ? ["closes"] : []),
  ]);

test("each line is a row, without the line ends after its block", () => {
  const text = "# Soul\nKind.\n\nIt is noon.\n\nLate.";
  const blocks = [block("soul", 0, 14), block("time", 14, 27, "state"), block("late", 27, 32, "state")];
  expect(shapes(text, blocks)).toEqual([
    ["# Soul\n", "part", "opens"],
    ["Kind.", "closes"],
    ["It is noon.", "part", "opens", "closes"],
    ["Late.", "opens", "closes"],
  ]);
  expect(shapes(text, blocks, new Set(["soul"]))[0]).toEqual(["", "part", "opens", "closes"]);
});

test("a block without words has a row all the same", () => {
  expect(shapes("\n\n", [block("nothing", 0, 2)])).toEqual([["", "part", "opens", "closes"]]);
});

test("a line is of the hand that wrote most of it", () => {
  const span = (start: number, end: number, hand: HandStretch["hand"]): HandStretch => ({
    ...{ start, end, hand },
    ...{ source: "standing", trust: "own", revision: 1 },
  });
  const spans = [span(0, 4, "charter"), span(4, 20, "user"), span(20, 30, "agent"), span(30, 40, "user")];
  expect(spansWithin(spans, 10, 30)).toEqual([spans[1], spans[2]]);
  expect(spanOfLine(spansWithin(spans, 2, 19), { start: 2, end: 19 })?.hand).toBe("user");
  expect(spansWithin(spans, 40, 50)).toEqual([]);
});

test("a long section is cut at line ends, and loses nothing", () => {
  const text = Array.from({ length: 1_000 }, (_, at) => `line ${at}`).join("\n");
  const rows = rowsOf(text, [block("long", 0, text.length)]);
  expect(rows.length).toBe(1_000);
  expect(rows.map(({ start, end }) => text.slice(start, end)).join("")).toBe(text);
  expect(rows.every(({ end }) => end === text.length || text[end - 1] === "\n")).toBe(true);
});

test("a million characters without a line end are cut between words, else anywhere but inside a character", () => {
  for (const text of ["word ".repeat(200_000), "x".repeat(1_000_000), "𒀀".repeat(500_000)]) {
    const rows = rowsOf(text, [block("long", 0, text.length)]);
    expect(rows.map(({ start, end }) => text.slice(start, end)).join("")).toBe(text);
    expect(Math.max(...rows.map(({ start, end }) => end - start))).toBeLessThanOrEqual(2_000);
    expect(rows.every(({ start, end }) => text.slice(start, end).isWellFormed())).toBe(true);
  }
});

test("every place in the text is in a row, the line ends between sections too", () => {
  const text = "One.\n\nTwo.\n\nThree.";
  const rows = rowsOf(text, [block("one", 0, 6), block("three", 12, 18), block("two", 6, 12)]);
  expect([0, 5, 6, 11, 12, 17, 18].map((offset) => rowAt(rows, offset))).toEqual([0, 0, 2, 2, 1, 1, -1]);
});
