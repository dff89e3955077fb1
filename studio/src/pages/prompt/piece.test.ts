import type { Span } from "charter";
import { expect, test } from "vitest";
import { piecesOf, stretchesOf } from "./piece.ts";

const span = (start: number, end: number, source: string): Span => ({
  start,
  end,
  source,
  section: "soul",
  layer: "character",
  revision: null,
  trust: "own",
});

test("a row is cut where another wrote it and where something is marked", () => {
  const spans = [span(0, 10, "charter"), span(10, 40, "standing")];
  const marks = [
    { start: 8, end: 12, kind: "hit" as const },
    { start: 35, end: 50, kind: "hit" as const },
    { start: 35, end: 37, kind: "here" as const },
  ];
  const pieces = piecesOf({ start: 5, end: 40 }, spans, marks);
  expect(pieces.map(({ start, end, span: one, mark }) => [start, end, one?.source, mark])).toEqual([
    [5, 8, "charter", undefined],
    [8, 10, "charter", "hit"],
    [10, 12, "standing", "hit"],
    [12, 35, "standing", undefined],
    [35, 37, "standing", "here"],
    [37, 40, "standing", "hit"],
  ]);
});

test("a row is cut where the words of its section end", () => {
  const pieces = piecesOf({ start: 0, end: 12 }, [span(0, 12, "standing")], [], 8);
  expect(pieces.map(({ start, end, apart }) => [start, end, apart])).toEqual([
    [0, 8, false],
    [8, 12, true],
  ]);
});

test("what one hand wrote stands together, whatever is marked in it", () => {
  const spans = [span(0, 10, "charter"), span(10, 40, "standing")];
  const pieces = piecesOf({ start: 0, end: 40 }, spans, [{ start: 20, end: 25, kind: "word" }], 38);
  expect(stretchesOf(pieces).map((stretch) => stretch.map(({ start, end }) => [start, end]))).toEqual([
    [[0, 10]],
    [
      [10, 20],
      [20, 25],
      [25, 38],
    ],
    [[38, 40]],
  ]);
});

test("a row nobody is known to have written is one piece", () => {
  expect(piecesOf({ start: 3, end: 9 }, [], [])).toEqual([
    { start: 3, end: 9, span: undefined, mark: undefined, apart: false },
  ]);
  expect(piecesOf({ start: 3, end: 3 }, [], [])).toEqual([]);
});
