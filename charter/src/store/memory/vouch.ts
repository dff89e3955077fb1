import type { Scope } from "../../amend/amendment.ts";
import { findOverride } from "../../amend/override/override.ts";
import { invisible, preview } from "../../prompt/character.ts";
import type { StoreDeps } from "../deps.ts";
import { imported, notesDisowned, notesVouched, recordEvent } from "../event.ts";
import type { Database } from "../home/database.ts";
import { findRecords, ownRows, reachOf } from "../home/query.ts";
import { sql } from "../home/sql.ts";
import { sha256 } from "../texts/packing.ts";
import { memories, type Note } from "./note.ts";

/** Imported notes to vouch for: one user's, or those of all the agent's users; and the person who does. */
export type VouchOptions = { readonly agent: string; readonly user?: string | undefined; readonly by: string };

/** Notes that are own now, and those that the screen flagged, with the reason: they stay foreign. */
export type VouchResult = {
  readonly notes: readonly Note[];
  readonly flagged: readonly (Note & { readonly because: string })[];
};

/** Notes that are foreign again. */
export type DisownResult = { readonly notes: readonly Note[] };

type VouchDeps = Pick<StoreDeps, "home" | "now">;

/**
 * Vouches for notes that were imported: from then on they are own text, and do not taint a turn that reads them. An event says
 * who did it, and for which notes. Flagged notes stay foreign, and so do those that were changed since the import.
 */
export async function vouchForNotes(deps: VouchDeps, { by, ...about }: VouchOptions): Promise<VouchResult> {
  const results = await inEachScope(deps, about, async (db, scope) => {
    const foreign = (await importedNotes(db, scope)).filter(({ tainted }) => tainted);
    const judged = foreign.map((note) => ({ note, because: flagOf(note.text) }));
    const flagged = judged.flatMap(({ note, because }) => (because === undefined ? [] : [{ ...note, because }]));
    const cleared = judged.flatMap(({ note, because }) => (because === undefined ? [note] : []));
    const notes = await mark(db, cleared, false);
    const ids = { notes: notes.map(({ id }) => id), flagged: flagged.map(({ id }) => id) };
    const detail = { by, count: notes.length, ...ids };
    if (notes.length > 0) recordEvent(db, deps.now(), { scope, kind: notesVouched, detail });
    return { notes, flagged };
  });
  return { notes: results.flatMap(({ notes }) => notes), flagged: results.flatMap(({ flagged }) => flagged) };
}

/** Makes the notes that somebody vouched for foreign again. */
export async function disownRows(deps: VouchDeps, { by, ...about }: VouchOptions): Promise<DisownResult> {
  const results = await inEachScope(deps, about, async (db, scope) => {
    const vouched = new Set(await listsIn(db, scope, notesVouched));
    const own = (await importedNotes(db, scope)).filter(({ id, tainted }) => !tainted && vouched.has(id));
    const notes = await mark(db, own, true);
    const detail = { by, count: notes.length, notes: notes.map(({ id }) => id) };
    if (notes.length > 0) recordEvent(db, deps.now(), { scope, kind: notesDisowned, detail });
    return notes;
  });
  return { notes: results.flat() };
}

/** Runs the work in a transaction for each user, so that the erasure of one user does not stop the others. */
async function inEachScope<Result>(
  { home }: VouchDeps,
  { agent, user }: Omit<VouchOptions, "by">,
  work: (db: Database, scope: Scope) => Promise<Result>,
): Promise<readonly Result[]> {
  const users =
    user === undefined
      ? await home.read(reachOf(agent, user), (db) =>
          db.all<{ user_id: string }>(sql`select distinct user_id from events
            where agent = ${agent} and user_id <> '' and kind = ${imported} order by user_id`),
        )
      : [{ user_id: user }];
  const results: Result[] = [];
  for (const { user_id } of users) {
    const scope = { agent, user: user_id };
    results.push(await home.write(scope, (db) => work(db, scope)));
  }
  return results;
}

/** Returns the notes that still have exactly the imported text, oldest first. */
async function importedNotes(db: Database, scope: Scope): Promise<readonly Note[]> {
  const digests = new Set(await listsIn(db, scope, imported));
  const unturned = sql`select * from memories where ${ownRows(scope)} and turn is null order by number`;
  return (await findRecords(db, memories, unturned)).filter(({ text }) => digests.has(sha256(text)));
}

/** Returns the lists `notes` of the events of a kind. */
async function listsIn(db: Database, scope: Scope, kind: string): Promise<readonly string[]> {
  const rows = await db.all<{ detail: string }>(
    sql`select detail from events where ${ownRows(scope)} and kind = ${kind}`,
  );
  return rows.flatMap(({ detail }) => (JSON.parse(detail) as { notes?: readonly string[] }).notes ?? []);
}

/** Marks the notes that still have the same text; changed ones are left alone. */
async function mark(db: Database, notes: readonly Note[], tainted: boolean): Promise<readonly Note[]> {
  const marked: Note[] = [];
  for (const note of notes) {
    const changed = await db.run(sql`update memories set tainted = ${tainted ? 1 : 0}
      where id = ${note.id} and text = ${note.text} and tainted = ${tainted ? 0 : 1} and ${ownRows(note.scope)}`);
    if (changed > 0) marked.push({ ...note, tainted });
  }
  return marked;
}

const hidden = new RegExp(invisible.source, "u");

/** Returns the reason why nobody can vouch for a text together with others. */
function flagOf(text: string): string | undefined {
  if (hidden.test(text)) return "It has characters that no eye sees.";
  const override = findOverride(text);
  return override && `It gives orders: “${preview(text.slice(override.start, override.end), 120)}”.`;
}
