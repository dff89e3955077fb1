import { expect, test } from "vitest";
import { columns, oneLine } from "./columns.ts";
import { plainLine, plainText, showMarks, textFor, visible } from "./plain-text.ts";

const shown: readonly [what: string, words: string, shown: string][] = [
  ["a line that is turned around", "pay \u202e001 to bo", "pay \\u202e001 to bo"],
  ["what isolates and embeds", "\u2066a\u2069\u202ab\u202c\u061c", "\\u2066a\\u2069\\u202ab\\u202c\\u061c"],
  ["what has no width", "pass\u200bword\ufeff\u2060\u00ad", "pass\\u200bword\\ufeff\\u2060\\u00ad"],
  ["tags, which only a model reads", "Hi\u{e0041}\u{e007f}", "Hi\\u{e0041}\\u{e007f}"],
  ["fillers and selectors", "a\u3164b\ufe00\u{e0100}", "a\\u3164b\\ufe00\\u{e0100}"],
  ["the eight-bit marks that a terminal obeys", "\u009b31m\u009d0;x\u0007\u0085", "\\u009b31m\\u009d0;x\u0007\\u0085"],
];
const kept = [
  ["emoji of several parts", "👩🏽‍💻 👨‍👩‍👧 ❤️ 1️⃣ 🏳️‍🌈"],
  ["Persian and Hindi", "می‌خواهم क्‍ष"],
  ["Hebrew, accents and Chinese", "שלום é e\u0301 漢字"],
  ["a terminal's own colours", "\u001b[31mred\u001b[0m\t\r\n"],
] as const;

test.each(shown)("%s is seen", (_, words, expected) => {
  expect(visible(words)).toBe(expected);
});

test.each(kept)("%s stay as they are", (_, words) => {
  expect(visible(words)).toBe(words);
});

test("it holds wherever others' words are made fit for a terminal", () => {
  const words = "a\u202eb";
  const made = [plainText(words), plainLine(words), oneLine(words), textFor({ isTTY: true }, words)];
  expect(new Set(made)).toEqual(new Set(["a\\u202eb"]));
  expect(columns(["name"], [[words]], {})).toEqual(["name", "a\\u202eb"]);
  expect(textFor({}, words)).toBe(words);
});

test("whatever is written to a terminal shows its marks; a pipe and bytes have what was written", () => {
  const written = (isTTY: boolean, chunk: string | Uint8Array) => {
    const chunks: unknown[] = [];
    const stream = { isTTY, write: (one: unknown) => chunks.push(one) > 0 };
    showMarks(stream);
    stream.write(chunk);
    return chunks;
  };
  expect(written(true, "a\u202eb")).toEqual(["a\\u202eb"]);
  expect(written(false, "a\u202eb")).toEqual(["a\u202eb"]);
  expect(written(true, Buffer.from("\u202e"))).toEqual([Buffer.from("\u202e")]);
});
