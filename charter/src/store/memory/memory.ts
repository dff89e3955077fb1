import type { Scope } from "../../amend/amendment.ts";
import { badArgument, isObject, kindOf } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Embedder } from "../../prompt/tokens.ts";
import { requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import { countRows, findRecord, findRecords, onPage, ownRows, type Page, pageOf, recordOf } from "../home/query.ts";
import { checkSoundText, listOf, type Query, sql } from "../home/sql.ts";
import type { RowOf } from "../home/table.ts";
import { checkName, checkScope } from "../scope.ts";
import { checkNotErased } from "../turns/turn.ts";
import { checkNote, insertNote, memories, type Note, searchedColumns } from "./note.ts";
import { type FoundBy, searchNotes } from "./search-notes.ts";
import type { SearchQuery } from "./stems.ts";
import { createVectors, fuseRanks, type Vectors } from "./vectors.ts";
import type { DisownResult, VouchOptions, VouchResult } from "./vouch.ts";

/** A note to be saved. */
export type NewNote = {
  readonly text: string;
  readonly key?: string;
  readonly tainted?: boolean;
  readonly turn?: string;
};

/** What a note is to say from now on. */
export type NoteChange = Pick<NewNote, "text" | "tainted" | "turn">;

/**
 * Notes that were found, and how: by all words, by some of them, as part of a word, by words like them, or by what they
 * mean alone. Stems count as words.
 */
export type FoundNotes = {
  readonly notes: readonly Note[];
  readonly by: FoundBy | "meaning";
  /** Where notes are embedded: whether their meaning counted, or the embedder did not answer. */
  readonly meaning?: "used" | "unavailable";
};

/** `store.memory`: the notes of agents. */
export type Memory = {
  readonly save: (scope: Scope, note: NewNote) => Promise<Note>;
  /** Other words for a note that is there; it keeps its id and its key, and is the newest then. */
  readonly update: (scope: Scope, id: string, change: NoteChange) => Promise<Note>;
  /** Best first, then newest first. "quoted words" stay together; -word excludes notes. */
  readonly search: (scope: Scope, query: string, page?: Page) => Promise<FoundNotes>;
  /** Newest first. */
  readonly list: (scope: Scope, page?: Page) => Promise<Note[]>;
  /** The note of this name or id, if there is one. */
  readonly find: (scope: Scope, by: { readonly key: string } | { readonly id: string }) => Promise<Note | undefined>;
  readonly count: (scope: Scope) => Promise<number>;
  readonly forget: (scope: Scope, id: string) => Promise<void>;
  /** The operator vouches for notes that were imported, of one user or of all. */
  readonly vouch: (about: VouchOptions) => Promise<VouchResult>;
  /** Those somebody vouched for are foreign again. */
  readonly disown: (about: VouchOptions) => Promise<DisownResult>;
  /** The same notes, found by what they mean as well. What is saved through it is embedded at once. */
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
        const mine = sql`id = ${id} and ${ownRows(scope)}`;
        const before = await findRecord(db, memories, sql`select * from memories where ${mine}`);
        if (!before) throw unknownNote(id);
        const { folded, stems } = await searchedColumns(before.key, text);
        const note = { ...before, text, tainted, turn, at: now() };
        await db.run(sql`update memories set text = ${text}, folded = ${folded}, stems = ${stems},
          tainted = ${tainted ? 1 : 0}, turn = ${turn}, at = ${note.at} where ${mine}`);
        // After it: whoever was just keeping a vector of the old words was waited for.
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
      const asked = readQuery(query);
      const means = vectors && asksForMeaning(asked) ? await meaningOf(vectors, scope, query) : undefined;
      return home.read(scope, async (db) => {
        const words = await searchNotes(db, scope, asked);
        const near = vectors && means ? await vectors.nearest(db, scope, { to: means, most: mostNear }) : [];
        const numbers = near.length === 0 ? words.numbers : fuseRanks(words.numbers, near);
        const notes = await notesOf(db, scope, numbers.slice(offset, offset + limit));
        const by = words.numbers.length === 0 && near.length > 0 ? "meaning" : words.by;
        return { notes, by, ...(vectors && asksForMeaning(asked) ? { meaning: means ? "used" : "unavailable" } : {}) };
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
        const named = "id" in by ? sql`id = ${by.id}` : sql`key = ${by.key}`;
        return findRecord(db, memories, sql`select * from memories where ${ownRows(scope)} and ${named}`);
      }),
    count: (scope) => home.read(scope, (db) => countRows(db, "memories", ownRows(scope))),
    forget: async (scope, id) => {
      const gone = await home.write(scope, (db) => removeNotes(db, scope, sql`id = ${id}`));
      if (gone === 0) throw unknownNote(id);
    },
    // Most commands vouch for nothing: the screen is loaded by those that do.
    vouch: async (about) => (await import("./vouch.ts")).vouchForNotes(deps, about),
    disown: async (about) => (await import("./vouch.ts")).disownRows(deps, about),
  };
}

/** So many notes without a vector get one before a search; what is left waits for the next. */
const mostBefore = 512;

/** So many notes are found by what they mean alone: more are near to anything. */
const mostNear = 10;

/** Who quotes words or excludes some asks for words. */
function asksForMeaning({ wanted, unwanted }: SearchQuery): boolean {
  return wanted.length > 0 && unwanted.length === 0 && wanted.every(({ phrase }) => !phrase);
}

async function meaningOf(vectors: Vectors, scope: Scope, query: string): Promise<Float32Array | undefined> {
  await vectors.fill(scope, mostBefore);
  return vectors.of(query);
}

/** With what was worked out from their words: last, since whoever was just keeping that was waited for. */
async function removeNotes(db: Database, scope: Scope, where: Query): Promise<number> {
  const gone = await db.all<{ id: string }>(
    sql`delete from memories where ${ownRows(scope)} and ${where} returning id`,
  );
  for (const { id } of gone) await db.run(sql`delete from vectors where ${ownRows(scope)} and note = ${id}`);
  return gone.length;
}

/** In the order they are named. */
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
