import { expect, test } from "vitest";
import { rowsBelow } from "./rows.ts";

const rows: [what: string, text: string, columns: number, expected: number][] = [
  ["nothing", "", 10, 0],
  ["a short line", "hello", 10, 0],
  ["a line that fills its row is still on it", "0123456789", 10, 0],
  ["one character more", "0123456789a", 10, 1],
  ["line ends", "a\n\nb", 10, 2],
  ["a line end after a full row", "0123456789\na", 10, 1],
  ["wide characters take two columns", "日本語日本語", 10, 1],
  ["one that does not fit goes to the next row whole", "012345678日", 10, 1],
  ["accents take none", "e\u0301".repeat(10), 10, 0],
];
for (const [what, text, columns, expected] of rows)
  test(`rows of a text: ${what}`, () => expect(rowsBelow(text, columns)).toBe(expected));
