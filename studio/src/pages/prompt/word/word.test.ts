import { expect, test } from "vitest";
import { nextWord, wordAt } from "./word.ts";

const text = "You're kind — and ñandú-like.\n𒀀𒀁 ok";
const words = (stretch: { start: number; end: number } | undefined) =>
  stretch && text.slice(stretch.start, stretch.end);

test("a place in a text is in a word, on a sign, or nowhere", () => {
  const rows: [offset: number, expected: string | undefined][] = [
    [0, "You're"],
    [5, "You're"],
    [6, undefined],
    [12, "—"],
    [20, "ñandú-like"],
    [29, undefined],
    [31, "𒀀𒀁"],
    [33, "𒀀𒀁"],
    [99, undefined],
  ];
  expect(rows.map(([offset]) => [offset, words(wordAt(text, offset))])).toEqual(rows);
});

test("a very long word is cut", () => {
  const long = "x".repeat(1_000_000);
  expect(wordAt(long, 500_000)).toEqual({ start: 499_920, end: 500_080 });
});

test("from word to word, over signs and line ends, and not over the bounds", () => {
  const all = { start: 0, end: text.length };
  const seen: (string | undefined)[] = [];
  for (let at = wordAt(text, 0); at; at = nextWord(text, at, 1, all)) seen.push(words(at));
  expect(seen).toEqual(["You're", "kind", "and", "ñandú-like", "𒀀𒀁", "ok"]);
  expect(words(nextWord(text, { start: 14, end: 17 }, -1, all))).toBe("kind");
  expect(nextWord(text, { start: 0, end: 6 }, 1, { start: 0, end: 7 })).toBeUndefined();
});
