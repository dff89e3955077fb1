import type { Scope } from "../../amend/amendment.ts";
import type { Database } from "../home/database.ts";
import { countRows, ownRows } from "../home/query.ts";
import { joinQueries, type Query, sql } from "../home/sql.ts";
import { wordsOf } from "../texts/text.ts";
import type { SearchQuery, SearchTerm } from "./stems.ts";

/** Way in which notes were found: by all words, by some of them, as part of a word, or by similar words. */
export type FoundBy = "all-words" | "any-word" | "substring" | "similar";

/** Numbers of the found notes, best first. */
type SearchOutcome = { readonly numbers: readonly number[]; readonly by: FoundBy };

/** Maximum number of notes that are ranked, the newest, if nearly all have one of the words. */
const maxCandidates = 20_000;
/** Maximum number of notes, the newest, whose words are compared with misspelt words. */
const maxNotesRead = 5000;
/** Number of notes that a home joins into one text, because the length of a text is limited. */
const notesPerBlock = 4000;

/** Finds all notes of a scope that match a search, in an order that is the same in every home. */
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
  const lines = await linesOf(db, having, maxCandidates);
  if (![...wanted, ...unwanted].some(({ phrase }) => phrase)) return { lines };
  const rows = await db.all<{ number: number; folded: string }>(
    sql`select number, folded from memories where ${having} order by ${newestFirst(db)} limit ${maxCandidates}`,
  );
  return {
    lines,
    words: new Map(rows.map(({ number, folded }) => [number, wordsOf(folded).map((one) => one.folded)])),
  };
}

const newestFirst = (db: Database) => sql`at${db.dialect.bytewise} desc, number desc`;

/** Reads notes as lines, joined into few texts: a row for each would cost more than ranking them. */
async function linesOf(db: Database, where: Query, most: number): Promise<string[]> {
  const texts: string[] = [];
  for (let from = 0; from < most; from += notesPerBlock) {
    const row = await db.one<{ notes: number; lines: string | null }>(sql`select count(*) as notes,
      string_agg(line, ${"\n"}) as lines from (select cast(number as text) || ' ' || stems as line from memories
        where ${where} order by ${newestFirst(db)} limit ${Math.min(notesPerBlock, most - from)} offset ${from}) as found`);
    if (row?.lines) texts.push(row.lines);
    if ((row?.notes ?? 0) < notesPerBlock) break;
  }
  return texts;
}

/** Finds, for each term that no note has, the similar words of the notes. */
async function nearWords(
  db: Database,
  scope: Scope,
  missed: readonly SearchTerm[],
): Promise<ReadonlyMap<SearchTerm, ReadonlyMap<string, number>>> {
  const words = missed.filter(({ phrase }) => !phrase);
  if (words.length === 0) return new Map();
  const lines = await linesOf(db, sql`${ownRows(scope)} and stems is not null`, maxNotesRead);
  const vocabulary = stemsIn(lines);
  const similar = words.map((term) => [term, similarWords(term.text, vocabulary)] as const);
  return new Map(similar.filter(([, forms]) => forms.size > 0));
}

/** Finds notes that contain every wanted term anywhere, newest first: this works in any script. */
async function holding(db: Database, scope: Scope, { written }: SearchQuery): Promise<number[]> {
  const wanted = written.map(({ text, not }) =>
    not ? sql`not (${db.dialect.contains("folded", text)})` : db.dialect.contains("folded", text),
  );
  const rows = await db.all<{ number: number }>(sql`select number from memories where ${ownRows(scope)}
    and ${wanted.length === 0 ? sql`1 = 1` : joinQueries(wanted, " and ")} order by ${newestFirst(db)}`);
  return rows.map(({ number }) => number);
}

/** Notes that contain some of the terms, newest first. */
type Candidates = {
  /** Lines of the notes: each a number and its stems, separated by spaces. */
  readonly lines: readonly string[];
  /** Words of each note by its number, if a search has a phrase. */
  readonly words?: ReadonlyMap<number, readonly string[]>;
};

/** A note with its score. `direct`: the number of terms that it has itself, not only similar words. */
type RankedNote = { readonly number: number; readonly direct: number; readonly score: number };

