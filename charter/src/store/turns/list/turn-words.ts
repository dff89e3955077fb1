import type { Scope } from "../../../amend/amendment.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { Database } from "../../home/database.ts";
import { wordsOf } from "../../texts/words.ts";

/** Longer words are found by their beginning: an index takes no endless ones. */
const longestWord = 100;

/** So many different words of a turn are kept: a home takes no endless row. The first ones, input before reply. */
const mostWords = 20_000;

/** The words of texts as they are compared, each once. */
function differentWords(texts: readonly (string | null)[]): string[] {
  const words = new Set<string>();
  for (const text of texts)
    for (const { folded } of text === null ? [] : wordsOf(text)) {
      if (words.size === mostWords) return [...words];
      words.add(shortened(folded));
    }
  return [...words];
}

function shortened(word: string): string {
  return word.length <= longestWord ? word : [...word].slice(0, longestWord / 2).join("");
}

/** What a search is for. One without a letter or a digit in it can find nothing. */
export function searchedWords(query: string): string[] {
  const words = differentWords([query]);
  if (words.length > 0) return words.slice(0, 64);
  throw new Problem(
    "usage",
    `There is no word in “${query}” to look for.`,
    "Give one or more words, or beginnings of words.",
  );
}

type FoundTurn = {
  readonly id: string;
  readonly scope: Scope;
  readonly input: string;
  readonly reply: string | null;
};

/** Within a transaction: from now on the turn is found by these words, and by no others. */
export async function keepTurnWords(db: Database, turn: FoundTurn, isNew: boolean): Promise<void> {
  const { id, scope, input, reply } = turn;
  const words = differentWords([input, reply]);
  for (const query of db.dialect.keepWords({ id, scope, words, isNew })) await db.run(query);
}
