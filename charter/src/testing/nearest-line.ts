import { lineEnd } from "../prompt/character.ts";

/** The line of a text that is most like the words, by the letters that stand beside each other; none that is hardly like them. */
export function nearestLine(text: string, words: string): string | undefined {
  const wanted = pairsOf(words);
  let nearest: string | undefined;
  let most = 0.35;
  for (const line of text.split(lineEnd)) {
    const likeness = likenessOf(pairsOf(line), wanted);
    if (likeness <= most) continue;
    most = likeness;
    nearest = line.trim();
  }
  return nearest;
}

/** Of any two letters beside each other, which there are; case and white space do not count. */
function pairsOf(words: string): ReadonlySet<string> {
  const letters = [...words.slice(0, 1000).toLowerCase().replace(/\s+/g, "")];
  return new Set(letters.map((letter, index) => letter + (letters[index + 1] ?? "")));
}

/** From 0, nothing in common, to 1, the same pairs. */
function likenessOf(some: ReadonlySet<string>, others: ReadonlySet<string>): number {
  if (some.size + others.size === 0) return 0;
  let common = 0;
  for (const pair of some) if (others.has(pair)) common++;
  return (2 * common) / (some.size + others.size);
}
