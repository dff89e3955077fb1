import type { Scope } from "../../amend/amendment.ts";
import { characterIndex } from "../../prompt/character.ts";
import type { StoreDeps } from "../deps.ts";
import { imported as kind, recordEvent } from "../event.ts";
import { lockNamed } from "../home/query.ts";
import { sql } from "../home/sql.ts";
import { insertNote, longest } from "../memory/note.ts";
import { sha256 } from "../texts/sha256.ts";

/** What one old row of memory says, and of when it is. */
type OldNotes = { readonly text: string; readonly at: string | undefined };

/** `notes`: how many were saved now. `erased`: its user was erased here, and is not brought back. */
type BringNotesResult = { readonly notes: number; readonly erased: boolean };

type NotesTarget = Pick<StoreDeps, "home" | "now" | "newId"> & { readonly dryRun: boolean };

const table = "agent_long_term_memory";

/**
 * Saves what is new of old notes, a paragraph a note, and that they came: both or neither. What came before does not come
 * again, whatever became of it here. Nobody knows whose words they once were, so they are data and no orders.
 */
export async function bringNotes(
  { home, now, newId, dryRun }: NotesTarget,
  scope: Scope & { readonly user: string },
  { text, at }: OldNotes,
): Promise<BringNotesResult> {
  const paragraphs = [...new Map(paragraphsOf(text).map((one) => [sha256(one), one]))];
  return home.write(scope, async (db) => {
    await lockNamed(db, ["event", scope.agent, scope.user, kind]);
    const events = await db.all<{ detail: string }>(sql`select detail from events
      where agent = ${scope.agent} and user_id = ${scope.user} and kind = ${kind}`);
    if (events.some(({ detail }) => detail === "{}")) return { notes: 0, erased: true };
    const known = new Set(events.flatMap(({ detail }) => (JSON.parse(detail) as { notes?: string[] }).notes ?? []));
    const fresh = paragraphs.filter(([digest]) => !known.has(digest));
    if (fresh.length === 0 || dryRun) return { notes: fresh.length, erased: false };
    const time = now();
    for (const [, words] of fresh)
      await insertNote(db, { id: newId(), scope, key: null, text: words, tainted: true, turn: null, at: at ?? time });
    const detail = { from: "supabase", table, notes: fresh.map(([digest]) => digest) };
    await recordEvent(db, time, { scope, kind, detail });
    return { notes: fresh.length, erased: false };
  });
}

/** Parted by empty lines; one that is longer than a note may be is cut, at a line's end where there is one. */
function paragraphsOf(text: string): string[] {
  const sound = text.toWellFormed().replaceAll("\0", "");
  return sound
    .split(/\n[ \t\r]*\n/)
    .map((one) => one.trim())
    .filter((one) => one !== "")
    .flatMap(pieces);
}

function pieces(paragraph: string): string[] {
  const out: string[] = [];
  let rest = paragraph;
  for (let end = characterIndex(rest, longest); end < rest.length; end = characterIndex(rest, longest)) {
    const line = rest.lastIndexOf("\n", end);
    const cut = line > 0 ? line : end;
    out.push(rest.slice(0, cut).trim());
    rest = rest.slice(cut).trim();
  }
  return [...out, rest].filter((one) => one !== "");
}
