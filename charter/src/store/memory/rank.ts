import { countStems } from "./read-stems.ts";
import type { SearchTerm } from "./search-query.ts";

/** Notes that have something of what is looked for, newest first. */
export type Candidates = {
  /** A line for each: its number and its stems, separated by spaces. */
  readonly lines: readonly string[];
  /** The words of each by its number, where a search has a phrase. */
  readonly words?: ReadonlyMap<number, readonly string[]>;
};

/** `direct`: how many of the terms it has itself, and not only words that are like them. */
type RankedNote = { readonly number: number; readonly direct: number; readonly score: number };

/** Words a note may have, with what each is worth. */
type Forms = ReadonlyMap<string, number>;

type Ranking = {
  readonly wanted: readonly SearchTerm[];
  readonly unwanted: readonly SearchTerm[];
  /** How many notes the scope has. */
  readonly total: number;
  /** Words like a term's, for terms that no note has. */
  readonly near?: ReadonlyMap<SearchTerm, Forms>;
};

/**
 * What each note is worth, newest first: BM25 over a scope's own notes. It is reckoned here and not by a database, so
 * that every home gives the same order. `missed`: the terms that no note has.
 */
export function rankNotes(
  candidates: Candidates,
  { wanted, unwanted, total, near = new Map() }: Ranking,
): { readonly notes: readonly RankedNote[]; readonly missed: readonly SearchTerm[] } {
  const stems = new Map<string, number>();
  const places = (forms: Forms | undefined) =>
    [...(forms ?? [])].map(([form, weight]) => {
      const place = stems.get(form) ?? stems.size;
      stems.set(form, place);
      return { place, weight };
    });
  const finders = wanted.map((term) => ({ ...term, own: places(term.forms), like: places(near.get(term)) }));
  const barred = unwanted.map((term) => ({ ...term, own: places(term.forms) }));
  const found: { readonly number: number; readonly length: number; readonly direct: number }[] = [];
  // Of each note found, in its order, a weight and a count for each term.
  const [weights, counted]: [number[], number[]] = [[], []];
  const having = wanted.map(() => 0);
  const missed = new Set(wanted);
  const onNote = (number: number, length: number, counts: Uint32Array) => {
    const words = candidates.words?.get(number) ?? [];
    if (
      barred.some(({ phrase, own }) => (phrase ? timesIn(words, phrase) > 0 : own.some(({ place }) => counts[place])))
    )
      return;
    let direct = 0;
    for (const [at, { phrase, own, like }] of finders.entries()) {
      const times = phrase ? timesIn(words, phrase) : 0;
      const itself = phrase ? { weight: 1, count: times } : bestOf(own, counts);
      const hit = itself.count > 0 ? itself : bestOf(like, counts);
      if (itself.count > 0) {
        direct++;
        missed.delete(wanted[at] as SearchTerm);
      }
      if (hit.count > 0) having[at] = (having[at] as number) + 1;
      weights.push(hit.weight);
      counted.push(hit.count);
    }
    found.push({ number, length, direct });
  };
  for (const block of candidates.lines) countStems(block, [...stems.keys()], onNote);
  const rarity = having.map((count) => Math.log(1 + (total - count + 0.5) / (count + 0.5)));
  const notes = found.map(({ number, length, direct }, note): RankedNote => {
    let score = 0;
    for (let at = 0; at < rarity.length; at++) {
      const place = note * rarity.length + at;
      score += (rarity[at] as number) * worth(weights[place] as number, counted[place] as number, length);
    }
    return { number, direct, score };
  });
  return { notes: notes.filter(({ score }) => score > 0), missed: [...missed] };
}

/** The numbers of notes; of equals the newest first, as they come. */
export function bestFirst(notes: readonly RankedNote[]): number[] {
  return notes.toSorted((one, other) => other.score - one.score).map(({ number }) => number);
}

/** The usual settings of BM25, for notes of about fifteen words: a longer one says a word more easily. */
function worth(weight: number, count: number, length: number): number {
  return count === 0 ? 0 : (weight * count * 2.2) / (count + 1.2 * (0.6 + (0.4 * length) / 15));
}

type Hit = { readonly weight: number; readonly count: number };
type Place = { readonly place: number; readonly weight: number };

const none: Hit = { weight: 0, count: 0 };

function bestOf(places: readonly Place[], counts: Uint32Array): Hit {
  let best = none;
  for (const { place, weight } of places) {
    const count = counts[place] as number;
    if (count > 0 && weight > best.weight) best = { weight, count };
  }
  return best;
}

function timesIn(words: readonly string[], phrase: readonly string[]): number {
  return words.filter((_, at) => phrase.every((word, next) => words[at + next] === word)).length;
}
