import { expect, test } from "vitest";
import { sideRows } from "./side-rows.ts";

const same = (before: number, after: number, text: string) => {
  const row = { kind: "same", before, after, pieces: [{ text, changed: false }] };
  return { kind: "lines", before: row, after: row };
};
const came = (after: number, text: string) => ({ kind: "added", after, pieces: [{ text, changed: false }] });
const went = (before: number, text: string) => ({ kind: "removed", before, pieces: [{ text, changed: false }] });

test("a line that went stands beside the one that came in its place", () => {
  expect(sideRows("You are Ada.\nBe kind.", "You are Ada.\nBrief.\nAsk first.")).toEqual([
    same(1, 1, "You are Ada."),
    { kind: "lines", before: went(2, "Be kind."), after: came(2, "Brief.") },
    { kind: "lines", before: undefined, after: came(3, "Ask first.") },
  ]);
});

test("from nothing, and to nothing", () => {
  expect(sideRows("", "One.")).toEqual([{ kind: "lines", before: undefined, after: came(1, "One.") }]);
  expect(sideRows("One.", "")).toEqual([{ kind: "lines", before: went(1, "One."), after: undefined }]);
  expect(sideRows("", "")).toEqual([]);
});

test("lines far from any change are one gap", () => {
  const lines = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`);
  const rows = sideRows(lines.join("\n"), [...lines.slice(0, 11), "another"].join("\n"));
  expect(rows.map((row) => (row.kind === "gap" ? row.rows.length : row.before?.before))).toEqual([8, 9, 10, 11, 12]);
});
