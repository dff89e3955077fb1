import { badArgument, checkList } from "../prompt/argument.ts";
import { Problem } from "../prompt/problem.ts";
import { identities } from "./accounts/identities.ts";
import { tokens } from "./accounts/tokens.ts";
import { users } from "./accounts/users.ts";
import { agents, charters } from "./agents.ts";
import { amendments, held, standings } from "./amendments/amendments.ts";
import { automata, totals } from "./automata/automata.ts";
import { chainBalances, chainBlocks, chainCursors, chainMessages, chainReplies } from "./chain/chain-message.ts";
import { updates } from "./channels/channel-updates.ts";
import { dispatches } from "./channels/dispatches.ts";
import { linkCodes, links } from "./channels/links.ts";
import { conversations, exchanges, inbox, lanes, messageIds, outbox } from "./conversations/inbox-row.ts";
import type { Database, Home, Look, SchemaVersion } from "./home/database.ts";
import { raw, sql } from "./home/sql.ts";
import { checkTable, columnNames, count, digest, name, type Table, table } from "./home/table.ts";
import { partVersion, type Schema, type SchemaPart, type SchemaStep, schemaOf, step } from "./home/table-statements.ts";
import { memories, vectors } from "./memory/note.ts";
import { heads, publications } from "./publications/publications.ts";
import { agentSaid, charterSaid } from "./said-charter.ts";
import { runs, schedules } from "./schedules/runs.ts";
import { checkName } from "./scope.ts";
import { texts } from "./texts/text.ts";
import { toolPins } from "./tool-pins.ts";
import { attachments } from "./turns/attachments.ts";
import { heldCalls } from "./turns/held-calls.ts";
import { spending } from "./turns/spending.ts";
import { hashChains, steps } from "./turns/steps.ts";
import { events, sessions, turns, turnWords } from "./turns/turn.ts";
import { refusedKinds, windows } from "./windows.ts";

/** Number of rows that an owner has in a table, and the sum of their digests: these prove rows that are in no hash chain. */
export const seals = table(
  "seals",
  {
    of: "store",
    key: ["agent", "user_id", "what"],
    isByKey: true,
    owner: { agent: "agent", user: "user_id" },
    proof: "seals",
    // Seals are recounted from the rows they follow.
    erase: { blank: "keep" },
    isLeftOut: true,
    exported: false,
    besides: { postgres: ["alter table seals alter column digest type numeric using cast(digest as numeric)"] },
  },
  { agent: name(), user: name(), what: name(), count: count(), digest: digest() },
);

/** All tables of the store, in the order in which checkpoints have them. */
export const storeTables: readonly Table[] = [
  ...[agents, users, texts, amendments, standings, held, memories, vectors],
  ...[conversations, exchanges, inbox, outbox, sessions, turns, turnWords, steps, hashChains, events],
  ...[schedules, spending, heldCalls, runs, links, linkCodes, identities, updates, dispatches],
  ...[automata, totals, lanes, messageIds, publications, heads, toolPins, charters],
  ...[chainCursors, chainBlocks, chainMessages, chainReplies, chainBalances],
  ...[attachments, tokens, windows, refusedKinds, seals],
];

/** First version that this Charter brings on; databases made before it are refused. */
const firstVersion = 12;

/** How a column is added: AGENTS.md. */
const storeSteps: readonly SchemaStep[] = [
  step(13, { seals: "by name" }),
  step(14, {
    add: {
      sessions: ["job"],
      schedules: ["operator", "tainted"],
      held: ["shared"],
      turns: ["foreignTexts"],
      held_calls: ["ofPicture"],
    },
    rewrite: { charters: charterSaid, agents: agentSaid },
  }),
];

const store: SchemaPart = { owner: "store", first: firstVersion, tables: storeTables, steps: storeSteps };

export const storeSchema = schemaOf([store]);

/** Who brings the tables, and the steps that led to them since version 1. */
export type OwnTablesOptions = { readonly owner?: string; readonly steps?: readonly SchemaStep[] };

/** Returns the store's schema with tables of your own: they are erased, carried in checkpoints and proven like all others. */
export function withTables(tables: readonly Table[], { owner = "own", steps = [] }: OwnTablesOptions = {}): Schema {
  checkList("withTables", tables);
  for (const one of tables) checkTable("withTables", one);
  checkName("owner of tables", owner);
  if (owner === store.owner || owner.includes("'"))
    throw badArgument(`“${owner}” cannot be the owner of your tables.`, "Name your package.");
  return schemaOf([store, { owner, first: 1, tables, steps }]);
}

