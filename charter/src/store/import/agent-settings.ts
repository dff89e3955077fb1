import { lowerHeadings } from "../../prompt/lower-headings.ts";
import { sha256 } from "../texts/sha256.ts";

/** A row of the old `agent_configurations`, as JSON; `raw` is what the database said, to the letter. */
export type Configuration = { readonly row: Readonly<Record<string, unknown>>; readonly raw: string };

/** What an agent is set up with here, and what it was there: nothing of the old row is lost. */
type ImportedSettings = {
  readonly original: { readonly soul?: string; readonly identity?: Readonly<Record<string, string>> };
  readonly imported: {
    readonly from: "supabase";
    /** Of the old rows: another one means that they were changed there. */
    readonly digest: string;
    /** Of what was made of them: another one means that it was changed here. */
    readonly made: string;
    /** Columns that mean nothing here, or could not be used as they were. */
    readonly columns: Readonly<Record<string, unknown>>;
    /** Further rows of the same name. */
    readonly others?: readonly Readonly<Record<string, unknown>>[];
  };
};

/** What it becomes here: its charter, and the level of the heading its soul stands under. */
type AgentTarget = { readonly charter: string; readonly soulLevel: number };

type MadeSettings = {
  readonly settings: ImportedSettings;
  /** How many headings of its soul stood as high as the section's own. */
  readonly lowered: number;
  /** Switched off there, it comes over frozen. */
  readonly active: boolean;
};

/** One agent of that charter out of its rows: the active one, of several the newest. */
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

/** The digest of an agent's charter and settings, but for where they came from. */
export function settingsDigest(charter: string, settings: Readonly<Record<string, unknown>>): string {
  const { imported: _, ...own } = settings;
  return sha256(JSON.stringify([charter, own]));
}

function before({ row: one, raw: rawOne }: Configuration, { row: other, raw: rawOther }: Configuration): number {
  const active = (row: Configuration["row"]) => (row.is_active === false ? 1 : 0);
  const time = (row: Configuration["row"]) => Date.parse(String(row.updated_at ?? row.created_at)) || 0;
  return active(one) - active(other) || time(other) - time(one) || (rawOne < rawOther ? -1 : 1);
}

/** The three fields an assistant has. `whole`: nothing else was in it. */
function identityOf(identity: unknown): { used: Record<string, string>; whole: boolean } {
  if (identity === undefined || identity === null) return { used: {}, whole: true };
  if (typeof identity !== "object" || Array.isArray(identity)) return { used: {}, whole: false };
  const fields = Object.entries(identity);
  const used = fields.filter(
    ([name, value]) => ["name", "vibe", "description"].includes(name) && typeof value === "string",
  );
  return { used: Object.fromEntries(used), whole: used.length === fields.length };
}
