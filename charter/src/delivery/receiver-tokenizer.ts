import { Problem } from "../prompt/problem.ts";
import type { Tokenizer } from "../prompt/tokens.ts";
import { loadTokenizer } from "./tokenizer.ts";

/**
 * The tokenizer that a receiver names; where its package is not installed, the estimate. Every count says by which of them
 * it was made, and whether it is exact.
 */
export async function loadReceiverTokenizer(name: string): Promise<Tokenizer> {
  try {
    return await loadTokenizer(name);
  } catch (error) {
    if (error instanceof Problem && error.code === "package-missing") return loadTokenizer("estimate");
    throw error;
  }
}
