import { expect, test } from "vitest";
import { createTail } from "./workspace-tools.ts";

const limits = { lines: 3, bytes: 20 };

function tailOf(...chunks: readonly (string | Uint8Array)[]) {
  const tail = createTail(limits);
  for (const chunk of chunks) tail.add(Buffer.from(chunk));
  return tail.text();
}

const rest = (which: string, size: string) => `${which}; ${size} were printed in all, and what came before is gone.`;

const rows: [what: string, chunks: (string | Uint8Array)[], expected: object][] = [
  ["nothing", [], { text: "" }],
  ["as many lines as fit", ["a\nb\nc\n"], { text: "a\nb\nc" }],
  ["a line too many", ["a\nb\n", "c\nd\n"], { text: "b\nc\nd", note: rest("Lines 2-4 of 4", "8 bytes") }],
  ["no newline at the end", ["a\nb\nc\nd"], { text: "b\nc\nd", note: rest("Lines 2-4 of 4", "7 bytes") }],
  ["too many bytes", ["1234567890\n1234567890\n"], { text: "1234567890", note: rest("Lines 2-2 of 2", "22 bytes") }],
  [
    "one line that is too long",
    ["a\n", "x".repeat(200), "the very end"],
    { text: "xxxxxxxxthe very end", note: rest("The end of line 2 of 2", "214 bytes") },
  ],
  ["a line end that came in two pieces", ["a\r", "\nb\r", "\n"], { text: "a\nb" }],
  [
    "lines that were drawn anew",
    ["1%\r", "2%\r", "3%\r", "4%"],
    { text: "2%\n3%\n4%", note: rest("Lines 2-4 of 4", "11 bytes") },
  ],
  [
    "a character that came in two pieces",
    [Buffer.from("🐢").subarray(0, 2), Buffer.from("🐢").subarray(2)],
    { text: "🐢" },
  ],
  ["a colour that came in two pieces", ["\u001b[3", "1mred\u001b[", "0m"], { text: "red" }],
  [
    "more than is ever kept",
    [...Array(100).keys()].map((n) => `${n}\n`),
    { text: "97\n98\n99", note: rest("Lines 98-100 of 100", "290 bytes") },
  ],
];
for (const [what, chunks, expected] of rows) test(what, () => expect(tailOf(...chunks)).toEqual(expected));

/** A terminal shows nothing of these, and they are kept as bytes all the same. */
const unseen = (bytes: number) => "\u0007".repeat(bytes);

test("four times the bytes that are shown are kept, and not one piece more", () => {
  expect(tailOf("first\n", unseen(75), "last\n")).toEqual({
    text: "last",
    note: rest("Lines 2-2 of 2", "86 bytes"),
  });
  expect(tailOf("first\n", unseen(74), "last\n")).toEqual({ text: "first\nlast" });
});
