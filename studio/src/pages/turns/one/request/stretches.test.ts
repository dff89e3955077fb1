import type { SentSlot } from "charter";
import { expect, test } from "vitest";
import { partsOf, piecesOf, stretchesOf } from "./stretches.ts";

const section = (name: string, ...lengths: number[]): SentSlot["sections"][number] => ({
  name,
  layer: "layer",
  mutability: name === "notes" ? "amendable" : "fixed",
  stability: "stable",
  trust: "own",
  source: "charter",
  revision: null,
  digest: name,
  whose: "agent",
  tokens: null,
  spans: lengths.map((length, index) => ({ length, source: `source ${index}`, revision: index, trust: "own" })),
});

const text = "RULES\n\nnotes and more";
const stretches = stretchesOf({ sections: [section("rules", 7), section("empty", 0), section("notes", 5, 9)] });

test("the spans of a receipt, one after another, say whose each stretch of the slot is", () => {
  expect(stretches.map(({ start, end, section, revision }) => [start, end, section, revision])).toEqual([
    [0, 7, "rules", 0],
    [7, 12, "notes", 0],
    [12, 21, "notes", 1],
  ]);
});

test("what is shown of a text is cut where one stretch ends and the next begins", () => {
  const words = (from: number, to: number) =>
    piecesOf(text, stretches, from, to).map(({ text: piece, start, stretch }) => [piece, start, stretch?.section]);
  expect(words(0, text.length)).toEqual([
    ["RULES\n\n", 0, "rules"],
    ["notes", 7, "notes"],
    [" and more", 12, "notes"],
  ]);
  expect(words(9, 14)).toEqual([
    ["tes", 9, "notes"],
    [" a", 12, "notes"],
  ]);
  expect(words(5, 5)).toEqual([]);
});

test("words the receipt says nothing of stand all the same", () => {
  expect(piecesOf("abc", [], 0, 3)).toEqual([{ text: "abc", start: 0, stretch: undefined }]);
  expect(piecesOf(`${text}!`, stretches, 20, 22).map((piece) => piece.text)).toEqual(["e", "!"]);
});

test("a long text is parted after lines, a long line in between, no character in its middle", () => {
  const cases = ["", "short", "one\ntwo\nthree\n", "x".repeat(25), "ab\n".repeat(9), "😀".repeat(9)];
  for (const words of cases) {
    const parts = partsOf(words, 7);
    expect(parts.map(([from, to]) => words.slice(from, to)).join("")).toBe(words);
    expect(parts.every(([from, to]) => to - from <= 8 && words.slice(from, to).isWellFormed())).toBe(true);
  }
  expect(partsOf("one\ntwo\nthree\n", 9).map(([from, to]) => [from, to])).toEqual([
    [0, 8],
    [8, 14],
  ]);
});
