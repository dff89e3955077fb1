import type { Scope } from "../../amend/amendment.ts";
import { badArgument, isObject, kindOf } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Embedder } from "../../prompt/tokens.ts";
import { requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database, Home } from "../home/database.ts";
import {
  countRows,
  findRecord,
  findRecords,
  insertInto,
  onPage,
  ownRows,
  type Page,
  pageOf,
  recordOf,
} from "../home/query.ts";
import { checkSoundText, listOf, type Query, sql } from "../home/sql.ts";
import type { RowOf } from "../home/table.ts";
import { checkName, checkScope } from "../scope.ts";
import { checkNotErased } from "../turns/turn.ts";
import { checkNote, insertNote, memories, type Note, searchedColumns, vectors } from "./note.ts";
import { type FoundBy, searchNotes } from "./search-notes.ts";
import type { SearchQuery } from "./stems.ts";
import type { DisownResult, VouchOptions, VouchResult } from "./vouch.ts";

/** A note to be saved. */
export type NewNote = {
  readonly text: string;
  readonly key?: string;
  readonly tainted?: boolean;
  readonly turn?: string;
};

/** New text of a note. */
export type NoteChange = Pick<NewNote, "text" | "tainted" | "turn">;

/**
 * Notes that were found, and how: by all words, by some of them, as part of a word, by similar words, or by their meaning alone.
 * Stems count as words.
 */
export type FoundNotes = {
  readonly notes: readonly Note[];
  readonly by: FoundBy | "meaning";
  /** Present if notes are embedded: whether the meaning was used, or the embedder did not answer. */
  readonly meaning?: "used" | "unavailable";
};

/** `store.memory`: the notes of agents. */
export type Memory = {
  readonly save: (scope: Scope, note: NewNote) => Promise<Note>;
  /** Replaces the text of a note; it keeps its id and its key, and becomes the newest. */
  readonly update: (scope: Scope, id: string, change: NoteChange) => Promise<Note>;
  /** Searches notes, best first, then newest first. "quoted words" stay together; -word excludes notes. */
  readonly search: (scope: Scope, query: string, page?: Page) => Promise<FoundNotes>;
  /** Lists notes, newest first. */
  readonly list: (scope: Scope, page?: Page) => Promise<Note[]>;
  /** Finds the note with this key or id. */
  readonly find: (scope: Scope, by: { readonly key: string } | { readonly id: string }) => Promise<Note | undefined>;
  readonly count: (scope: Scope) => Promise<number>;
  readonly forget: (scope: Scope, id: string) => Promise<void>;
  /** Vouches, as the operator, for notes that were imported, of one user or of all. */
  readonly vouch: (about: VouchOptions) => Promise<VouchResult>;
  /** Makes notes that somebody vouched for foreign again. */
  readonly disown: (about: VouchOptions) => Promise<DisownResult>;
  /** Returns the same notes, which are then also found by their meaning. Notes that are saved through it are embedded at once. */
  readonly withEmbedder: (embedder: Embedder) => Memory;
};

