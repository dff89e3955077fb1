import { badArgument } from "./argument.ts";
import type { mutabilityName } from "./mutability.ts";
import type { Trust } from "./part.ts";
import type { Stability } from "./section.ts";

/** A stretch of a prompt's text, and who wrote it. Offsets are JavaScript string indices. */
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

/** A section as it stands in a prompt, the separator after it included: its last `gap` characters. */
export type SectionSpan = {
  readonly name: string;
  readonly layer: string;
  readonly mutability: ReturnType<typeof mutabilityName>;
  readonly stability: Stability;
  readonly trust: Trust;
  readonly start: number;
  readonly end: number;
  readonly gap: number;
  readonly source: string;
  readonly revision: number | null;
};

/** Somewhere the words stand in a prompt, and every span that wrote a part of them. */
export type Occurrence = { readonly start: number; readonly end: number; readonly spans: readonly Span[] };

/** Who wrote these words? An answer for every place they stand in, also where they overlap. */
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
