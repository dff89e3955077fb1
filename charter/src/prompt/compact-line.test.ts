import { expect, test } from "vitest";
import { linedReading, shortenedHere, splitCompactLine, withCompactLine } from "./rendering.ts";

const shortOf = (text: string) => {
  const reading = linedReading(text);
  return reading.status === "present" ? reading.parts.map(({ text: words, short }) => [words, short]) : reading.status;
};

test("a text is its words and a line, and stays the same when it is taken apart and put together", () => {
  const text = withCompactLine("Answer once.\n- Be true.\n", " Answer once, truly. ");
  expect(text).toBe("Answer once.\n- Be true.\n\nIn short:\n\nAnswer once, truly.");
  expect(splitCompactLine(text)).toEqual({ words: "Answer once.\n- Be true.", line: "Answer once, truly." });
  expect(withCompactLine(text, "Be true.")).toBe("Answer once.\n- Be true.\n\nIn short:\n\nBe true.");
});

const plain: [what: string, text: string][] = [
  ["no line", "Answer once."],
  ["several lines", "Answer once.\n\nIn short:\n\nOne.\nTwo."],
  ["nothing after it", "Answer once.\n\nIn short:\n\n"],
  ["nothing before it", "\n\nIn short:\n\nAnswer."],
  ["not a paragraph of its own", "Answer once.\nIn short:\nAnswer."],
  ["something after it", "A.\n\nIn short:\n\nB.\n\nC."],
];
for (const [what, text] of plain)
  test(`a text without a compact line: ${what}`, () =>
    expect(splitCompactLine(text)).toEqual({ words: text, line: undefined }));

test("line ends of another kind are line ends", () => {
  expect(splitCompactLine("A.\r\n\r\nIn short:\r\n\r\nB.\r\n")).toEqual({ words: "A.", line: "B." });
});

const filler = `X${"x".repeat(99)}`;
const rows: [what: string, text: string, short: string][] = [
  ["a short text is whole, on one line", "Ask first.\n\n- Pay  once.", "Ask first. - Pay once."],
  [
    "of a long one whole sentences stay, and it is told",
    `Ask first. Pay once. ${filler}. ${filler}. ${filler}.`,
    `Ask first. Pay once. ${filler}. ${filler}.${shortenedHere}`,
  ],
  ["a first sentence that is too long stays whole", `${"word ".repeat(60)}end.`, `${"word ".repeat(60)}end.`],
  [
    "the number of an item ends no sentence",
    `Each turn:\n1. ${filler}.\n2. ${filler}.\n3. ${filler}.`,
    `Each turn: 1. ${filler}. 2. ${filler}.${shortenedHere}`,
  ],
  [
    "a line that goes on is no end",
    `${filler}\n${filler} goes on\nfor long.\n${filler}. ${filler}.`,
    `${filler} ${filler} goes on for long.${shortenedHere}`,
  ],
  [
    "sentences of other scripts end, too",
    `${"毎回の判断で収支を確かめる。".repeat(40)}`,
    `${Array(16).fill("毎回の判断で収支を確かめる。").join(" ")}${shortenedHere}`,
  ],
];
for (const [what, text, short] of rows)
  test(`without a line: ${what}`, () => expect(shortOf(text)).toEqual([[text, short]]));

test("the line is for the compact edition only, and a blank text has none", () => {
  expect(shortOf("Ask first.\n\nIn short:\n\nAsk.")).toEqual([["Ask first.", "Ask."]]);
  expect(shortOf(" \n")).toBe("empty");
});