export function createMemory(deps: Pick<StoreDeps, "home" | "now" | "newId">, embedder?: Embedder): Memory {
  const { home, now, newId } = deps;
  const vectors = embedder && createVectors(home, embedder, now);
  return {
    withEmbedder: (given) => createMemory(deps, given),
    save: async (scope, { text, key = null, tainted = false, turn = null }) => {
      checkScope(scope);
      checkNote(text);
      if (key !== null) checkName("note", key);
      const saved = await home.write(scope, async (db) => {
        await checkNotErased(db, turn);
        await requireAgent(db, scope.agent);
        if (key !== null) await removeNotes(db, scope, sql`key = ${key}`);
        return insertNote(db, { id: newId(), scope, key, text, tainted, turn, at: now() });
      });
      await vectors?.fill(scope, 1);
      return saved;
    },
    update: async (scope, id, { text, tainted = false, turn = null }) => {
      checkScope(scope);
      checkNote(text);
      const changed = await home.write(scope, async (db) => {
        await checkNotErased(db, turn);
        const ownNote = sql`id = ${id} and ${ownRows(scope)}`;
        const before = await findRecord(db, memories, sql`select * from memories where ${ownNote}`);
        if (!before) throw unknownNote(id);
        const { folded, stems } = await searchedColumns(before.key, text);
        const note = { ...before, text, tainted, turn, at: now() };
        await db.run(sql`update memories set text = ${text}, folded = ${folded}, stems = ${stems},
          tainted = ${tainted ? 1 : 0}, turn = ${turn}, at = ${note.at} where ${ownNote}`);
        // Deleted last: a transaction that was just storing a vector of the old text has ended by now.
        await db.run(sql`delete from vectors where note = ${id} and ${ownRows(scope)}`);
        return note;
      });
      await vectors?.fill(scope, 1);
      return changed;
    },
    search: async (scope, query, page = {}) => {
      checkSoundText(query);
      const { limit, offset } = pageOf(page);
      const { readQuery } = await import("./stems.ts");
      const parsed = readQuery(query);
      const means = vectors && asksForMeaning(parsed) ? await meaningOf(vectors, scope, query) : undefined;
      return home.read(scope, async (db) => {
        const words = await searchNotes(db, scope, parsed);
        const near = vectors && means ? await vectors.nearest(db, scope, { to: means, most: maxNearNotes }) : [];
        const numbers = near.length === 0 ? words.numbers : fuseRanks(words.numbers, near);
        const notes = await notesOf(db, scope, numbers.slice(offset, offset + limit));
        const by = words.numbers.length === 0 && near.length > 0 ? "meaning" : words.by;
        return { notes, by, ...(vectors && asksForMeaning(parsed) ? { meaning: means ? "used" : "unavailable" } : {}) };
      });
    },
    list: (scope, page = {}) =>
      home.read(scope, (db) =>
        findRecords(
          db,
          memories,
          sql`select * from memories where ${ownRows(scope)} order by at desc, number desc ${onPage(page)}`,
        ),
      ),
    find: (scope, by) =>
      home.read(scope, (db) => {
        if (!isObject(by))
          throw badArgument(`What store.memory.find looks for is ${kindOf(by)}.`, "Give { key } or { id }.");
        const selected = "id" in by ? sql`id = ${by.id}` : sql`key = ${by.key}`;
        return findRecord(db, memories, sql`select * from memories where ${ownRows(scope)} and ${selected}`);
      }),
    count: (scope) => home.read(scope, (db) => countRows(db, "memories", ownRows(scope))),
    forget: async (scope, id) => {
      const removed = await home.write(scope, (db) => removeNotes(db, scope, sql`id = ${id}`));
      if (removed === 0) throw unknownNote(id);
    },
    // Loaded on demand, because most commands vouch for nothing.
    vouch: async (about) => (await import("./vouch.ts")).vouchForNotes(deps, about),
    disown: async (about) => (await import("./vouch.ts")).disownRows(deps, about),
  };
}

/** Maximum number of notes that get a missing vector before a search; the others wait for the next search. */
const maxFilledBeforeSearch = 512;

/** Maximum number of notes that are found by their meaning alone: more than these are near to anything. */
const maxNearNotes = 10;

/** Tells whether a search is by meaning: quoted or excluded words ask for words. */
function asksForMeaning({ wanted, unwanted }: SearchQuery): boolean {
  return wanted.length > 0 && unwanted.length === 0 && wanted.every(({ phrase }) => !phrase);
}

async function meaningOf(vectors: Vectors, scope: Scope, query: string): Promise<Float32Array | undefined> {
  await vectors.fill(scope, maxFilledBeforeSearch);
  return vectors.of(query);
}

/** Deletes notes, and last their vectors: a transaction that was just storing one has ended by then. */
async function removeNotes(db: Database, scope: Scope, where: Query): Promise<number> {
  const removed = await db.all<{ id: string }>(
    sql`delete from memories where ${ownRows(scope)} and ${where} returning id`,
  );
  for (const { id } of removed) await db.run(sql`delete from vectors where ${ownRows(scope)} and note = ${id}`);
  return removed.length;
}

