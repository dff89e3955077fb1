import { expect, test } from "vitest";
import { lowerHeadings } from "./passage.ts";

const lowered = (text: string, level = 2) => lowerHeadings(text, level).text;

test("headings as high as the section's own move below it, and stand to each other as before", () => {
  expect(lowerHeadings("# Who you are\nKind.\n\n## Goals\n- Help.\n\n### Soon ###\n", 2)).toEqual({
    text: "### Who you are\nKind.\n\n#### Goals\n- Help.\n\n##### Soon ###\n",
    lowered: 3,
  });
});

test("a text whose headings are below already stays, to the letter", () => {
  const text = "### Goals\r\n- Help.\n##### Soon";
  expect(lowerHeadings(text, 2)).toEqual({ text, lowered: 0 });
  expect(lowerHeadings("No heading.", 2)).toEqual({ text: "No heading.", lowered: 0 });
  expect(lowerHeadings("# Any", 0)).toEqual({ text: "# Any", lowered: 0 });
});

test("code, quotations and hash tags are no headings", () => {
  const code = "```sh\n# a comment\n```\n\n    # indented\n\n#tag\n\n> # quoted\n";
  expect(lowered(`## Rules\n${code}`)).toBe(`### Rules\n${code}`);
});

test("underlined headings get signs", () => {
  expect(lowered("Who\nyou are\n=======\n\nGoals\n---\nHelp.\n")).toBe("### Who you are\n\n#### Goals\nHelp.\n");
});

test("the sixth level is the last", () => {
  expect(lowered("# A\n##### B\n###### C", 2)).toBe("### A\n###### B\n###### C");
  expect(lowered("# A", 5)).toBe("###### A");
});

test("an empty heading, and one without an end, are headings", () => {
  expect(lowered("#\ntext\n\n## ")).toBe("###\ntext\n\n#### ");
});

test("twice is once", () => {
  const once = lowered("Title\n===\n# A\n## B\n");
  expect(lowerHeadings(once, 2)).toEqual({ text: once, lowered: 0 });
});
