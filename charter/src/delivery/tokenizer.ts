import { Problem } from "../prompt/problem.ts";
import type { Tokenizer } from "../prompt/tokens.ts";

/** The tokenizers we ship; their counts are exact. */
export const tokenizerNames = ["o200k_base", "cl100k_base"] as const;

const asPlainText = { disallowedSpecial: new Set<string>() };

/** Loads a tokenizer. It is large, so it is loaded only when tokens are asked for. */
export async function loadTokenizer(name: string): Promise<Tokenizer> {
  if (name === "o200k_base") {
    const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
    return { name, exact: true, count: (text) => countTokens(text, asPlainText) };
  }
  if (name === "cl100k_base") {
    const { countTokens } = await import("gpt-tokenizer/encoding/cl100k_base");
    return { name, exact: true, count: (text) => countTokens(text, asPlainText) };
  }
  if (name === "estimate") return estimate;
  throw new Problem(
    "unknown-tokenizer",
    `There is no tokenizer “${name}”.`,
    `Use ${tokenizerNames.join(", ")} or estimate.`,
  );
}

/** For receivers whose tokenizer we do not ship: a character in four, and said to be an estimate. */
const estimate: Tokenizer = { name: "estimate", exact: false, count: (text) => Math.ceil(text.length / 4) };