/** Reads notes in the order of these numbers. */
async function notesOf(db: Database, scope: Scope, numbers: readonly number[]): Promise<Note[]> {
  const rows = await db.all<RowOf<typeof memories>>(
    sql`select * from memories where ${ownRows(scope)} and number in ${listOf(numbers)}`,
  );
  const byNumber = new Map(rows.map((row) => [row.number, recordOf(memories, row)]));
  return numbers.flatMap((number) => byNumber.get(number) ?? []);
}

function unknownNote(id: string): Problem {
  return new Problem("unknown-note", `There is no note “${id}” here.`, "See the notes with `charter memory`.");
}

/** Maximum time in milliseconds that an embedder may take for a batch. */
const embedTimeoutMs = 10_000;
/** Pause in milliseconds after a failure of the embedder, in which no call waits for it. */
const embedPauseMs = 30_000;
/** Number of texts that are embedded at once. */
const textsPerBatch = 64;

/** Number of vectors that a home returns in one value, one after the other. */
const vectorsPerBlock = 4000;

type Unembedded = Pick<RowOf<typeof memories>, "id" | "key" | "text">;

/** A vector of length one, and the maximum number of notes near to it. */
type Sought = { readonly to: Float32Array; readonly most: number };

/** Vectors of notes, made by an embedder and stored beside them. */
type Vectors = {
  /** Makes up to `most` missing vectors of a scope, newest notes first, as long as the embedder answers. */
  readonly fill: (scope: Scope, most: number) => Promise<void>;
  /** Embeds a text; returns nothing while the embedder does not answer. */
  readonly of: (text: string) => Promise<Float32Array | undefined>;
  /** Returns the numbers of the nearest notes, nearest first. */
  readonly nearest: (db: Database, scope: Scope, sought: Sought) => Promise<readonly number[]>;
};

function createVectors(home: Home, embedder: Embedder, now: () => string): Vectors {
  let pausedUntil = 0;
  const embed = async (texts: readonly string[]): Promise<readonly Float32Array[] | undefined> => {
    if (Date.parse(now()) < pausedUntil) return undefined;
    try {
      const signal = AbortSignal.timeout(embedTimeoutMs);
      const late = new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
      const vectors = (await Promise.race([embedder.embed(texts, { signal }), late])).map(unit);
      if (vectors.length === texts.length) return vectors;
    } catch {
      // Words alone have to do: no note is lost or hidden because an embedder is away.
    }
    pausedUntil = Date.parse(now()) + embedPauseMs;
    return undefined;
  };

  return {
    of: async (text) => (await embed([text]))?.[0],
    fill: async (scope, most) => {
      for (let done = 0; done < most; done += textsPerBatch) {
        const missing = await home.read(scope, (db) => unembedded(db, scope, embedder.name));
        if (missing.length === 0) return;
        const texts = missing.map(({ key, text }) => (key === null ? text : `${key}: ${text}`));
        const made = await embed(texts);
        if (!made) return;
        await home.write(scope, async (db) => {
          for (const [at, note] of missing.entries())
            await keep(db, scope, { embedder: embedder.name, note, vector: made[at] as Float32Array });
        });
      }
    },
    nearest: (db, scope, sought) => nearestNotes(db, scope, embedder.name, sought),
  };
}

async function unembedded(db: Database, scope: Scope, embedder: string): Promise<Unembedded[]> {
  // A vector is deleted with its note, so equal counts show that none is missing.
  const made = sql`${ownRows(scope)} and embedder = ${embedder}`;
  const counts = await db.one<{ notes: number; made: number }>(sql`select
    (select count(*) from memories where ${ownRows(scope)}) as notes,
    (select count(*) from vectors where ${made}) as made`);
  if (counts?.notes === counts?.made) return [];
  return db.all<Unembedded>(sql`select id, key, text from memories where ${ownRows(scope)}
    and id not in (select note from vectors where ${made})
    order by number desc limit ${textsPerBatch}`);
}

type NewVector = { readonly embedder: string; readonly note: Unembedded; readonly vector: Float32Array };

