import { expect, test } from "vitest";
import { movedCursor } from "./text.tsx";

const text = "One two.\nThree four\n\n—\n\nFive six\n\nSeven eight.";
const at = (start: number, end: number) => ({ start, end });
/** Shown in this order: the last section stands before the one it follows in the text. */
const sections = [at(0, 21), at(21, 24), at(34, 46), at(24, 34)];
const word = (words: string) => ({ start: text.indexOf(words), end: text.indexOf(words) + words.length });
const go = (from: string | undefined, key: string) => {
  const to = movedCursor(text, sections, from === undefined ? undefined : word(from), key);
  return to && text.slice(to.start, to.end);
};

test("keys lead from word to word, from line to line and from section to section, as they are shown", () => {
  const rows: [from: string | undefined, key: string, to: string | undefined][] = [
    [undefined, "ArrowRight", "One"],
    ["One", "ArrowRight", "two"],
    ["two", "ArrowRight", "Three"],
    ["four", "ArrowRight", "Seven"],
    ["Seven", "ArrowLeft", "four"],
    ["One", "ArrowLeft", "One"],
    ["six", "ArrowRight", "six"],
    ["One", "ArrowDown", "Three"],
    ["four", "ArrowDown", "Seven"],
    ["four", "ArrowUp", "One"],
    ["Seven", "ArrowUp", "Three"],
    ["Five", "ArrowUp", "Seven"],
    ["One", "PageDown", "Seven"],
    ["Seven", "PageDown", "Five"],
    ["Five", "PageDown", "Five"],
    ["Five", "Home", "One"],
    ["One", "End", "six"],
    [undefined, "End", "six"],
    ["One", "x", undefined],
  ];
  expect(rows.map(([from, key]) => [from, key, go(from, key)])).toEqual(rows);
});
