import { Problem } from "../prompt/problem.ts";
import type { Tokenizer } from "../prompt/tokens.ts";
import type { Receiver } from "./receiver.ts";
import { loadTokenizer } from "./tokenizer.ts";

const loaded = new Map<string, Promise<Tokenizer>>();

/**
 * The tokenizer that a receiver names; where its package is not installed, the estimate. Every count says by which of them
 * it was made, and whether it is exact: it is so only where the tokenizer is the receiver's own.
 */
export function loadReceiverTokenizer({ name, exact }: Receiver["tokenizer"]): Promise<Tokenizer> {
  const key = `${name} ${exact}`;
  const known = loaded.get(key) ?? load(name).then((one) => (one.exact && !exact ? { ...one, exact } : one));
  loaded.set(key, known);
  // A package that is missing today may be there tomorrow.
  known.catch(() => loaded.delete(key));
  return known;
}

async function load(name: string): Promise<Tokenizer> {
  try {
    return await loadTokenizer(name);
  } catch (error) {
    if (error instanceof Problem && error.code === "package-missing") return loadTokenizer("estimate");
    throw error;
  }
}
