import type { Scope } from "../../amend/amendment.ts";
import { countCharacters } from "../../prompt/character.ts";
import { Problem } from "../../prompt/problem.ts";
import { isWhole } from "../../prompt/sound.ts";
import { requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import { scopeOf } from "../event.ts";
import type { Database, NoteSearch, SearchTerm } from "../home/database.ts";
import { type Page, pageOf } from "../home/page.ts";
import { checkSoundText } from "../home/sound-text.ts";
import { joinQueries, type Query, sql } from "../home/sql.ts";
import { checkName, checkScope } from "../scope.ts";
import { checkNotErased } from "../turns/turn.ts";

/** A note in an agent's memory, for one user or for the agent itself. */
export type Note = {
  readonly id: string;
  readonly scope: Scope;
  /** A fact's name, if it has one: saving it again replaces it. */
  readonly key: string | null;
  readonly text: string;
  /** It was saved while untrusted text was in the turn, so it is untrusted when read. */
  readonly tainted: boolean;
  readonly turn: string | null;
  readonly at: string;
};

/** A note to be saved. */
export type NewNote = {
  readonly text: string;
  readonly key?: string;
  readonly tainted?: boolean;
  readonly turn?: string;
};

/** Notes that were found, and how: by all words, by some of them, or as part of a word. */
export type FoundNotes = { readonly notes: readonly Note[]; readonly by: "all-words" | "any-word" | "substring" };

/** `store.memory`: the notes of agents. */
export type Memory = {
  readonly save: (scope: Scope, note: NewNote) => Promise<Note>;
  /** Best first, then newest first. "quoted words" stay together; -word excludes notes. */
  readonly search: (scope: Scope, query: string, page?: Page) => Promise<FoundNotes>;
  /** Newest first. */
  readonly list: (scope: Scope, page?: Page) => Promise<Note[]>;
  readonly forget: (scope: Scope, id: string) => Promise<void>;
};

/** So many characters a note has at most. */
export const longest = 8000;

type NoteRow = {
  id: string;
  agent: string;
  user_id: string;
  key: string | null;
  words: string;
  tainted: number;
  turn: string | null;
  at: string;
};

function noteOf(row: NoteRow): Note {
  const { id, key, words, turn, at } = row;
  return { id, scope: scopeOf(row), key, text: words, tainted: row.tainted === 1, turn, at };
}

export function createMemory({ home, now, newId }: StoreDeps): Memory {
  return {
    save: async (scope, { text: words, key = null, tainted = false, turn = null }) => {
      checkScope(scope);
      checkWords(words);
      if (key !== null) checkName("note", key);
      return home.write(scope, async (db) => {
        const { agent, user = "" } = scope;
        await checkNotErased(db, turn);
        await requireAgent(db, agent);
        if (key !== null)
          await db.run(sql`delete from memories where agent = ${agent} and user_id = ${user} and key = ${key}`);
        const id = newId();
        await insertNote(db, { id, scope, key, text: words, tainted, turn, at: now() });
        return noteOf((await db.one<NoteRow>(sql`select * from memories where id = ${id}`)) as NoteRow);
      });
    },
    search: async (scope, query, page = {}) => {
      checkSoundText(query);
      const stretch = pageOf(page);
      const terms = termsOf(query);
      return home.read(scope, async (db) => {
        for (const match of ["all", "any"] as const) {
          const asked = { scope, terms: terms.filter(({ text: words }) => /[\p{L}\p{N}]/u.test(words)), match };
          if (!(await matches(db, asked))) continue;
          const rows = await db.all<NoteRow>(db.dialect.searchNotes({ ...asked, ...stretch }));
          return { notes: rows.map(noteOf), by: match === "all" ? "all-words" : "any-word" };
        }
        const rows = await db.all<NoteRow>(holding(db, scope, terms, stretch));
        return { notes: rows.map(noteOf), by: "substring" };
      });
    },
    list: (scope, page = {}) =>
      home.read(scope, async (db) => {
        const { limit, offset } = pageOf(page);
        const rows = await db.all<NoteRow>(sql`select * from memories where agent = ${scope.agent}
          and user_id = ${scope.user ?? ""} order by at desc, number desc limit ${limit} offset ${offset}`);
        return rows.map(noteOf);
      }),
    forget: async (scope, id) => {
      const gone = await home.write(scope, (db) =>
        db.run(sql`delete from memories where id = ${id} and agent = ${scope.agent} and user_id = ${scope.user ?? ""}`),
      );
      if (gone === 0)
        throw new Problem("unknown-note", `There is no note “${id}” here.`, "See the notes with `charter memory`.");
    },
  };
}

/** Writes a note within a transaction. */
export async function insertNote(
  db: Database,
  { id, scope, key, text: words, tainted, turn, at }: Note,
): Promise<void> {
  await db.run(sql`insert into memories (id, agent, user_id, key, words, folded, tainted, turn, at)
    values (${id}, ${scope.agent}, ${scope.user ?? ""}, ${key}, ${words},
      ${folded(key === null ? words : `${key} ${words}`)}, ${tainted ? 1 : 0}, ${turn}, ${at})`);
}

/** Whether a page further on still belongs to a search that found something on its first. */
async function matches(db: Database, asked: Omit<NoteSearch, "limit" | "offset">): Promise<boolean> {
  if (asked.terms.every(({ not }) => not)) return false;
  return (await db.all(db.dialect.searchNotes({ ...asked, limit: 1, offset: 0 }))).length > 0;
}

/** Any script, any stretch of letters: every wanted term somewhere in the note. */
function holding(db: Database, scope: Scope, terms: readonly SearchTerm[], page: Required<Page>): Query {
  const wanted = terms.map(({ text: words, not }) =>
    not ? sql`not (${db.dialect.contains("folded", words)})` : db.dialect.contains("folded", words),
  );
  return sql`select * from memories where agent = ${scope.agent} and user_id = ${scope.user ?? ""}
    and ${wanted.length === 0 ? sql`1 = 1` : joinQueries(wanted, " and ")}
    order by at desc, number desc limit ${page.limit} offset ${page.offset}`;
}

/** As letters are compared: no case, no accents, one form. */
function folded(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().normalize("NFKC");
}

function termsOf(query: string): SearchTerm[] {
  const found = query.matchAll(/(-?)(?:"([^"]*)"|([^\s"]+))/g);
  return [...found].flatMap(([, minus, phrase, word]) => {
    const text = folded(phrase ?? word ?? "").trim();
    if (text === "") return [];
    return [minus === "-" ? { text, not: true as const } : { text }];
  });
}

function checkWords(words: string): void {
  const characters = countCharacters(words);
  if (words.trim() === "") throw new Problem("bad-note", "A note without words cannot be kept.", "Give it some.");
  if (!isWhole(words))
    throw new Problem("bad-note", "The note holds half a character or a NUL.", "Mend the text where it comes from.");
  if (characters > longest)
    throw new Problem(
      "bad-note",
      `The note has ${characters} characters, and ${longest} is the most.`,
      "Keep it in several notes.",
    );
}
