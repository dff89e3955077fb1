import type { Stretch } from "./word/word.ts";

/** More are counted by nobody. */
export const maxHits = 10_000;

/** Where words stand in the text, whatever their case, in the order the sections are shown in. */
export function hitsOf(text: string, sections: readonly Stretch[], words: string): readonly Stretch[] {
  if (words === "") return [];
  const pattern = new RegExp(words.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
  const hits: Stretch[] = [];
  for (const { start, end } of sections)
    for (const { 0: found, index } of text.slice(start, end).matchAll(pattern)) {
      hits.push({ start: start + index, end: start + index + found.length });
      if (hits.length === maxHits) return hits;
    }
  return hits;
}
