import type { Block } from "../document.ts";
import { type Stretch, wordAt } from "./word.ts";

/** A word by its section and its place in it: the section may move as the prompt changes. */
export type PlacedWord = { readonly section: string; readonly from: number; readonly words: string };

type Section = Pick<Block, "name" | "start" | "end">;

/** A word as the address names it. */
export function inAddress({ section, from }: Pick<PlacedWord, "section" | "from">): string {
  return `${section}:${from}`;
}

/** The word that an address names, as far as there is one: a section's name may hold colons of its own. */
export function wordIn(named: string, text: string, sections: readonly Section[]): Stretch | undefined {
  const [, name, from] = /^(.*):(\d{1,9})$/s.exec(named) ?? [];
  const section = sections.find((one) => one.name === name);
  const at = section ? section.start + Number(from) : Number.NaN;
  return section && at < section.end ? wordAt(text, at) : undefined;
}

/** Where it stands now; nothing where other words stand there. */
export function stretchOf(
  { section, from, words }: PlacedWord,
  text: string,
  sections: readonly Section[],
): Stretch | undefined {
  const placed = sections.find(({ name }) => name === section);
  if (!placed) return undefined;
  const start = placed.start + from;
  return text.startsWith(words, start) && start < placed.end ? { start, end: start + words.length } : undefined;
}
