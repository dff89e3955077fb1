import type { Client } from "pg";
import { loadPackage } from "../../packages/load-package.ts";
import { listed, Problem } from "../../prompt/problem.ts";
import { placeOf } from "../home/postgres/postgres.ts";
import { connectTimeoutMs, postgresProblem } from "../home/postgres/postgres-problem.ts";
import type { Configuration } from "./import-notes.ts";

/** The old database, which is read and never changed. */
export type OldDatabase = {
  readonly place: string;
  readonly configurations: (agents: readonly string[]) => Promise<Configuration[]>;
  /** Yields the rows of one agent and user at a time; either may be missing. */
  readonly customizations: (agents: readonly string[]) => AsyncIterable<readonly Customization[]>;
  /** Yields what agents had noted about users, a row at a time; nothing if there is no such table. */
  readonly memories: () => AsyncIterable<Customization>;
  /** Lists every other table beside them, with its number of rows. */
  readonly others: () => Promise<readonly TableCount[]>;
};

export type TableCount = { readonly table: string; readonly rows: number };

const memoryTable = "agent_long_term_memory";

const tables = {
  agent_configurations: [["agent_name"], ["soul", "system_prompt"]],
  user_agent_prompt_customizations: [["user_id"], ["agent_name"], ["instructions", "content"]],
} as const;

