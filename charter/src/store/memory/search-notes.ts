import type { Scope } from "../../amend/amendment.ts";
import type { Database } from "../home/database.ts";
import { countRows, ownRows } from "../home/query.ts";
import { joinQueries, type Query, sql } from "../home/sql.ts";
import { wordsOf } from "../texts/text.ts";
import type { SearchQuery, SearchTerm } from "./stems.ts";

/** How notes were found: by all words, by some of them, as part of a word, or by words like them. */
export type FoundBy = "all-words" | "any-word" | "substring" | "similar";

/** The numbers of notes, best first. */
type SearchOutcome = { readonly numbers: readonly number[]; readonly by: FoundBy };

/** Of more notes than this, with a word that nearly all of them have, the newest are ranked. */
const mostCandidates = 20_000;
/** Misspelt words are looked for among the words of so many notes, the newest. */
const mostRead = 5000;
/** So many notes a home puts into one text: a text has an end. */
const block = 4000;

/** All notes that are found in a scope, in their order: the same on every home. */
export async function searchNotes(db: Database, scope: Scope, query: SearchQuery): Promise<SearchOutcome> {
  const { wanted, unwanted } = query;
  if (wanted.length === 0) return { numbers: await holding(db, scope, query), by: "substring" };
  const total = await countRows(db, "memories", ownRows(scope));
  const direct = await candidatesFor(db, scope, query, formsIn(wanted));
  const { notes, missed } = rankNotes(direct, { wanted, unwanted, total });
  const all = notes.filter((note) => note.direct === wanted.length);
  if (all.length > 0) return { numbers: bestFirst(all), by: "all-words" };
  if (notes.length === 0) {
    const numbers = await holding(db, scope, query);
    if (numbers.length > 0) return { numbers, by: "substring" };
  }
  const near = await nearWords(db, scope, missed);
  if (near.size === 0) return { numbers: bestFirst(notes), by: notes.length > 0 ? "any-word" : "substring" };
  const tokens = [...formsIn(wanted), ...[...near.values()].flatMap((forms) => [...forms.keys()])];
  const again = rankNotes(await candidatesFor(db, scope, query, tokens), { wanted, unwanted, total, near });
  return { numbers: bestFirst(again.notes), by: notes.length > 0 ? "any-word" : "similar" };
}

const formsIn = (terms: readonly SearchTerm[]) => terms.flatMap(({ forms }) => [...forms.keys()]);

async function candidatesFor(
  db: Database,
  scope: Scope,
  { wanted, unwanted }: SearchQuery,
  tokens: readonly string[],
): Promise<Candidates> {
  const having = sql`${ownRows(scope)} and ${db.dialect.hasStem(scope, [...new Set(tokens)])}`;
  const lines = await linesOf(db, having, mostCandidates);
  if (![...wanted, ...unwanted].some(({ phrase }) => phrase)) return { lines };
  const rows = await db.all<{ number: number; folded: string }>(
    sql`select number, folded from memories where ${having} order by ${newestFirst(db)} limit ${mostCandidates}`,
  );
  return {
    lines,
    words: new Map(rows.map(({ number, folded }) => [number, wordsOf(folded).map((one) => one.folded)])),
  };
}

const newestFirst = (db: Database) => sql`at${db.dialect.bytewise} desc, number desc`;

/** Notes as lines, in few texts: a row for each would cost more than ranking them. */
async function linesOf(db: Database, where: Query, most: number): Promise<string[]> {
  const texts: string[] = [];
  for (let from = 0; from < most; from += block) {
    const row = await db.one<{ notes: number; lines: string | null }>(sql`select count(*) as notes,
      string_agg(line, ${"\n"}) as lines from (select cast(number as text) || ' ' || stems as line from memories
        where ${where} order by ${newestFirst(db)} limit ${Math.min(block, most - from)} offset ${from}) as found`);
    if (row?.lines) texts.push(row.lines);
    if ((row?.notes ?? 0) < block) break;
  }
  return texts;
}

