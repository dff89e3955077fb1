import { loadPackage } from "../packages/load-package.ts";
import { Problem } from "../prompt/problem.ts";
import type { Tokenizer } from "../prompt/tokens.ts";

/** The tokenizers whose counts are exact. They need the package gpt-tokenizer. */
export const tokenizerNames = ["o200k_base", "cl100k_base"] as const;

const asPlainText = { disallowedSpecial: new Set<string>() };

type ExactName = (typeof tokenizerNames)[number];

/** Loads the data of an exact tokenizer; from the package gpt-tokenizer, unless a program brings its own. */
export type LoadEncoding = (
  name: ExactName,
) => Promise<{ readonly countTokens: (text: string, options: typeof asPlainText) => number }>;

const fromPackage: LoadEncoding = (name) =>
  loadPackage(`gpt-tokenizer/encoding/${name}`, {
    purpose: `The tokenizer “${name}”`,
    otherwise: "Or count with the tokenizer “estimate”.",
  });

/**
 * Loads a tokenizer by name, or `estimate` (a token for every four characters). It is large, so it is loaded only when
 * called.
 */
export function loadTokenizer(name: string): Promise<Tokenizer> {
  return loadTokenizerWith(name, fromPackage);
}

/** Loads a tokenizer without packages, with a function of your own that loads its data: for pages in a browser. */
export async function loadTokenizerWith(name: string, loadEncoding: LoadEncoding): Promise<Tokenizer> {
  if (name === "estimate") return estimate;
  const exact = tokenizerNames.find((one) => one === name);
  if (exact !== undefined) {
    const { countTokens } = await loadEncoding(exact);
    return { name, exact: true, count: byPieces((text) => countTokens(text, asPlainText)) };
  }
  throw new Problem(
    "unknown-tokenizer",
    `There is no tokenizer “${name}”.`,
    `Use ${tokenizerNames.join(", ")} or estimate.`,
  );
}

/** For receivers whose tokenizer we do not ship: a character in four, and said to be an estimate. */
const estimate: Tokenizer = { name: "estimate", exact: false, count: (text) => Math.ceil(text.length / 4) };

/**
 * Every run of letters, of signs or of white space is one piece to a tokenizer, and takes it time with the square of its
 * length: fifty thousand letters without a space, half a minute in which nobody else is served. No such run is language,
 * so it is counted in parts; that may be a token more for each.
 */
const longestRun = 500;
const runs = /[\p{L}\p{M}]+|\s*[\r\n]+|\s+|\p{N}+|[^\s\p{L}\p{N}]+/gu;
const oneRun = /^(?:[\p{L}\p{M}]+|\s+|[^\s\p{L}\p{N}]+)$/u;

function byPieces(count: (text: string) => number): (text: string) => number {
  return (text) => {
    if (!mayHoldLongRun(text)) return count(text);
    let [total, start] = [0, 0];
    for (const { 0: run, index } of text.matchAll(runs))
      for (let end = index + longestRun; end < index + run.length; end += longestRun) {
        if (isLowSurrogate(text, end)) end++;
        total += count(text.slice(start, end));
        start = end;
      }
    return total + count(text.slice(start));
  };
}

/** A long run fills one of these stretches at least: other texts are hardly looked at. */
function mayHoldLongRun(text: string): boolean {
  const stretch = longestRun / 2;
  const whole = (at: number) => (isLowSurrogate(text, at) ? at + 1 : at);
  for (let at = 0; at + stretch <= text.length; at += stretch)
    if (oneRun.test(text.slice(whole(at), whole(at + stretch)))) return true;
  return false;
}

function isLowSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit < 0xe000;
}
