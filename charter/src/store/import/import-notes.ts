import type { Scope } from "../../amend/amendment.ts";
import { characterIndex } from "../../prompt/character.ts";
import { lowerHeadings } from "../../prompt/passage.ts";
import { type AmendmentRow, fromSection } from "../amendments/amendments.ts";
import type { StoreDeps } from "../deps.ts";
import { imported as kind, recordEvent } from "../event.ts";
import type { Home } from "../home/database.ts";
import { lockNamed } from "../home/query.ts";
import { sql } from "../home/sql.ts";
import { insertNote, maxNoteChars } from "../memory/note.ts";
import { sha256 } from "../texts/packing.ts";
import type { Texts } from "../texts/text.ts";

/** Text of an old row of memory, and its time. */
type OldNotes = { readonly text: string; readonly at: string | undefined };

/** Result of an import. `notes`: how many were saved now. `erased`: the user was erased here, and is not brought back. */
type BringNotesResult = { readonly notes: number; readonly erased: boolean };

type NotesTarget = Pick<StoreDeps, "home" | "now" | "newId"> & { readonly dryRun: boolean };

const table = "agent_long_term_memory";

/**
 * Saves the new ones among old notes, a note for each paragraph, and an event with their digests: both or neither. A note that
 * was imported before is not imported again, whatever happened to it here. Nobody knows who wrote the notes, so they are foreign.
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
    recordEvent(db, time, { scope, kind, detail });
    return { notes: fresh.length, erased: false };
  });
}

/** Splits a text at empty lines; a paragraph that is too long for a note is cut, at the end of a line if possible. */
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
  for (let end = characterIndex(rest, maxNoteChars); end < rest.length; end = characterIndex(rest, maxNoteChars)) {
    const line = rest.lastIndexOf("\n", end);
    const cut = line > 0 ? line : end;
    out.push(rest.slice(0, cut).trim());
    rest = rest.slice(cut).trim();
  }
  return [...out, rest].filter((one) => one !== "");
}

/** A row of the old `agent_configurations`, as JSON; `raw` is the database's exact text. */
export type Configuration = { readonly row: Readonly<Record<string, unknown>>; readonly raw: string };

/** Settings of an imported agent, and its old row: nothing of it is lost. */
type ImportedSettings = {
  readonly original: { readonly soul?: string; readonly identity?: Readonly<Record<string, string>> };
  readonly imported: {
    readonly from: "supabase";
    /** Digest of the old rows: another one means that they were changed there. */
    readonly digest: string;
    /** Digest of the settings as imported: another one means that they were changed here. */
    readonly made: string;
    /** Columns that have no meaning here, or could not be used as they were. */
    readonly columns: Readonly<Record<string, unknown>>;
    /** Further rows of the same name. */
    readonly others?: readonly Readonly<Record<string, unknown>>[];
  };
};

/** Charter of the agent here, and the level of the heading above its soul. */
type AgentTarget = { readonly charter: string; readonly soulLevel: number };

type MadeSettings = {
  readonly settings: ImportedSettings;
  /** Number of headings in its soul that were as high as the section's own, and were lowered. */
  readonly lowered: number;
  /** Shows that the agent was switched on there; otherwise it is imported frozen. */
  readonly active: boolean;
};

/** Makes the settings of one agent from its rows: from the active one, or the newest of several. */
export function settingsOf(rows: readonly Configuration[], { charter, soulLevel }: AgentTarget): MadeSettings {
  const [chosen, ...others] = rows.toSorted(before) as [Configuration, ...Configuration[]];
  const { agent_name: _, soul, system_prompt, identity, ...columns } = chosen.row;
  const words = [soul, system_prompt].find((one) => typeof one === "string" && one.trim() !== "") as string | undefined;
  const { text, lowered } = lowerHeadings(words ?? "", soulLevel);
  const known = identityOf(identity);
  const original = {
    ...(words === undefined ? {} : { soul: text }),
    ...(Object.keys(known.used).length === 0 ? {} : { identity: known.used }),
  };
  const left = {
    ...columns,
    ...(typeof system_prompt === "string" && system_prompt !== words ? { system_prompt } : {}),
    ...(known.whole ? {} : { identity }),
  };
  const digest = sha256(JSON.stringify([chosen, ...others].map(({ raw }) => raw)));
  const about = { from: "supabase" as const, digest, made: settingsDigest(charter, { original }), columns: left };
  const imported = { ...about, ...(others.length === 0 ? {} : { others: others.map(({ row }) => row) }) };
  return { settings: { original, imported }, lowered, active: chosen.row.is_active !== false };
}

/** Computes the digest of an agent's charter and settings, without their origin. */
export function settingsDigest(charter: string, settings: Readonly<Record<string, unknown>>): string {
  const { imported: _, ...own } = settings;
  return sha256(JSON.stringify([charter, own]));
}

function before({ row: one, raw: rawOne }: Configuration, { row: other, raw: rawOther }: Configuration): number {
  const active = (row: Configuration["row"]) => (row.is_active === false ? 1 : 0);
  const time = (row: Configuration["row"]) => Date.parse(String(row.updated_at ?? row.created_at)) || 0;
  return active(one) - active(other) || time(other) - time(one) || (rawOne < rawOther ? -1 : 1);
}

/** Picks the three fields that an assistant has. `whole`: there was nothing else. */
function identityOf(identity: unknown): { used: Record<string, string>; whole: boolean } {
  if (identity === undefined || identity === null) return { used: {}, whole: true };
  if (typeof identity !== "object" || Array.isArray(identity)) return { used: {}, whole: false };
  const fields = Object.entries(identity);
  const used = fields.filter(
    ([name, value]) => ["name", "vibe", "description"].includes(name) && typeof value === "string",
  );
  return { used: Object.fromEntries(used), whole: used.length === fields.length };
}

/** Amendment that was imported before, and what happened to it since. */
export type PreviousImport = {
  /** Newest revision of the section here. */
  readonly newest: { readonly revision: number; readonly erased: boolean } | undefined;
  /** Newest revision that was imported, and its text. */
  readonly last: { readonly revision: number; readonly text: string | undefined } | undefined;
  /** Proposal with exactly this text that waits for a person, or was rejected. */
  readonly held: { readonly id: string; readonly status: string } | undefined;
};

/** Finds the previous import of a section. The keys of imports begin with their origin. */
export async function findPreviousImport(
  { home, texts }: { readonly home: Home; readonly texts: Texts },
  scope: Scope,
  section: string,
  from: string,
  text: string,
): Promise<PreviousImport> {
  const ofSection = fromSection(scope, section);
  return home.read(scope, async (db) => {
    const newest = await db.one<AmendmentRow>(sql`select * ${ofSection} order by revision desc limit 1`);
    const last = await db.one<AmendmentRow>(
      sql`select * ${ofSection} and key like ${`${from}:%`} order by revision desc limit 1`,
    );
    const held = await db.one<{ id: string; status: string }>(sql`select id, status from held
      where agent = ${scope.agent} and user_id = ${scope.user ?? ""} and section = ${section}
        and key like ${`${from}:%`} and after = ${text} and status <> 'approved' order by id desc limit 1`);
    return {
      newest: newest && { revision: newest.revision, erased: newest.erased_at !== null },
      last: last && { revision: last.revision, text: await texts.get(db, last.user_id, last.after_digest) },
      held,
    };
  });
}
