import { expect, test } from "vitest";
import { type CountFacts, countWords } from "./cache-break.ts";

const estimated = { name: "o200k_base", exact: false };
const exact = { name: "o200k_base", exact: true };
const own = "the provider writes tools and the wrapping of messages in a way of its own, which only it can count";

const rows: [name: string, facts: Partial<CountFacts>, says: string | null][] = [
  [
    "an estimate beside the bill",
    { tokenizer: estimated, billed: 1188 },
    `Counted here: 1,012 tokens (estimated with o200k_base). Billed: 1,188. They differ because o200k_base is not this model’s own tokenizer; and because ${own}.`,
  ],
  [
    "an exact count beside the bill",
    { tokenizer: exact, billed: 1030 },
    `Counted here: 1,012 tokens (exact, o200k_base). Billed: 1,030. They differ because ${own}.`,
  ],
  [
    "a picture among it",
    { tokenizer: exact, billed: 1030, files: true },
    `Counted here: 1,012 tokens (exact, o200k_base). Billed: 1,030. They differ because the tokens of pictures and files are estimated; and because ${own}.`,
  ],
  [
    "the same number",
    { tokenizer: exact, billed: 1012 },
    "Counted here: 1,012 tokens (exact, o200k_base). The provider billed the same number.",
  ],
  [
    "no bill",
    { tokenizer: estimated, counted: 1 },
    "Counted here: 1 token (estimated with o200k_base). The provider has not counted this request.",
  ],
  ["no count", { counted: null, billed: 1 }, "Billed: 1 token."],
  ["neither", { counted: null }, null],
];
for (const [name, facts, says] of rows)
  test(`${name} says why the numbers differ, where they do`, () =>
    expect(countWords({ counted: 1012, tokenizer: exact, billed: null, files: false, ...facts })).toBe(says));