/** Forms of a word that a note may have, with their weights. */
type Forms = ReadonlyMap<string, number>;

type Ranking = {
  readonly wanted: readonly SearchTerm[];
  readonly unwanted: readonly SearchTerm[];
  /** Number of all notes of the scope. */
  readonly total: number;
  /** Similar words for terms that no note has. */
  readonly near?: ReadonlyMap<SearchTerm, Forms>;
};

/**
 * Scores notes by BM25 over the scope's own notes, newest first. This is computed here and not by a database, so that every home
 * gives the same order. `missed`: the terms that no note has.
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
  const matches: { readonly number: number; readonly length: number; readonly direct: number }[] = [];
  // Weight and count for each term of each note found, in its order.
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
    matches.push({ number, length, direct });
  };
  for (const block of candidates.lines) countStems(block, [...stems.keys()], onNote);
  const rarity = having.map((count) => Math.log(1 + (total - count + 0.5) / (count + 0.5)));
  const notes = matches.map(({ number, length, direct }, note): RankedNote => {
    let score = 0;
    for (let at = 0; at < rarity.length; at++) {
      const place = note * rarity.length + at;
      score += (rarity[at] as number) * worth(weights[place] as number, counted[place] as number, length);
    }
    return { number, direct, score };
  });
  return { notes: notes.filter(({ score }) => score > 0), missed: [...missed] };
}

/** Sorts the numbers of notes by score; equals stay newest first. */
export function bestFirst(notes: readonly RankedNote[]): number[] {
  return notes.toSorted((one, other) => other.score - one.score).map(({ number }) => number);
}

/** Usual settings of BM25, for notes of about fifteen words: a longer one has a word more easily. */
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

/** Called for each note of `lines`: its number, the number of its stems, and the count of each stem that is looked for. */
type OnNote = (number: number, length: number, counts: Uint32Array) => void;

const space = 0x20;
const newline = 0x0a;
/** Size of the filter: enough to tell most other stems from those that are looked for. */
const filterSize = 4096;

/**
 * Counts stems in notes that come as lines, each a note's number and its stems, separated by spaces. It passes once over the
 * letters, whatever is looked for, and makes no strings of other stems: this is most of the work of a search.
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

/** Returns all stems of such lines, each once. */
function stemsIn(blocks: readonly string[]): ReadonlySet<string> {
  const stems = new Set<string>();
  for (const lines of blocks)
    for (const line of lines.split("\n")) for (const stem of line.split(" ").slice(1)) stems.add(stem);
  return stems;
}

/** Minimum share of trigrams for two words to count as similar. */
const minSimilarity = 0.45;

/** Maximum number of similar words for one that no note has. */
const maxSimilarWords = 8;

/**
 * Returns the words of a vocabulary that are similar to one that is not in it, with their weights: misspelt by a letter or two,
 * or one inside the other, as in German compounds.
 */
function similarWords(word: string, vocabulary: ReadonlySet<string>): ReadonlyMap<string, number> {
  const parts = trigramsOf(word);
  const similar: [string, number][] = [];
  for (const other of vocabulary) {
    const worth = Math.max(within(word, other), shared(parts, word, other));
    if (worth > 0) similar.push([other, worth]);
  }
  const best = similar.sort(([one, first], [other, second]) => second - first || (one < other ? -1 : 1));
  return new Map(best.slice(0, maxSimilarWords));
}

function within(word: string, other: string): number {
  const [short, long] = word.length < other.length ? [word, other] : [other, word];
  if (short.length < 4 || !long.includes(short)) return 0;
  return 0.3 + (0.4 * short.length) / long.length;
}

function shared(parts: ReadonlySet<string>, word: string, other: string): number {
  if (word.length < 3 || other.length < 3 || Math.abs(word.length - other.length) > 4) return 0;
  const others = trigramsOf(other);
  let common = 0;
  for (const part of others) if (parts.has(part)) common++;
  const dice = (2 * common) / (parts.size + others.size);
  return dice < minSimilarity ? 0 : 0.8 * dice;
}

function trigramsOf(word: string): ReadonlySet<string> {
  const letters = [..." ", ...` ${word} `];
  return new Set(letters.slice(2).map((letter, at) => `${letters[at]}${letters[at + 1]}${letter}`));
}