/** Returns the version of the store's own tables. */
export function versionOf({ parts }: Schema): number {
  return partVersion(parts[0] as SchemaPart);
}

/** Returns the version that a program has to know at least: steps that only add leave it as it is. */
export function leastReaderOf({ first, steps }: SchemaPart): number {
  return steps.findLast(isContraction)?.to ?? first;
}

/** Tells whether a step does more than add: a program of an older version can no longer work with what it leaves. */
export function isContraction({ drop, dropTables, rewrite, seals }: SchemaStep): boolean {
  return [drop, dropTables, rewrite, seals].some((change) => change !== undefined);
}

/** Homes that were found to be in order: whoever opens one looks once. */
const checkedHomes = new WeakSet<Home>();

/**
 * Creates the tables of a new home, unless told not to; refuses one that is not as this Charter declares it by name, without
 * touching it.
 */
export async function checkVersion(home: Home, { create = true } = {}): Promise<void> {
  if (checkedHomes.has(home)) return;
  const look = await home.look();
  if (look === undefined && !create)
    throw new Problem(
      "no-database",
      `There is no Charter in ${home.place} yet.`,
      "Make one with `charter migrate` or `charter agents add`, or name another with --database.",
    );
  if (look === undefined || !isInOrder(home, look)) await home.migrate();
  checkedHomes.add(home);
}

/** Tells whether all is there; `false`: tables of one's own are to be made, as after they were declared. */
function isInOrder({ place, schema, name }: Home, look: Look): boolean {
  const missing = missingIn(look, schema);
  for (const part of schema.parts) {
    const seen = look.versions.get(part.owner);
    if (seen === undefined || (part.owner !== store.owner && missing.some((one) => isTableOf(part, one)))) return false;
    checkKnown(place, seen, part, name);
    if (seen.version < partVersion(part))
      throw new Problem(
        "older-schema",
        `${place} has schema ${seen.version}${ofOwner(part)}; this Charter works with ${partVersion(part)}.`,
        part.owner === store.owner
          ? "Run `charter migrate`. It copies a file beside itself first; dump a PostgreSQL database before."
          : "Call `migrate()` of the home that has these tables in its schema.",
      );
  }
  if (missing.length > 0) throw lackingProblem(place, missing);
  return true;
}

function lackingProblem(place: string, missing: readonly string[]): Problem {
  return new Problem(
    "older-schema",
    `${place} lacks ${some(missing)}.`,
    "Run `charter migrate`, which puts it in place; nothing was changed.",
  );
}

/** Explains a statement that failed for a table or a column that is not there; `undefined`: nothing of the schema is missing. */
export function missingProblem({ place, schema }: Pick<Home, "place" | "schema">, look: Look): Problem | undefined {
  const missing = missingIn(look, schema);
  return missing.length === 0 ? undefined : lackingProblem(place, missing);
}

/** Tells whether steps are missing, and refuses versions that there are none for. */
export function isBehind(place: string, { versions }: Look, { parts }: Schema): boolean {
  return parts.some((part) => {
    const seen = versions.get(part.owner);
    if (seen) checkKnown(place, seen, part);
    // Tables of one's own that were never there are made as they are.
    return seen !== undefined && seen.version < partVersion(part);
  });
}

const ofOwner = ({ owner }: SchemaPart) => (owner === store.owner ? "" : ` of ${owner}`);

const isTableOf = ({ tables }: SchemaPart, missing: string) =>
  tables.some(({ name }) => missing === `the table ${name}`);

const maxNamed = 8;

function some(names: readonly string[]): string {
  const further = names.length - maxNamed;
  return (further > 0 ? [...names.slice(0, maxNamed), `${further} more`] : names).join(", ");
}

/**
 * Refuses versions that this Charter has no steps for. PostgreSQL may be one version ahead, as long as nothing was taken from what
 * this Charter works with; in a file, seals follow what this process declares.
 */
