import { expect, test } from "vitest";
import { changedLines, diffRows } from "./diff-rows.ts";

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

test("lines that came and went are counted, also those of a new text", () => {
  expect(changedLines(diffRows("a\nb", "a\nB\nc"))).toEqual({ added: 2, removed: 1 });
  expect(changedLines(diffRows("", "a\nb"))).toEqual({ added: 2, removed: 0 });
  expect(diffRows("a", "a")).toEqual([same(1, 1, "a")]);
});
