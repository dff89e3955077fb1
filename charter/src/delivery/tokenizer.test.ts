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

  test(`${name}: letters without end do not hold up everyone else; a part may be a token more`, async () => {
    const { count } = await loadTokenizer(name);
    for (const kind of kinds) {
      const text = `Look: ${kind.repeat(100_000)} (all of it)`;
      const few = exactly(`Look: ${kind.repeat(1000)} (all of it)`);
      expect(count(text)).toBeGreaterThan(few);
      const parts = Math.ceil(text.length / 500);
      expect(Math.abs(count(`Look: ${kind.repeat(1000)} (all of it)`) - few)).toBeLessThanOrEqual(4);
      expect(count(text)).toBeLessThanOrEqual(parts * exactly(kind.repeat(500)) + 20);
    }
  });
}
