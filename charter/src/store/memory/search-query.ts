import { folded, type Word, wordsOf } from "../texts/words.ts";
import { formsOf, isCommon, likelyLanguages } from "./stems.ts";

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
  const terms: (Omit<SearchTerm, "forms"> & { readonly words: readonly Word[] })[] = [];
  for (const [, minus, phrase, word] of query.matchAll(/(-?)(?:"([^"]*)"|([^\s"]+))/g)) {
    const said = phrase ?? word ?? "";
    const text = folded(said).trim();
    if (text === "") continue;
    const not = minus === "-" ? ({ not: true } as const) : {};
    written.push({ text, ...not });
    const words = phrase === undefined ? wordsOf(said) : wordsOf(said).slice(0, most);
    if (phrase !== undefined && words.length > 1)
      terms.push({ text, ...not, phrase: words.map((one) => one.folded), words });
    else for (const one of words) terms.push({ text: one.folded, ...not, words: [one] });
  }
  const different = [
    ...new Map(terms.map((term) => [`${term.not ?? ""}${term.phrase ?? ""} ${term.text}`, term])).values(),
  ];
  const wanted = different.filter(({ not }) => !not);
  const telling = wanted.filter(({ text, phrase }) => phrase !== undefined || !isCommon(text, likely));
  const first = (some: typeof terms): SearchTerm[] =>
    some.slice(0, most).map(({ words, ...term }) => {
      const [only] = words;
      return {
        ...term,
        forms: only && !term.phrase ? formsOf(only, likely) : new Map(term.phrase?.map((one) => [one, 1])),
      };
    });
  return {
    wanted: first(telling.length > 0 ? telling : wanted),
    unwanted: first(different.filter(({ not }) => not)),
    written: written.slice(0, most),
  };
}
