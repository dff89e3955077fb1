/** So much of their trigrams two words share that are taken for each other. */
const alike = 0.45;

/** So many words are taken for one that no note has. */
const most = 8;

/**
 * Words of a vocabulary that are like one that is not in it, with what they are worth: misspelt by a letter or two, or
 * one within the other, as in German compounds.
 */
export function similarWords(word: string, vocabulary: ReadonlySet<string>): ReadonlyMap<string, number> {
  const parts = trigramsOf(word);
  const found: [string, number][] = [];
  for (const other of vocabulary) {
    const worth = Math.max(within(word, other), shared(parts, word, other));
    if (worth > 0) found.push([other, worth]);
  }
  const best = found.sort(([one, first], [other, second]) => second - first || (one < other ? -1 : 1));
  return new Map(best.slice(0, most));
}

function within(word: string, other: string): number {
  const [short, long] = word.length < other.length ? [word, other] : [other, word];
  if (short.length < 4 || !long.includes(short)) return 0;
  return 0.3 + (0.4 * short.length) / long.length;
}

function shared(parts: ReadonlySet<string>, word: string, other: string): number {
  if (word.length < 3 || other.length < 3 || Math.abs(word.length - other.length) > 4) return 0;
  const others = trigramsOf(other);
  let same = 0;
  for (const part of others) if (parts.has(part)) same++;
  const dice = (2 * same) / (parts.size + others.size);
  return dice < alike ? 0 : 0.8 * dice;
}

function trigramsOf(word: string): ReadonlySet<string> {
  const letters = [..." ", ...` ${word} `];
  return new Set(letters.slice(2).map((letter, at) => `${letters[at]}${letters[at + 1]}${letter}`));
}
