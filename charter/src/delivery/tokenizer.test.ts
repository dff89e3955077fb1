import { get_encoding } from "tiktoken";
import { expect, test } from "vitest";
import { loadTokenizer } from "./tokenizer.ts";

const kinds = ["a", "漢", "𝒜", " ", "\n", "-", "\u0301"];

for (const name of ["o200k_base", "cl100k_base"] as const) {
  const oracle = get_encoding(name);
  const exactly = (text: string) => oracle.encode(text, [], []).length;

  test(`${name}: words as long as words are, among others, are counted as they are`, async () => {
    const { count } = await loadTokenizer(name);
    for (const kind of kinds)
      for (const length of [1, 7, 249, 250, 400]) {
        const text = `See ${kind.repeat(length)} and\n${kind.repeat(length)}, 12345.\n`.repeat(3);
        expect(count(text)).toBe(exactly(text));
      }
  });

  test(`${name}: what Unicode and JavaScript see differently is counted as tiktoken counts it`, async () => {
    const { count } = await loadTokenizer(name);
    for (const sign of ["\u0085", "\ufeff", "I'ſ", "I'S ", "HTTPServer", "\ud800", "<|endoftext|>", "👩‍👩‍👧", "\r\n/"])
      for (const text of [sign, `\n${sign}\n`, ` ${sign} a`, `${sign}${sign}`, `1${sign}/\n`])
        expect([text, count(text)]).toEqual([text, exactly(text)]);
  });

  test(`${name}: no character is left out by the split`, async () => {
    const { count } = await loadTokenizer(name);
    const points = Array.from({ length: 0x11000 / 3 }, (_, at) => 3 * at);
    expect(points.filter((point) => count(String.fromCodePoint(point)) === 0)).toEqual([]);
  });

  test(`${name}: letters without end are counted as they are, and hold nobody up`, async () => {
    const { count } = await loadTokenizer(name);
    for (const kind of kinds) {
      const text = `Look: ${kind.repeat(1_000)} (all of it)`;
      expect(count(text)).toBe(exactly(text));
    }
    expect(count("漢字".repeat(10_000))).toBeGreaterThan(5_000);
  });

  test(`${name}: what cannot be split at once is counted in parts`, async () => {
    const { count } = await loadTokenizer(name);
    expect(Math.abs(count("it ".repeat(400_000)) - count("it ".repeat(200_000)) * 2)).toBeLessThanOrEqual(2);
  });
}
