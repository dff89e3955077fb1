import { expect, test } from "vitest";
import { inAddress, stretchOf, wordIn } from "./word-place.ts";

const text = "Be kind. Never shout.";
const sections = [
  { name: "soul", start: 0, end: 9 },
  { name: "a:b", start: 9, end: 21 },
];

test("a word is named by its section and its place there, whatever the section is called", () => {
  expect(inAddress({ section: "a:b", from: 6 })).toBe("a:b:6");
  expect(wordIn("a:b:6", text, sections)).toEqual({ start: 15, end: 20 });
  expect(wordIn("soul:4", text, sections)).toEqual({ start: 3, end: 7 });
});

test.each(["soul", "soul:", "soul:x", "soul:-1", "soul:9", "soul:99999999999", "nobody:0", ":0", "soul:2"])(
  "an address that names no word opens nothing: %s",
  (named) => {
    expect(wordIn(named, text, sections)).toBeUndefined();
  },
);

test("a word is found again where its section moved to, and lost where other words stand there", () => {
  const word = { section: "soul", from: 3, words: "kind" };
  expect(stretchOf(word, "Hi. Be kind.", [{ name: "soul", start: 4, end: 12 }])).toEqual({ start: 7, end: 11 });
  expect(stretchOf(word, "Be rude.", [{ name: "soul", start: 0, end: 8 }])).toBeUndefined();
  expect(stretchOf(word, text, [])).toBeUndefined();
});