/** For each term that no note has: the words of the notes that are like it. */
async function nearWords(
  db: Database,
  scope: Scope,
  missed: readonly SearchTerm[],
): Promise<ReadonlyMap<SearchTerm, ReadonlyMap<string, number>>> {
  const words = missed.filter(({ phrase }) => !phrase);
  if (words.length === 0) return new Map();
  const lines = await linesOf(db, sql`${ownRows(scope)} and stems is not null`, mostRead);
  const vocabulary = stemsIn(lines);
  const found = words.map((term) => [term, similarWords(term.text, vocabulary)] as const);
  return new Map(found.filter(([, forms]) => forms.size > 0));
}

/** Any script, any stretch of letters: every wanted term somewhere in the note. Newest first. */
async function holding(db: Database, scope: Scope, { written }: SearchQuery): Promise<number[]> {
  const wanted = written.map(({ text, not }) =>
    not ? sql`not (${db.dialect.contains("folded", text)})` : db.dialect.contains("folded", text),
  );
  const rows = await db.all<{ number: number }>(sql`select number from memories where ${ownRows(scope)}
    and ${wanted.length === 0 ? sql`1 = 1` : joinQueries(wanted, " and ")} order by ${newestFirst(db)}`);
  return rows.map(({ number }) => number);
}

/** Notes that have something of what is looked for, newest first. */
type Candidates = {
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

/** Called for each note of `lines`: its number, how many stems it has, and how often each of those looked for. */
type OnNote = (number: number, length: number, counts: Uint32Array) => void;

const space = 0x20;
const newline = 0x0a;
/** So many places tell most stems apart that nobody looks for. */
const filterSize = 4096;

/**
 * Counts stems in notes that come as lines, each a note's number and its stems, all separated by spaces. One pass over the
 * letters, whatever is looked for, and nothing is made of a stem that nobody looks for: this is most of what a search does.
 */
function countStems(lines: string, stems: readonly string[], onNote: OnNote): void {
  const counts = new Uint32Array(stems.length);
  const places = new Map<number, number[]>();
  const filter = new Uint8Array(filterSize);
  for (const [place, stem] of stems.entries()) {
    const hash = hashOf(stem);
    places.set(hash, [...(places.get(hash) ?? []), place]);
    filter[hash & (filterSize - 1)] = 1;
  }
  let hash = 0;
  let from = 0;
  let number = -1;
  let length = 0;
  for (let at = 0; at <= lines.length; at++) {
    const code = at < lines.length ? lines.charCodeAt(at) : newline;
    if (code !== space && code !== newline) {
      hash = (Math.imul(hash, 31) + code) | 0;
      continue;
    }
    if (number < 0) number = Number(lines.slice(from, at));
    else {
      length++;
      if (filter[hash & (filterSize - 1)] === 1)
        for (const place of places.get(hash) ?? [])
          if (stems[place]?.length === at - from && lines.startsWith(stems[place], from))
            counts[place] = (counts[place] as number) + 1;
    }
    if (code === newline) {
      onNote(number, length, counts);
      counts.fill(0);
      number = -1;
      length = 0;
    }
    hash = 0;
    from = at + 1;
  }
}

function hashOf(stem: string): number {
  let hash = 0;
  for (let at = 0; at < stem.length; at++) hash = (Math.imul(hash, 31) + stem.charCodeAt(at)) | 0;
  return hash;
}

/** All stems of such lines, each once. */
function stemsIn(blocks: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const lines of blocks)
    for (const line of lines.split("\n")) for (const stem of line.split(" ").slice(1)) found.add(stem);
  return found;
}

/** So much of their trigrams two words share that are taken for each other. */
const alike = 0.45;

/** So many words are taken for one that no note has. */
const most = 8;

/**
 * Words of a vocabulary that are like one that is not in it, with what they are worth: misspelt by a letter or two, or
 * one within the other, as in German compounds.
 */
function similarWords(word: string, vocabulary: ReadonlySet<string>): ReadonlyMap<string, number> {
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
