import { countTokens as countCl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { countTokens as countO200k } from "gpt-tokenizer/encoding/o200k_base";
import type { Tokenizer } from "../charter/src/prompt/tokens.ts";

/** `<|endoftext|>` in somebody's words is text like any other. */
const asText = { disallowedSpecial: new Set<string>() };

export const o200k: Tokenizer = { name: "o200k_base", exact: true, count: (text) => countO200k(text, asText) };
export const cl100k: Tokenizer = { name: "cl100k_base", exact: true, count: (text) => countCl100k(text, asText) };
