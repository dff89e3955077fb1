import { expect, test } from "vitest";
import { placeInPart, placeOfWord, standingPlace } from "./standing-place.ts";

test("a place in shown words is the same place in the standing ones", () => {
  expect(standingPlace("Be kind.", 3, "Be kind.")).toBe(3);
  expect(standingPlace("Be kind.\n\\# Rules\nNone.", 9, "Be kind.\n# Rules\nNone.")).toBeUndefined();
  expect(standingPlace("Be kind.\n\\# Rules\nNone.", 12, "Be kind.\n# Rules\nNone.")).toBe(11);
  expect(standingPlace("a\\b c", 4, "a\\b c")).toBe(4);
});

test("words that end early have their place, what was added to them has none", () => {
  expect(standingPlace("Be ki\n(More is stored.)", 4, "Be kind.")).toBe(4);
  expect(standingPlace("Be ki\n(More is stored.)", 8, "Be kind.")).toBeUndefined();
  expect(standingPlace("You are Ada.", 8, '{"name":"Ada"}')).toBeUndefined();
});

test("a place in a paragraph that stands there once is found, in one that stands there twice it is not", () => {
  expect(placeInPart("Be brief.", 3, "Be kind.\n\nBe brief.")).toBe(13);
  expect(placeInPart("Be kind.", 3, "Be kind.\n\nBe kind.")).toBeUndefined();
  expect(placeInPart("Be loud.", 3, "Be kind.")).toBeUndefined();
  expect(placeInPart("", 0, "Be kind.")).toBeUndefined();
});

test("a word that stands there once is found, one that stands there twice is not", () => {
  expect(placeOfWord("Ada", '{"name":"Ada"}')).toBe(9);
  expect(placeOfWord("a", "banana")).toBeUndefined();
  expect(placeOfWord("", "x")).toBeUndefined();
});
