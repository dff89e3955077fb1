import type { Scope } from "../../amend/amendment.ts";
import { countCharacters } from "../../prompt/character.ts";
import { grouped, Problem } from "../../prompt/problem.ts";
import { isWhole } from "../../prompt/sound.ts";
import { scopeOf } from "../event.ts";
import type { Database } from "../home/database.ts";
import { sql } from "../home/sql.ts";
import { folded } from "../texts/fold.ts";

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

/** So many characters a note has at most. */
export const longest = 8000;

export type NoteRow = {
  id: string;
  agent: string;
  user_id: string;
  key: string | null;
  words: string;
  tainted: number;
  turn: string | null;
  at: string;
};

export function noteOf(row: NoteRow): Note {
  const { id, key, words, turn, at } = row;
  return { id, scope: scopeOf(row), key, text: words, tainted: row.tainted === 1, turn, at };
}

/** What a note is searched by: its name and its words. */
export async function searchedColumns(
  key: string | null,
  words: string,
): Promise<{ readonly folded: string; readonly stems: string }> {
  const whole = key === null ? words : `${key} ${words}`;
  // Most commands neither save nor search: the stemmers are loaded by those that do.
  const { stemsOf } = await import("./stems.ts");
  return { folded: folded(whole), stems: stemsOf(whole) };
}

/** Writes a note within a transaction. */
export async function insertNote(
  db: Database,
  { id, scope, key, text: words, tainted, turn, at }: Note,
): Promise<void> {
  const { folded: plain, stems } = await searchedColumns(key, words);
  await db.run(sql`insert into memories (id, agent, user_id, key, words, folded, stems, tainted, turn, at)
    values (${id}, ${scope.agent}, ${scope.user ?? ""}, ${key}, ${words}, ${plain}, ${stems}, ${tainted ? 1 : 0},
      ${turn}, ${at})`);
}

export function checkWords(words: string): void {
  const characters = countCharacters(words);
  if (words.trim() === "") throw new Problem("bad-note", "A note without words cannot be kept.", "Give it some.");
  if (!isWhole(words))
    throw new Problem("bad-note", "The note holds half a character or a NUL.", "Fix the text where it comes from.");
  if (characters > longest)
    throw new Problem(
      "bad-note",
      `The note has ${grouped(characters)} characters; the limit is ${grouped(longest)}.`,
      "Keep it in several notes.",
    );
}
