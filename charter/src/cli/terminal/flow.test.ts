import { expect, test } from "vitest";
import { createFlow } from "./screen.ts";

const family = "👩‍👩‍👧‍👦";
const address = `https://example.org/${"x".repeat(20)}`;

/** What is written for these pieces on a terminal of ten columns, and how many rows below it ends. */
const rows: [what: string, pieces: string[], written: string, below: number][] = [
  ["nothing", [], "", 0],
  ["a line that fills its row is still on it", ["0123456789"], "0123456789", 0],
  ["line ends", ["a\n\nb"], "a\n\nb", 2],
  ["a line end after a full row", ["0123456789\na"], "0123456789\na", 1],
  ["a word that does not fit goes to the next row", ["one two three"], "one two th\u001b[9G\u001b[K\nthree", 1],
  ["also when it comes in pieces", ["one two ", "th", "re", "e"], "one two th\u001b[9G\u001b[K\nthree", 1],
  ["a space at the edge is not shown", ["0123456789 a"], "0123456789\na", 1],
  ["what is indented stays so", ["a\n   b"], "a\n   b", 1],
  ["a word longer than a row is left to the terminal", [address], address, 3],
  ["wide characters take two columns, and break anywhere", ["日本語日本語"], "日本語日本\n語", 1],
  ["one that does not fit goes to the next row whole", ["01234567日本"], "01234567日\n本", 1],
  ["accents take none", ["e\u0301".repeat(10)], "e\u0301".repeat(10), 0],
  ["an emoji of several breaks its row rather than be counted wrong", [`a ${family}!`], "a 👩‍👩‍👧‍👦\n!", 1],
];
for (const [what, pieces, written, below] of rows)
  test(`words as they come: ${what}`, () => {
    const flow = createFlow(() => 10, 0);
    expect([pieces.map(flow.write).join(""), flow.rowsBelow()]).toEqual([written, below]);
  });

test("words as they come: the first row has as much less as stands there already", () => {
  const flow = createFlow(() => 10, 5);
  expect([flow.write("Hello there"), flow.rowsBelow()]).toEqual(["Hello\nthere", 1]);
});
