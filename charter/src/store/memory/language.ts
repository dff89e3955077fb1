import type { Word } from "../texts/words.ts";
import { type Language, stopWords } from "./stop-words.ts";

const latin: readonly Language[] = [
  "english",
  "german",
  "french",
  "spanish",
  "portuguese",
  "italian",
  "dutch",
  "swedish",
  "danish",
  "norwegian",
  "finnish",
  "hungarian",
  "romanian",
  "turkish",
];

const byScript: readonly (readonly [RegExp, readonly Language[]])[] = [
  [/\p{Script=Latin}/u, latin],
  [/\p{Script=Cyrillic}/u, ["russian"]],
  [/\p{Script=Greek}/u, ["greek"]],
  [/\p{Script=Arabic}/u, ["arabic"]],
];

/** The languages a word's letters can be of, among those we know. */
export function languagesOfScript(word: string): readonly Language[] {
  return byScript.find(([script]) => script.test(word))?.[1] ?? [];
}

/**
 * The languages a text is most likely in, by its commonest words: all that share the first place. One with none of them
 * says nothing, and may be in any.
 */
export function likelyLanguages(words: readonly Word[]): readonly Language[] {
  let best: Language[] = [];
  let most = 0;
  for (const [language, common] of stopWords) {
    const count = words.reduce((sum, { folded }) => sum + (common.has(folded) ? 1 : 0), 0);
    if (count > most) [best, most] = [[language], count];
    else if (count === most && count > 0) best.push(language);
  }
  return most === 0 ? [...stopWords.keys()] : best;
}
