import { allSections, type Charter, sectionMutability } from "../../prompt/charter.ts";
import type { Section } from "../../prompt/section.ts";
import { GAP, splitWords, type Word } from "./normalise.ts";

/** Words that name sections or layers: how many they are, and the places of the first and the last section they mean. */
export type Reference = {
  readonly length: number;
  readonly first: number;
  readonly last: number;
  readonly plain: boolean;
};

/**
 * The sections above the one that is being changed, and the names they may be called by. Made by `higherThan`, for
 * `findOverride`.
 *
 * @opaque
 */
export type HigherSections = {
  /** The sections and layers that the words from this place on name, whichever they are. */
  readonly references: (words: readonly Word[], at: number) => readonly Reference[];
  readonly isHigher: (reference: Reference) => boolean;
};

type Name = { readonly words: readonly string[]; readonly first: number; readonly last: number };

const kinds = new Set("layer layers level levels tier tiers".split(" "));
const sectionWords = new Set(
  "section sections part parts block blocks heading headings chapter rule rules guideline guidelines instruction instructions principle principles policy policies text words paragraph clause clauses constraint constraints requirement requirements law laws directive directives".split(
    " ",
  ),
);
const ordinals = new Map(
  "first 1 second 2 third 3 fourth 4 fifth 5 sixth 6 1st 1 2nd 2 3rd 3 4th 4 5th 5"
    .split(" ")
    .flatMap((word, index, all) => (index % 2 === 0 ? [[word, Number(all[index + 1])] as const] : [])),
);
const numbers = new Map(
  "zero one two three four five six seven eight nine ten".split(" ").map((word, number) => [word, number] as const),
);
const joins = new Set(["to", "through", "and", "until", "thru", "or", "up"]);

/** Lists the sections above one section, with their names and numbers, for `findOverride`. */
export function higherThan(charter: Charter, section: Section): HigherSections {
  const all = allSections(charter);
  const own = all.findIndex((placed) => placed.section.name === section.name);
  const names = new Map<string, Name[]>();
  const enter = (text: string, first: number, last: number): void => {
    const words = Array.from(splitWords(text), ({ plain }) => plain);
    const lead = words[0];
    if (lead === undefined || words.every((word) => /^\d+$/u.test(word) || kinds.has(word))) return;
    names.set(lead, [...(names.get(lead) ?? []), { words, first, last }]);
  };
  // What is generated per turn gives facts, not orders: nobody overrides the time of day.
  const live = new Set<number>();
  for (const [place, placed] of all.entries()) {
    if (sectionMutability(placed.section, placed.layer) === "live") live.add(place);
    for (const text of new Set([spaced(placed.section.name), ...titles(placed.section.heading ?? "")]))
      enter(text, place, place);
  }
  const layers = charter.layers.map(({ name, sections, fallback = [] }) => {
    const places = [...sections, ...fallback].map(({ name }) =>
      all.findIndex((placed) => placed.section.name === name),
    );
    return { name, first: Math.min(...places), last: Math.max(...places) };
  });
  for (const { name, first, last } of layers) enter(spaced(name), first, last);
  const numbered = layers.some(({ name }) => /^\d+$/u.test(name));
  const layerAt = (number: number) =>
    numbered ? layers.find(({ name }) => Number(name) === number) : layers[number - 1];
  const leads = new Set([...kinds, ...ordinals.keys(), ...[...names.keys()].flatMap((lead) => [lead, `${lead}s`])]);
  return {
    references: (words, at) =>
      leads.has(words[at]?.plain ?? "")
        ? [...namesAt(names, words, at), ...layersAt(words, at, layerAt), ...countedAt(words, at, all.length, layers)]
        : none,
    isHigher: ({ first }) => first < own && !live.has(first),
  };
}

const spaced = (name: string): string => name.replace(/[-_./]/gu, " ").replace(/([a-z])([A-Z])/gu, "$1 $2");

