import { expect, test } from "vitest";
import { wrapText } from "./plain-text.ts";

const rows: [what: string, text: string, width: number, indent: string, expected: string[]][] = [
  ["what fits is one line", "one two", 40, "  ", ["  one two"]],
  ["lines break between words", "twelve letters and then some", 24, "  ", ["  twelve letters and", "  then some"]],
  ["a word is never broken", `${"x".repeat(30)} y`, 24, "", ["x".repeat(30), "y"]],
  [
    "colours take no room",
    "\u001b[2mtwelve letters and then\u001b[22m",
    24,
    "",
    ["\u001b[2mtwelve letters and then\u001b[22m"],
  ],
  ["a pipe has no edge", "one two", Number.POSITIVE_INFINITY, "", ["one two"]],
];
for (const [what, text, width, indent, expected] of rows)
  test(`wrapped words: ${what}`, () => expect(wrapText(text, width, indent)).toEqual(expected));
