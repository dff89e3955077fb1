import { expect, test } from "vitest";
import type { HandStretch } from "./document.ts";
import { piecesOf } from "./piece.ts";

const span = (start: number, end: number, source: string): HandStretch => ({
  ...{ start, end, source },
  hand: "charter",
  revision: null,
  trust: "own",
});

test("a row is cut where another wrote it and where something is marked, and keeps every mark", () => {
  const spans = [span(0, 10, "charter"), span(10, 40, "standing")];
  const marks = [
    { start: 8, end: 12, kind: "hit" as const },
    { start: 35, end: 50, kind: "hit" as const },
    { start: 35, end: 37, kind: "here" as const },
  ];
  const pieces = piecesOf({ start: 5, end: 40 }, spans, marks);
  expect(pieces.map(({ start, end, span: one, marks }) => [start, end, one?.source, marks])).toEqual([
    [5, 8, "charter", []],
    [8, 10, "charter", ["hit"]],
    [10, 12, "standing", ["hit"]],
    [12, 35, "standing", []],
    [35, 37, "standing", ["hit", "here"]],
    [37, 40, "standing", ["hit"]],
  ]);
});

test("a row nobody is known to have written is one piece", () => {
  expect(piecesOf({ start: 3, end: 9 }, [], [])).toEqual([{ start: 3, end: 9, span: undefined, marks: [] }]);
  expect(piecesOf({ start: 3, end: 3 }, [], [])).toEqual([]);
});
