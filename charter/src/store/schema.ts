import { checkList } from "../prompt/argument.ts";
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
import type { Database, Home } from "./home/database.ts";
import type { Query } from "./home/sql.ts";
import { checkTable, count, digest, name, type Table, table } from "./home/table.ts";
import type { ColumnTypes, Schema } from "./home/table-statements.ts";
import { memories, vectors } from "./memory/note.ts";
import { heads, publications } from "./publications/publications.ts";
import { runs, schedules } from "./schedules/runs.ts";
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

/** First schema version that this Charter reads; databases made before it are refused. */
const firstVersion = 12;

export const storeSchema: Schema = { tables: storeTables, steps: [] };

/** Returns the store's schema with tables of your own: they are erased, carried in checkpoints and proven like all others. */
export function withTables(tables: readonly Table[]): Schema {
  checkList("withTables", tables);
  for (const one of tables) checkTable("withTables", one);
  return { ...storeSchema, tables: [...storeTables, ...tables] };
}

export function versionOf({ steps }: Schema): number {
  return firstVersion + steps.length;
}

/** Creates the tables of a new home; refuses one with an older or newer schema by name, without touching it. */
export async function checkVersion(home: Home): Promise<void> {
  const version = await home.version();
  const known = versionOf(home.schema);
  // Tables of one's own may have been declared since.
  if (version === undefined || (version === known && home.schema.tables !== storeSchema.tables)) await home.migrate();
  if (version === undefined || version === known) return;
  checkKnown(home.place, version, home.schema);
  throw new Problem(
    "older-schema",
    `${home.place} has schema ${version}; this Charter works with ${known}.`,
    "Copy the database aside, then run `charter migrate`.",
  );
}

/** Refuses a database that this Charter has no migration steps for. */
function checkKnown(place: string, version: number, schema: Schema): void {
  const known = versionOf(schema);
  if (version > known)
    throw new Problem(
      "newer-schema",
      `${place} was made by a newer Charter (schema ${version}; this one knows ${known}).`,
      "Upgrade Charter; nothing was touched.",
    );
  if (version < firstVersion)
    throw new Problem(
      "older-schema",
      `${place} was made by a Charter before the first release (schema ${version}; this one knows ${firstVersion} and later).`,
      "Name another database, or move this one aside and begin anew; nothing was touched.",
    );
}

/** A migration of one home, inside the transaction it opened for it. */
type Migration = {
  readonly place: string;
  readonly version: number | undefined;
  readonly schema: Schema;
  readonly types: ColumnTypes;
  /** Query for the names of the existing tables. */
  readonly names: Query;
  /** Returns the SQL that creates a table. */
  readonly statementsOf: (made: Table) => readonly string[];
  /** Runs statements, all at once. */
  readonly run: (statements: string) => unknown;
};

/** Runs the missing migration steps, and creates the missing tables. */
export async function migrateTables(db: Database, migration: Migration): Promise<void> {
  const { place, version, schema, types, names, statementsOf, run } = migration;
  if (version !== undefined) {
    checkKnown(place, version, schema);
    for (const step of schema.steps.slice(version - firstVersion)) await run(step(types).join(";\n"));
  }
  const existing = new Set((await db.all<{ name: string }>(names)).map(({ name }) => name));
  const missing = schema.tables.filter(({ name }) => !existing.has(name));
  await run(missing.flatMap(statementsOf).join(";\n"));
}
