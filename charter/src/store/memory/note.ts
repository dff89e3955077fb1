import { countCharacters } from "../../prompt/character.ts";
import { grouped, Problem } from "../../prompt/problem.ts";
import { isWhole } from "../../prompt/sound.ts";
import type { Database } from "../home/database.ts";
import { insertInto } from "../home/query.ts";
import { bytes, counted, id, name, type RecordOf, table, text, time, truth } from "../home/table.ts";
import { folded } from "../texts/text.ts";

/** Index of stems alone, which are words of letters and digits: it tells which note has a stem. */
const search =
  "insert into memories_search (rowid, stems, scope) values (new.number, new.stems, hex(new.agent || char(31) || new.user_id));";
const unfind = "delete from memories_search where rowid = old.number;";

export const memories = table(
  "memories",
  {
    of: "user",
    key: ["number"],
    unique: { memories_key: "(agent, user_id, key) where key is not null" },
    indexes: { memories_scope: "(agent, user_id, at, number)" },
    besides: {
      sqlite: [
        "create virtual table memories_search using fts5(stems, scope, content='', contentless_delete=1, tokenize='ascii')",
        `create trigger memories_added after insert on memories begin ${search} end`,
        `create trigger memories_changed after update of stems on memories begin ${unfind} ${search} end`,
        `create trigger memories_removed after delete on memories begin ${unfind} end`,
      ],
      postgres: [
        "alter table memories add column search text[] generated always as (string_to_array(stems, ' ')) stored",
        "alter table memories alter column search set statistics 0",
        "create index memories_search on memories using gin (search)",
      ],
    },
  },
  {
    number: counted().inner().hidden(),
    id: id().unique(),
    /** Key of a fact, if it has one: saving it again replaces it. */
    key: text().nullable(),
    text: text(),
    folded: text().inner().hidden(),
    /** Marks a note that was saved while untrusted text was in the turn, so it is untrusted when read. */
    tainted: truth(),
    turn: id().nullable().refers("turns", "memories were made in it", { anyName: true }),
    at: time(),
    /** Stems that the note is found by. */
    stems: text().usual("").derived().hidden(),
  },
);

/** Vectors of notes, by the embedder that made them. */
export const vectors = table(
  "vectors",
  {
    of: "user",
    key: ["agent", "user_id", "embedder", "note"],
    indexes: { vectors_note: "(note)" },
    proof: "cache",
    isLeftOut: true,
    exported: false,
  },
  { note: id(), embedder: name(), vector: bytes() },
);

/** A note in an agent's memory, for one user or for the agent itself. */
export type Note = RecordOf<typeof memories>;

/** Maximum number of characters of a note. */
export const maxNoteChars = 8000;

/** Returns the columns that a note is searched by, made of its key and its text. */
export async function searchedColumns(
  key: string | null,
  text: string,
): Promise<{ readonly folded: string; readonly stems: string }> {
  const whole = key === null ? text : `${key} ${text}`;
  // Stemmers are loaded on demand, because most commands neither save nor search.
  const { stemsOf } = await import("./stems.ts");
  return { folded: folded(whole), stems: stemsOf(whole) };
}

/** Writes a note in the caller's transaction. */
export async function insertNote(db: Database, note: Note): Promise<Note> {
  await db.run(insertInto(memories, { ...note, ...(await searchedColumns(note.key, note.text)) }));
  return note;
}

export function checkNote(text: string): void {
  const characters = countCharacters(text);
  if (text.trim() === "") throw new Problem("bad-note", "A note without words cannot be kept.", "Give it some.");
  if (!isWhole(text))
    throw new Problem("bad-note", "The note holds half a character or a NUL.", "Fix the text where it comes from.");
  if (characters > maxNoteChars)
    throw new Problem(
      "bad-note",
      `The note has ${grouped(characters)} characters; the limit is ${grouped(maxNoteChars)}.`,
      "Keep it in several notes.",
    );
}
