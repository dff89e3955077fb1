import { expect, test } from "vitest";
import { lineEndOf, replacement, withLineEnds } from "./setup.ts";

const rows: [what: string, text: string, end: string][] = [
  ["no line end at all", "one", "\n"],
  ["line feeds", "one\ntwo", "\n"],
  ["both in every line", "one\r\ntwo\r\n", "\r\n"],
  ["mixed", "one\r\ntwo\n", "\n"],
  ["a return that ends no line", "one\r\ntw\ro", "\n"],
];
for (const [what, text, end] of rows) test(`lines of a text with ${what}`, () => expect(lineEndOf(text)).toBe(end));

test("pasted words take the line ends of where they come", () => {
  expect(withLineEnds("a\r\nb\rc\nd", "\n")).toBe("a\nb\nc\nd");
  expect(withLineEnds("a\nb", "\r\n")).toBe("a\r\nb");
});

test("only what differs is replaced", () => {
  expect(replacement("You are kind.", "You are kind and brief.")).toEqual({ from: 12, to: 12, insert: " and brief" });
  expect(replacement("aaa", "aa")).toEqual({ from: 2, to: 3, insert: "" });
  expect(replacement("", "a")).toEqual({ from: 0, to: 0, insert: "a" });
  expect(replacement("same", "same")).toBeUndefined();
});
