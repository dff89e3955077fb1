import { expect, test } from "vitest";
import { blocks, opening } from "./long-text.tsx";

test("a short text is its own opening", () => {
  expect(opening("one\ntwo", 100)).toBe("one\ntwo");
});

test("an opening ends where a line does, when one ends near", () => {
  expect(opening("one\ntwo three four", 6)).toBe("one");
  expect(opening("a\nlong line without end", 10)).toBe("a\nlong lin");
});

test("no character is cut in half", () => {
  expect(opening("ab😀cd", 3)).toBe("ab");
  expect(blocks("ab😀cd", 3)).toEqual([
    { text: "ab", line: false },
    { text: "😀c", line: false },
    { text: "d", line: true },
  ]);
});

test("blocks end where lines do, and joined they are the text", () => {
  const text = "one\ntwo\n\nthree and more\nfour\n";
  for (let size = 2; size < 40; size++) {
    const parted = blocks(text, size);
    expect(parted.map((one, index) => one.text + (one.line && index < parted.length - 1 ? "\n" : "")).join("")).toBe(
      text,
    );
  }
  expect(blocks(text, 9)).toEqual([
    { text: "one\ntwo\n", line: true },
    { text: "three and", line: false },
    { text: " more", line: true },
    { text: "four\n", line: true },
  ]);
});
