import { expect, test } from "vitest";
import {
  characterIndex,
  countCharacters,
  firstCharacters,
  graphemeEnd,
  oneLine,
  openingEnd,
  preview,
} from "./character.ts";

test("a character is a code point", () => {
  expect(["", "abc", "é", "e\u0301", "🎯", "👩‍🚀"].map(countCharacters)).toEqual([0, 3, 1, 2, 1, 3]);
  expect(firstCharacters("a🎯b🎯", 2)).toBe("a🎯");
  expect(characterIndex("🎯🎯", 9)).toBe(4);
});

test("only a pair is one character: the first and the last of them, and halves that stand alone", () => {
  const texts = ["\u{10000}", "\u{10ffff}", "\ud7ff\ue000", "\ud800", "a\ud800", "\udc00a", "\udbff\udfffx"];
  expect(texts.map(countCharacters)).toEqual([1, 1, 2, 1, 2, 2, 2]);
  expect(texts.map((text) => characterIndex(text, 1))).toEqual([2, 2, 1, 1, 1, 1, 2]);
});

test("words as one line", () => {
  expect(oneLine(" a \n\n b\u0085c\t\u2028d\u001ce\u2424f")).toBe("a b c d e f");
});

test("an index outside a text is moved to its nearest end", () => {
  expect([-1, 0, 3, 9].map((index) => graphemeEnd("abc", index))).toEqual([0, 0, 3, 3]);
  expect(graphemeEnd("ab\ncde\u0301f", 6)).toBe(7);
});

const openings: [what: string, text: string, characters: number, opening: string][] = [
  ["plain", "You are Ada.", 7, "You are"],
  ["none", "You", 0, ""],
  ["more than there is", "You", 200, "You"],
  ["inside an emoji of several", "ab👩‍🚀c", 3, "ab👩‍🚀"],
  ["before a combining mark", "e\u0301x", 1, "e\u0301"],
  ["inside a flag", "🇩🇪!", 1, "🇩🇪"],
  ["between two lines", "a\r\nb", 2, "a\r\n"],
];
for (const [what, text, characters, opening] of openings)
  test(`an opening never ends inside a grapheme, ${what}`, () => {
    expect(text.slice(0, openingEnd(text, characters))).toBe(opening);
  });

test("a preview is one line, and says when it is not all", () => {
  expect(preview("  a \n\n b\u2028c\t", 9)).toBe("a b c");
  expect(preview("🎯🎯🎯 x", 3)).toBe("🎯🎯🎯…");
  expect(preview("ab cd", 3)).toBe("ab…");
});
