import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { excerpt } from "./context-files.ts";

describe("a text in at most so many bytes", () => {
  test("one that fits is whole", () => {
    expect(excerpt("one\ntwo\n", 8, 0)).toEqual({ text: "one\ntwo\n", missing: 0 });
  });

  test("a longer one ends with a line, and says what is missing", () => {
    const text = Array.from({ length: 40 }, (_, index) => `line ${index}`).join("\n");
    expect(excerpt(text, 200, 1000)).toEqual({
      text: `${Array.from({ length: 19 }, (_, index) => `line ${index}`).join("\n")}

(cut here: 1,168 more bytes; read the file for the rest)`,
      missing: 1168,
    });
  });

  test("one line without an end is cut after a character", () => {
    expect(excerpt("é".repeat(100), 100, 0)).toEqual({
      text: `${"é".repeat(22)}\n\n(cut here: 156 more bytes; read the file for the rest)`,
      missing: 156,
    });
  });

  test("whatever it holds: within the bound, whole characters, and what is missing is counted", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 400 }).map((text) => text.toWellFormed()),
        fc.integer({ min: 80, max: 300 }),
        fc.integer({ min: 0, max: 1e9 }),
        (text, most, more) => {
          const cut = excerpt(text, most, more);
          expect(Buffer.byteLength(cut.text)).toBeLessThanOrEqual(most);
          expect(cut.text.isWellFormed()).toBe(true);
          if (cut.missing === 0) expect(cut.text).toBe(text);
          else {
            const kept = cut.text.slice(0, cut.text.lastIndexOf("\n\n(cut here: "));
            expect(text.startsWith(kept)).toBe(true);
            expect(Buffer.byteLength(kept) + cut.missing).toBe(Buffer.byteLength(text) + more);
          }
        },
      ),
    );
  });
});