/** Stores a vector, if its note still has the text it was made of. Another embedder's vector of the note is deleted. */
async function keep(db: Database, scope: Scope, { embedder, note: { id, text }, vector }: NewVector): Promise<void> {
  const current = await db.one(sql`select id from memories where id = ${id} and text = ${text}
    and ${ownRows(scope)}${db.dialect.skipLocked}`);
  if (!current) return;
  await db.run(sql`delete from vectors where note = ${id} and ${ownRows(scope)}`);
  const { buffer, byteOffset, byteLength } = vector;
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  await db.run(insertInto(vectors, { scope, note: id, embedder, vector: bytes }));
}

/** Scales a vector to length one, so that a product is the cosine. */
function unit(values: ArrayLike<number>): Float32Array {
  const vector = Float32Array.from(values);
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (!(length > 0) || !Number.isFinite(length)) throw new RangeError("The vector has no direction.");
  return vector.map((value) => value / length);
}

type NearNote = { readonly note: string; readonly cosine: number };

/**
 * Returns the numbers of the notes whose vectors are nearest, nearest first, newest first among equals. Vectors of other lengths
 * come from other models, and cannot be compared.
 */
async function nearestNotes(
  db: Database,
  scope: Scope,
  embedder: string,
  { to, most }: Sought,
): Promise<readonly number[]> {
  const best: NearNote[] = [];
  for (let from = 0; ; from += vectorsPerBlock) {
    const row = await db.one<{ notes: string | null; vectors: Uint8Array | null }>(sql`select
      ${db.dialect.listed("note")} as notes, ${db.dialect.joinedBytes("vector")} as vectors
      from (select note, vector from vectors where ${ownRows(scope)} and embedder = ${embedder}
        and length(vector) = ${to.byteLength} order by note limit ${vectorsPerBlock} offset ${from}) as found`);
    const notes = JSON.parse(row?.notes ?? "[]") as readonly string[];
    if (row?.vectors) takeNearest(best, notes, cosinesOf(floatsOf(row.vectors), to), most);
    if (notes.length < vectorsPerBlock) break;
  }
  const ids = best.map(({ note }) => note);
  const rows = await db.all<{ id: string; number: number }>(
    sql`select id, number from memories where ${ownRows(scope)} and id in ${listOf(ids)}`,
  );
  const numbers = new Map(rows.map(({ id, number }) => [id, number]));
  return ids.flatMap((id) => numbers.get(id) ?? []);
}

function takeNearest(best: NearNote[], notes: readonly string[], cosines: Float64Array, most: number): void {
  for (const [at, note] of notes.entries()) {
    const one = { note, cosine: cosines[at] as number };
    const last = best[most - 1];
    if (last && !isNearer(one, last)) continue;
    const place = best.findIndex((other) => isNearer(one, other));
    best.splice(place < 0 ? best.length : place, 0, one);
    best.length = Math.min(best.length, most);
  }
}

function isNearer(one: NearNote, other: NearNote): boolean {
  return one.cosine > other.cosine || (one.cosine === other.cosine && one.note > other.note);
}

/** Computes the cosines of vectors of length one, as products. */
function cosinesOf(vectors: Float32Array, to: Float32Array): Float64Array {
  const size = to.length;
  const cosines = new Float64Array(vectors.length / size);
  for (let note = 0; note < cosines.length; note++) {
    const from = note * size;
    let sum = 0;
    for (let at = 0; at < size; at++) sum += (vectors[from + at] as number) * (to[at] as number);
    cosines[note] = sum;
  }
  return cosines;
}

function floatsOf(bytes: Uint8Array): Float32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Float32Array(aligned.buffer, aligned.byteOffset, bytes.byteLength / 4);
}

/** Usual constant of reciprocal rank fusion: the larger it is, the less the very first places count more than the next. */
const flatness = 60;

/** Merges several rankings into one: what stands high in most of them comes first. */
function fuseRanks(...orders: readonly (readonly number[])[]): number[] {
  const scores = new Map<number, number>();
  for (const order of orders)
    for (const [rank, one] of order.entries()) scores.set(one, (scores.get(one) ?? 0) + 1 / (flatness + rank + 1));
  // A stable sort keeps equals in the order of the first list.
  return [...scores].sort(([, first], [, second]) => second - first).map(([one]) => one);
}