/** Opens an old database while `work` runs: read only, in one snapshot. */
export async function withOldDatabase<Result>(
  url: string,
  work: (old: OldDatabase) => Promise<Result>,
): Promise<Result> {
  const place = placeOf(url);
  const { default: pg } = await loadPackage("pg", { purpose: "PostgreSQL" });
  const client = new pg.Client({
    connectionString: url,
    application_name: "charter import",
    connectionTimeoutMillis: connectTimeoutMs,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    // Hidden rows are an error: what row-level security would hide must not pass for missing.
    await client.query(`begin isolation level repeatable read read only;
      set local row_security = off; set local timezone to 'UTC'`);
    return await work(await oldDatabase(client, place));
  } catch (error) {
    throw error instanceof Problem ? error : sourceProblem(error, place);
  } finally {
    await client.end().catch(() => {});
  }
}

async function oldDatabase(client: Client, place: string): Promise<OldDatabase> {
  const configurations = await findTable(client, place, "agent_configurations");
  const customizations = await findTable(client, place, "user_agent_prompt_customizations");
  const wanted = (agents: readonly string[]) => (agents.length === 0 ? "" : "where agent_name = any($1)");
  const values = (agents: readonly string[]) => (agents.length === 0 ? [] : [agents]);
  return {
    place,
    configurations: async (agents) => {
      const words = `select to_jsonb(t)::text as raw from ${configurations} t ${wanted(agents)} order by agent_name`;
      const { rows } = await client.query<{ raw: string }>(words, values(agents));
      return rows.map(parsed);
    },
    customizations: async function* (agents) {
      const order = `order by agent_name::text collate "C", user_id::text collate "C"`;
      const words = `select to_jsonb(t)::text as raw from ${customizations} t ${wanted(agents)} ${order}`;
      let group: Customization[] = [];
      for await (const one of eachRow(client, words, values(agents))) {
        if (group[0] && ownerOf(group[0]) !== ownerOf(one)) {
          yield group;
          group = [];
        }
        group.push(one);
      }
      if (group.length > 0) yield group;
    },
    memories: async function* () {
      const schemas = await schemasOf(client, memoryTable);
      if (!schemas[0]) return;
      const from = `${quoted(schemas[0].schema)}.${quoted(memoryTable)}`;
      // Sorted by their text, so that two imports read the same order.
      yield* eachRow(client, `select to_jsonb(t)::text as raw from ${from} t order by to_jsonb(t)::text collate "C"`);
    },
    others: async () => {
      const own = configurations.slice(1, configurations.indexOf('"."'));
      const { rows } = await client.query<{ name: string }>(
        `select table_name as name from information_schema.tables where table_schema = $1 and table_type = 'BASE TABLE'
          order by table_name`,
        [own.replaceAll('""', '"')],
      );
      const names = rows.map(({ name }) => name).filter((name) => name !== memoryTable && !Object.hasOwn(tables, name));
      const counts: TableCount[] = [];
      for (const name of names) {
        const counted = await client.query<{ count: string }>(`select count(*) as count from "${own}".${quoted(name)}`);
        counts.push({ table: name, rows: Number(counted.rows[0]?.count) });
      }
      return counts.filter((one) => one.rows > 0);
    },
  };
}

async function schemasOf(client: Client, table: string): Promise<{ schema: string; column: string }[]> {
  const { rows } = await client.query<{ schema: string; column: string }>(
    `select table_schema as schema, column_name as column from information_schema.columns where table_name = $1
      order by table_schema <> 'public', table_schema, ordinal_position`,
    [table],
  );
  return rows;
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Yields rows one after the other, with only some of them in memory at a time. */
async function* eachRow(client: Client, words: string, values: unknown[] = []): AsyncGenerator<Customization> {
  await client.query(`declare old no scroll cursor for ${words}`, values);
  for (let more = true; more; ) {
    const { rows } = await client.query<{ raw: string }>("fetch 500 from old");
    yield* rows.map(parsed);
    more = rows.length === 500;
  }
  await client.query("close old");
}

const ownerOf = ({ row }: Customization) => JSON.stringify([row.agent_name, row.user_id]);

/** Parses a row; numbers that JavaScript would round stay texts, as they were written. */
function parsed({ raw }: { raw: string }): Customization {
  const exact = (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === "number" &&
    context?.source !== undefined &&
    !Number.isSafeInteger(value) &&
    String(value) !== context.source
      ? context.source
      : value;
  return { row: JSON.parse(raw, exact as (key: string, value: unknown) => unknown), raw };
}

async function findTable(client: Client, place: string, name: keyof typeof tables): Promise<string> {
  const rows = await schemasOf(client, name);
  const [first] = rows;
  if (!first)
    throw new Problem(
      "import-source",
      `There is no table “${name}” in ${place}, or its user may not see it.`,
      "Check the address: it has to be the old database itself, and a user who may read all of it.",
    );
  const columns = rows.filter(({ schema }) => schema === first.schema).map(({ column }) => column);
  const missing = tables[name].find((either) => either.every((column) => !columns.includes(column)));
  if (missing)
    throw new Problem(
      "import-source",
      `The table “${name}” in ${place} has no column ${missing.map((column) => `“${column}”`).join(" or ")}.`,
      `It has ${listed(columns)}. Nothing was changed.`,
    );
  return `${quoted(first.schema)}.${quoted(name)}`;
}

function sourceProblem(error: unknown, place: string): unknown {
  if ((error as { code?: string }).code !== "42501") return postgresProblem(error, place);
  return new Problem(
    "import-source",
    `The user of ${place} may not read every row of the old tables.`,
    "Give one whom row-level security does not hold back: their owner (on Supabase, postgres).",
  );
}

/** A row of the old `user_agent_prompt_customizations`, as JSON; `raw` is the database's exact text. */
export type Customization = { readonly row: Readonly<Record<string, unknown>>; readonly raw: string };

/** Text made of one user's rows for one agent. */
export type MergedCustomizations = {
  readonly text: string;
  /** Rows that are in the text, in their order. */
  readonly rows: readonly Customization[];
  /** Rows that were switched off: they are reported, but not in the text. */
  readonly inactive: readonly Customization[];
};

/** Merges rows, the most important first; equals by age, oldest first, then by type. */
export function mergeCustomizations(rows: readonly Customization[]): MergedCustomizations {
  const [active, inactive] = [true, false].map((on) => rows.filter(({ row }) => (row.is_active !== false) === on));
  const ordered = (active as Customization[]).toSorted(before);
  const texts = ordered.map(({ row }) => customizationText(row)).filter((text) => text.trim() !== "");
  return { text: texts.join("\n\n"), rows: ordered, inactive: inactive as Customization[] };
}

function before({ row: one }: Customization, { row: other }: Customization): number {
  const priority = (row: Customization["row"]) => (typeof row.priority === "number" ? row.priority : -Infinity);
  const time = (row: Customization["row"]) => Date.parse(String(row.created_at)) || 0;
  const type = (row: Customization["row"]) => String(row.customization_type ?? "");
  if (priority(one) !== priority(other)) return priority(other) - priority(one);
  return time(one) - time(other) || (type(one) < type(other) ? -1 : type(one) > type(other) ? 1 : 0);
}

/**
 * Returns the text of a row. If both columns are there, `instructions` is the newer one; the old schema's own migration put JSON
 * into it as text, which is parsed again here.
 */
export function customizationText({ instructions, content }: Customization["row"]): string {
  if (typeof instructions !== "string" || instructions.trim() === "") return readable(content);
  const value = json(instructions);
  return typeof value === "string" || (typeof value === "object" && value !== null) ? readable(value) : instructions;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Writes JSON in readable form: texts as they are, `key: value` lines, bullets. Nothing is dropped. */
export function readable(value: unknown): string {
  if (value === undefined || value === null || isEmpty(value)) return "";
  return linesOf(value).join("\n");
}

function linesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => bullet(linesOf(item)));
  if (typeof value !== "object" || value === null) return String(value).split("\n");
  return Object.entries(value).flatMap(([key, inner]) => entry(key, inner));
}

function entry(key: string, value: unknown): string[] {
  if (isEmpty(value) || value === "") return [`${key}: ${JSON.stringify(value)}`];
  const lines = linesOf(value);
  if (typeof value !== "object" || value === null)
    return lines.length === 1 ? [`${key}: ${lines[0]}`] : [`${key}:`, ...lines.map(indented)];
  // Bullets below a key show what belongs to it.
  const below = Array.isArray(value) ? lines : Object.entries(value).flatMap((one) => bullet(entry(...one)));
  return [`${key}:`, ...below.map(indented)];
}

const bullet = ([first = "", ...more]: readonly string[]): string[] => [`- ${first}`, ...more.map(indented)];
const indented = (line: string): string => (line === "" ? "" : `  ${line}`);

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
