import { folded } from "../texts/fold.ts";
import { wordsOf } from "../texts/words.ts";
import { likelyLanguages } from "./language.ts";
import { formsOf } from "./stems.ts";
import { isCommon } from "./stop-words.ts";

/** A word or a quoted phrase of a search. */
export type SearchTerm = {
  /** As it was written, folded. */
  readonly text: string;
  readonly not?: true;
  /** What a note has that has the word, and how much that is worth; of a phrase, its words in their order. */
  readonly forms: ReadonlyMap<string, number>;
  readonly phrase?: readonly string[];
};

/** More words than this, or words of one phrase, are more than a search is made of: the rest is left out. */
const most = 64;

/** `wanted` words and phrases, those `unwanted`, and all of it as it was `written`. */
export type SearchQuery = {
  readonly wanted: readonly SearchTerm[];
  readonly unwanted: readonly SearchTerm[];
  readonly written: readonly Pick<SearchTerm, "text" | "not">[];
};

/** "quoted words" stay together; -word excludes. Words that say little count only where there are no others. */
export function readQuery(query: string): SearchQuery {
  const likely = likelyLanguages(wordsOf(query));
  const written: Pick<SearchTerm, "text" | "not">[] = [];
  const terms: SearchTerm[] = [];
  for (const [, minus, phrase, word] of query.matchAll(/(-?)(?:"([^"]*)"|([^\s"]+))/g)) {
    const said = phrase ?? word ?? "";
    const text = folded(said).trim();
    if (text === "") continue;
    const not = minus === "-" ? ({ not: true } as const) : {};
    written.push({ text, ...not });
    const words = phrase === undefined ? wordsOf(said) : wordsOf(said).slice(0, most);
    if (phrase !== undefined && words.length > 1) {
      const sequence = words.map((one) => one.folded);
      terms.push({ text, ...not, phrase: sequence, forms: new Map(sequence.map((one) => [one, 1])) });
    } else for (const one of words) terms.push({ text: one.folded, ...not, forms: formsOf(one, likely) });
  }
  const different = [
    ...new Map(terms.map((term) => [`${term.not ?? ""}${term.phrase ?? ""} ${term.text}`, term])).values(),
  ];
  const wanted = different.filter(({ not }) => !not);
  const telling = wanted.filter(({ text, phrase }) => phrase !== undefined || !isCommon(text, likely));
  return {
    wanted: (telling.length > 0 ? telling : wanted).slice(0, most),
    unwanted: different.filter(({ not }) => not).slice(0, most),
    written: written.slice(0, most),
  };
}