export function checkKnown(place: string, seen: SchemaVersion, part: SchemaPart, home?: Home["name"]): void {
  const known = partVersion(part);
  if (seen.version > known && !(home === "postgres" && seen.leastReader <= known))
    throw new Problem(
      "newer-schema",
      `${place} was made by a newer Charter (schema ${seen.version}${ofOwner(part)}; this one knows ${known}).`,
      "Upgrade Charter; nothing was touched.",
    );
  if (seen.version < part.first)
    throw new Problem(
      "older-schema",
      `${place} was made by a Charter before the first release (schema ${seen.version}; this one knows ${part.first} and later).`,
      "Name another database, or move this one aside and begin anew; nothing was touched.",
    );
}

/** Returns the statements that write down which versions a home has now. */
export function versionStatements({ parts }: Schema): string[] {
  return [
    `create table if not exists schema_version (owner text primary key, version integer not null, least_reader integer not null)`,
    ...parts.map(
      (part) => `insert into schema_version (owner, version, least_reader)
        values ('${part.owner}', ${partVersion(part)}, ${leastReaderOf(part)})
        on conflict (owner) do update set version = excluded.version, least_reader = excluded.least_reader`,
    ),
  ];
}

/** Lists what is declared and is not there. */
export function missingIn({ tables, lacks }: Look, schema: Schema): string[] {
  const missing = schema.tables.flatMap((made) => {
    const { name } = made;
    const columns = tables.get(name);
    if (columns === undefined) return [`the table ${name}`];
    return columnNames(made).flatMap((column) => (columns.includes(column) ? [] : [`the column ${name}.${column}`]));
  });
  return [...missing, ...lacks];
}

/** Tables that no owner brings. */
const innerTables = ["schema_version", "marks"];

/** Lists tables and columns that are there and not declared. */
function unknownIn({ tables }: Look, schema: Schema): readonly { readonly table: string; readonly column?: string }[] {
  const declared = new Map(schema.tables.map((made) => [made.name, made]));
  return [...tables].flatMap(([table, columns]) => {
    const made = declared.get(table);
    if (made === undefined) return innerTables.includes(table) ? [] : [{ table }];
    const besides = Object.values(made.besides ?? {}).flatMap((all) => all.join().match(/(?<=add column )\w+/g) ?? []);
    const known = new Set([...columnNames(made), ...besides]);
    return columns.flatMap((column) => (known.has(column) ? [] : [{ table, column }]));
  });
}

/** Lists the columns, and the tables with rows, that this Charter does not know. */
export async function unknownData(db: Database, schema: Schema): Promise<string[]> {
  const unknown: string[] = [];
  for (const { table, column } of unknownIn(lookOf((await db.one<LookRow>(db.dialect.look)) as LookRow), schema))
    if (column !== undefined) unknown.push(`the column ${table}.${column}`);
    else if (await db.one(sql`select 1 as there from ${raw(`"${table}"`)} limit 1`)) unknown.push(`the table ${table}`);
  return unknown.sort();
}

/** Lock of the schema: who changes it holds it alone. */
export const schemaLock = "schema";

/**
 * Refuses what has to take in everything that is kept, such as erasing, where something is kept that this Charter does not know;
 * turns go on. Whoever changes the schema waits until the transaction ends.
 */
export async function checkAllKnown(db: Database, { place, schema }: Pick<Home, "place" | "schema">): Promise<void> {
  const lock = db.dialect.lock(schemaLock, "shared");
  if (lock) await db.run(lock);
  const unknown = await unknownData(db, schema);
  if (unknown.length > 0) throw unknownProblem(place, unknown);
}

export function unknownProblem(place: string, unknown: readonly string[]): Problem {
  return new Problem(
    "unknown-data",
    `${place} has ${some(unknown)}, which this program does not know: it cannot erase, export, save, retain or verify everything.`,
    "Use the Charter, or the program, that brought it; nothing was changed. Turns go on.",
  );
}

/** What `SqlDialect.look` selects, as JSON. */
export type LookRow = { readonly versions: string | null; readonly tables: string };

/** Version 12 had one row, of the store. */
type VersionRow = { readonly owner?: string; readonly version: number; readonly least_reader?: number };

export function lookOf({ versions, tables }: LookRow): Look {
  const rows = JSON.parse(versions ?? "[]") as VersionRow[];
  const columns = Object.entries(JSON.parse(tables) as Record<string, string>);
  return {
    versions: new Map(
      rows.map(({ owner = store.owner, version, least_reader: leastReader = version }) => [
        owner,
        { version, leastReader },
      ]),
    ),
    tables: new Map(columns.map(([name, names]) => [name, names.split(" ")])),
    lacks: [],
  };
}