/** What a heading may be called: "## Layer 1: Constitution — Safety" is "Layer 1", "Constitution" and "Safety" too. */
function titles(heading: string): string[] {
  const bare = heading.replace(/<[/?!]?|\/?>|[#*_[\]=]/gu, " ").trim();
  const pieces = [bare, ...bare.split(/[:—–|/()]| - /u)].filter((title) => title.trim() !== "").map(spaced);
  return pieces.flatMap((title) => (title.includes("&") ? [title, title.replaceAll("&", " and ")] : [title]));
}

function namesAt(names: ReadonlyMap<string, readonly Name[]>, words: readonly Word[], at: number): Reference[] {
  const word = words[at]?.plain ?? "";
  const found = [...(names.get(word) ?? []), ...(word.endsWith("s") ? (names.get(word.slice(0, -1)) ?? []) : [])];
  if (found.length === 0) return [];
  return found.flatMap((name): Reference[] => {
    if (!name.words.every((part, number) => number === 0 || follows(words[at + number], part))) return [];
    const { length } = name.words;
    const next = words[at + length];
    const told =
      next !== undefined && (next.gap & crossing) === 0 && (sectionWords.has(next.plain) || kinds.has(next.plain));
    const before = words[at - 1];
    const called =
      before !== undefined &&
      ((words[at]?.gap ?? 0) & crossing) === 0 &&
      (kinds.has(before.plain) || before.plain === "section");
    return [
      { length: told ? length + 1 : length, first: name.first, last: name.last, plain: !told && !called && length < 2 },
    ];
  });
}

/** “Layer 1”, “layers 0-5”, “layers 0, 1 and 2”. */
function layersAt(
  words: readonly Word[],
  at: number,
  layerAt: (number: number) => { readonly first: number; readonly last: number } | undefined,
): Reference[] {
  if (!kinds.has(words[at]?.plain ?? "")) return [];
  let length = 1;
  const places: { readonly first: number; readonly last: number }[] = [];
  for (let next = at + 1; next < at + 14; next += 1) {
    const word = words[next];
    if (word === undefined || (word.gap & (GAP.stop | GAP.item)) !== 0) break;
    const number = /^\d{1,3}$/u.test(word.plain) ? Number(word.plain) : numbers.get(word.plain);
    if (number === undefined) {
      if (places.length > 0 && joins.has(word.plain)) continue;
      break;
    }
    length = next - at + 1;
    const layer = layerAt(number);
    if (layer !== undefined) places.push(layer);
  }
  if (places.length === 0) return [];
  const first = Math.min(...places.map((place) => place.first));
  return [{ length, first, last: Math.max(...places.map((place) => place.last)), plain: false }];
}

/** “The first layer”, “the first three sections”. */
function countedAt(
  words: readonly Word[],
  at: number,
  sections: number,
  layers: readonly { readonly first: number; readonly last: number }[],
): Reference[] {
  const ordinal = ordinals.get(words[at]?.plain ?? "");
  if (ordinal === undefined) return [];
  const second = words[at + 1]?.plain ?? "";
  const count = numbers.get(second) ?? (/^\d$/u.test(second) ? Number(second) : undefined);
  const length = count === undefined ? 2 : 3;
  const noun = words[at + length - 1]?.plain ?? "";
  const last = ordinal - 1 + ((count ?? 1) - 1);
  if (kinds.has(noun)) {
    const [from, to] = [layers[ordinal - 1], layers[last]];
    return from === undefined ? [] : [{ length, first: from.first, last: (to ?? from).last, plain: false }];
  }
  if (!noun.startsWith("section") || ordinal > sections) return [];
  return [{ length, first: ordinal - 1, last, plain: false }];
}

const crossing = GAP.stop | GAP.item | GAP.comma | GAP.colon;

function follows(word: Word | undefined, part: string): boolean {
  return (
    word !== undefined && (word.gap & (GAP.stop | GAP.item)) === 0 && (word.plain === part || word.plain === `${part}s`)
  );
}

const none: readonly Reference[] = [];
