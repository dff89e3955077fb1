import { countCharacters } from "../../prompt/character.ts";
import { grouped, Problem } from "../../prompt/problem.ts";
import { isWhole } from "../../prompt/sound.ts";
import type { Database } from "../home/database.ts";
import { insertInto } from "../home/query.ts";
import type { RecordOf } from "../home/table.ts";
import { folded } from "../texts/words.ts";
import { memories } from "./memory-tables.ts";

/** A note in an agent's memory, for one user or for the agent itself. */
export type Note = RecordOf<typeof memories>;

/** So many characters a note has at most. */
export const longest = 8000;

/** What a note is searched by: its name and its text. */
export async function searchedColumns(
  key: string | null,
  text: string,
): Promise<{ readonly folded: string; readonly stems: string }> {
  const whole = key === null ? text : `${key} ${text}`;
  // Most commands neither save nor search: the stemmers are loaded by those that do.
  const { stemsOf } = await import("./stems.ts");
  return { folded: folded(whole), stems: stemsOf(whole) };
}

/** Writes a note within a transaction. */
export async function insertNote(db: Database, note: Note): Promise<Note> {
  await db.run(insertInto(memories, { ...note, ...(await searchedColumns(note.key, note.text)) }));
  return note;
}

export function checkNote(text: string): void {
  const characters = countCharacters(text);
  if (text.trim() === "") throw new Problem("bad-note", "A note without words cannot be kept.", "Give it some.");
  if (!isWhole(text))
    throw new Problem("bad-note", "The note holds half a character or a NUL.", "Fix the text where it comes from.");
  if (characters > longest)
    throw new Problem(
      "bad-note",
      `The note has ${grouped(characters)} characters; the limit is ${grouped(longest)}.`,
      "Keep it in several notes.",
    );
}
