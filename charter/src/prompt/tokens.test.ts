import { get_encoding } from "tiktoken";
import { expect, test } from "vitest";
import { loadTokenizer } from "../delivery/tokenizer.ts";
import { countPieces, createPiece } from "./tokens.ts";

const tokenizer = await loadTokenizer("o200k_base");
const oracle = get_encoding("o200k_base");
const exactly = (text: string) => oracle.encode(text, [], []).length;

const rows: [what: string, pieces: string[]][] = [
  ["safe cuts", ["## A\n", "words here\n", "more\n\n", "end"]],
  ["a piece that starts with a slash", ["See.\n", "/usr/bin\n", "//x"]],
  ["a piece that starts with a blank line", ["a.\n", "\n\nb\n", " \n c"]],
  ["pieces that end without a newline", ["Available tools: ", "read", ", ", "write"]],
  ["white space at the very end", ["a\n", "   "]],
  ["special tokens are words", ["<|endoftext|>\n", "<|im_start|>system\n"]],
  ["emoji, CJK, digits", ["日本語です。\n", "👩‍🚀 12345\n", "١٢٣"]],
];
for (const [what, texts] of rows)
  test(`tokens add up to those of the joined text, ${what}`, () => {
    const shares: number[] = [];
    const total = countPieces(
      texts.map((text) => createPiece(text, "")),
      tokenizer,
      (share) => shares.push(share),
    );
    expect(total).toBe(exactly(texts.join("")));
    expect(shares.length).toBe(texts.length);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBe(total);
  });

test("what was counted once is not counted again", () => {
  let counted = 0;
  const count = (text: string) => {
    counted++;
    return text.length;
  };
  const counting = { name: "letters", exact: true, count };
  const pieces = ["one\n", "two\n", "three\n"].map((text) => createPiece(text, ""));
  expect([countPieces(pieces, counting), countPieces(pieces.toReversed(), counting)]).toEqual([14, 14]);
  expect(counted).toBe(3);
});
