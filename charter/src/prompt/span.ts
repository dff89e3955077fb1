import { badArgument } from "./argument.ts";
import type { Trust } from "./part.ts";
import type { Stability } from "./section.ts";

/** A range of a prompt's text and who wrote it. Offsets are JavaScript string indices. */
export type Span = {
  readonly start: number;
  readonly end: number;
  readonly section: string;
  readonly layer: string;
  readonly source: string;
  readonly revision: number | null;
  readonly trust: Trust;
  /** The part's id, where it has one. */
  readonly part?: string;
};

/**
 * A section in a prompt: where it is and what it is. Its range includes the separator after it, which has `gap`
 * characters.
 */
export type SectionSpan = {
  readonly name: string;
  readonly layer: string;
  readonly mutability: "fixed" | "live" | "amendable";
  readonly stability: Stability;
  readonly trust: Trust;
  readonly start: number;
  readonly end: number;
  readonly gap: number;
  readonly source: string;
  readonly revision: number | null;
};

/** A place in a prompt where a text was found, with every span that wrote a part of it. */
export type Occurrence = { readonly start: number; readonly end: number; readonly spans: readonly Span[] };

/**
 * Finds a text in a prompt and says who wrote it: section, source, revision and trust, for every place it occurs in.
 */
export function why(prompt: { readonly text: string; readonly spans: readonly Span[] }, words: string): Occurrence[] {
  const found: Occurrence[] = [];
  if (typeof prompt?.text !== "string" || typeof words !== "string")
    throw badArgument(
      "why was given no prompt, or no words.",
      "Give why(prompt, words): what assemble made, and a piece of its text.",
    );
  if (words === "") return found;
  let first = 0;
  for (let start = prompt.text.indexOf(words); start !== -1; start = prompt.text.indexOf(words, start + 1)) {
    const end = start + words.length;
    while ((prompt.spans[first] as Span).end <= start) first++;
    let last = first;
    while (last < prompt.spans.length && (prompt.spans[last] as Span).start < end) last++;
    found.push({ start, end, spans: prompt.spans.slice(first, last) });
  }
  return found;
}
