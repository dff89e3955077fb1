import { type Word, wordsOf } from "../texts/words.ts";
import { languagesOfScript, likelyLanguages } from "./language.ts";
import { stemmers } from "./stemmers.ts";
import type { Language } from "./stop-words.ts";

/** Longer words are told apart by their beginning: an index takes no endless ones. */
const longestWord = 100;

/**
 * What a note is found by, in the order of its words: each as it is written, and its stems. One whose language does not
 * show has the stems of every language its letters can be of.
 */
export function stemsOf(text: string): string {
  const words = wordsOf(text);
  const likely = likelyLanguages(words);
  const known = new Map<string, readonly string[]>();
  const stems = (word: Word) => [...new Set([indexed(word.folded), ...stemmed(word, likely)])];
  for (const word of words) if (!known.has(word.written)) known.set(word.written, stems(word));
  return words.flatMap(({ written }) => known.get(written) as readonly string[]).join(" ");
}

/** The forms of a word that is looked for, with what a note that has one is worth: as it is written, or a stem. */
export function formsOf(word: Word, likely: readonly Language[]): ReadonlyMap<string, number> {
  const forms = new Map([[indexed(word.folded), 1]]);
  for (const stem of stemmed(word, likely)) if (!forms.has(stem)) forms.set(stem, 0.9);
  for (const stem of stemmed(word, languagesOfScript(word.folded))) if (!forms.has(stem)) forms.set(stem, 0.6);
  return forms;
}

function stemmed(word: Word, likely: readonly Language[]): string[] {
  if (word.written.length > longestWord || /\d/.test(word.folded)) return [];
  const possible = languagesOfScript(word.folded);
  const both = possible.filter((language) => likely.includes(language));
  // A name in another script than the rest: the first language of that script has to do.
  return (both.length > 0 ? both : possible.slice(0, 1)).map((language) => stemIn(language, word));
}

function stemIn(language: Language, { written, folded: plain }: Word): string {
  const [stem] = wordsOf(stemmers[language](written));
  return indexed(stem?.folded ?? plain);
}

function indexed(word: string): string {
  return word.length <= longestWord ? word : [...word].slice(0, longestWord / 2).join("");
}
