import { expect, test } from "vitest";
import { buffersIn, columnsOf, rowsIn } from "./columns.ts";

test("rows come back as they went, names, numbers and nothings", () => {
  const rows = [
    { name: "soul", revision: 3, tokens: 12.5, source: "standing" },
    { name: "clock", revision: null, tokens: 0, source: "clock" },
    { name: "", revision: null, tokens: -1, source: "clock" },
  ];
  expect(rowsIn(columnsOf(rows))).toEqual(rows);
  expect(rowsIn(structuredClone(columnsOf(rows)))).toEqual(rows);
});

test("no rows are no rows", () => {
  expect(rowsIn(columnsOf([]))).toEqual([]);
});

test("a column of nothing but nulls is one of numbers, and words are said once", () => {
  const columns = columnsOf([
    { a: null, b: "x" },
    { a: null, b: "x" },
  ]);
  expect(columns.columns).toEqual({
    a: Float64Array.of(Number.NaN, Number.NaN),
    b: { words: ["x"], places: Uint32Array.of(0, 0) },
  });
  expect(buffersIn(columns).length).toBe(2);
});
