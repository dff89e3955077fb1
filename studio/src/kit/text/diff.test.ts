import { unified } from "charter";
import { expect, test } from "vitest";
import { diffRows, sideRows, textsOf } from "./diff.tsx";

const same = (before: number, after: number, text: string) => ({
  kind: "same",
  before,
  after,
  pieces: [{ text, changed: false }],
});

test("a changed word is marked in its line, on both sides", () => {
  expect(diffRows("You are kind.\nYou ask.", "You are brief.\nYou ask.")).toEqual([
    {
      kind: "removed",
      before: 1,
      pieces: [
        { text: "You are ", changed: false },
        { text: "kind", changed: true },
        { text: ".", changed: false },
      ],
    },
    {
      kind: "added",
      after: 1,
      pieces: [
        { text: "You are ", changed: false },
        { text: "brief", changed: true },
        { text: ".", changed: false },
      ],
    },
    same(2, 2, "You ask."),
  ]);
});

test("lines that share next to nothing differ as a whole", () => {
  expect(diffRows("Speak French.", "Никогда не спрашивай дважды")).toEqual([
    { kind: "removed", before: 1, pieces: [{ text: "Speak French.", changed: false }] },
    { kind: "added", after: 1, pieces: [{ text: "Никогда не спрашивай дважды", changed: false }] },
  ]);
});

test("what is far from a change is a gap that can be opened", () => {
  const before = ["a", "b", "c", "d", "e"].join("\n");
  expect(diffRows(before, `${before}\nf`, 1)).toEqual([
    { kind: "gap", rows: [same(1, 1, "a"), same(2, 2, "b"), same(3, 3, "c"), same(4, 4, "d")] },
    same(5, 5, "e"),
    { kind: "added", after: 6, pieces: [{ text: "f", changed: false }] },
  ]);
});

test("a gap never hides a single line", () => {
  expect(diffRows("a\nb", "a\nb\nc", 1).map(({ kind }) => kind)).toEqual(["same", "same", "added"]);
});

test("what did not change is one line", () => {
  expect(diffRows("a", "a")).toEqual([same(1, 1, "a")]);
});

const beside = (before: number, after: number, text: string) => {
  const row = { kind: "same", before, after, pieces: [{ text, changed: false }] };
  return { kind: "lines", before: row, after: row };
};
const came = (after: number, text: string) => ({ kind: "added", after, pieces: [{ text, changed: false }] });
const went = (before: number, text: string) => ({ kind: "removed", before, pieces: [{ text, changed: false }] });

test("a line that went stands beside the one that came in its place", () => {
  expect(sideRows("You are Ada.\nBe kind.", "You are Ada.\nBrief.\nAsk first.")).toEqual([
    beside(1, 1, "You are Ada."),
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

test("a diff gives back the two texts it is of", () => {
  const [before, after] = ["a\nb\nc", "a\nB\nc\n--- d"];
  expect(textsOf(unified(before, after, "soul"))).toEqual({ before, after });
  expect(textsOf(unified("", "one", "soul"))).toEqual({ before: "", after: "one" });
  expect(textsOf(unified("one", "", "soul"))).toEqual({ before: "one", after: "" });
});

test("what it leaves out between two changes is a line of dots, and what was shortened says so", () => {
  const lines = Array.from({ length: 20 }, (_, index) => `${index}`);
  const { before, after } = textsOf(
    unified(lines.join("\n"), ["first", ...lines.slice(1, -1), "last"].join("\n"), "soul"),
  );
  expect(before).toBe("0\n1\n2\n3\n⋯\n16\n17\n18\n19");
  expect(after).toBe("first\n1\n2\n3\n⋯\n16\n17\n18\nlast");
  expect(textsOf("--- a\n+++ a\n@@ -0,0 +1,9 @@\n+one\n(8 more lines)\n").after).toBe("one\n(8 more lines)");
});
