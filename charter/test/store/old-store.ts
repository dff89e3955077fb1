import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Database } from "../../src/store/home/database.ts";
import { migrations } from "../../src/store/home/migration-list.ts";
import { createRole, postgresTypes as onPostgres, role } from "../../src/store/home/postgres/postgres-schema.ts";
import { joinQueries, type Row, raw, sql, type Value } from "../../src/store/home/sql.ts";
import { sqliteTypes as onSqlite } from "../../src/store/home/sqlite/sqlite-schema.ts";
import type { Home, Store } from "../../src/store/index.ts";
import { checkpointTables, columnsAt } from "../../src/store/lifecycle/checkpoint-tables.ts";
import { sha256 } from "../../src/store/texts/sha256.ts";

export type Line = { table: string; row: Row } | { text: { owner: string; digest: string; words: string } };

/** A store of schema 1 in which something of everything has happened (see lived.ts), saved by the Charter of its day. */
const saved = join(import.meta.dirname, "schema-1.checkpoint");
const lines = gunzipSync(readFileSync(saved)).toString().trimEnd().split("\n");
const first = lines.slice(1, -1).map((line) => JSON.parse(line) as Line);

/** What schema 2 added: whose turn it is, what was spent, a call that waits. */
const scope = { agent: "ada", user_id: "bo" };
const runs = { runner: "host:4711", lease_seconds: 300, leased_until: "2026-02-18T00:07:28.000Z" };
const silent = { runner: null, lease_seconds: null, leased_until: null };
const spent = { ...scope, day: "2026-02-17", receiver: "m1", micros: 7, input: 1, read: 2, written: 3, output: 4 };
const waits = {
  ...{ id: "call-1", ...scope, turn: "unanswered", step: 1, call: "c1", call_digest: "d", tool: "send_mail" },
  ...{ input: "{}", because: "ask first", at: "2026-02-18T00:02:28.000Z", status: "waiting", decided_at: null },
  ...{ decided_by: null, decided_because: null, taken_at: null, ended_at: null, result: null },
};

function inSecond(line: Line): Line[] {
  if ("text" in line) return [line];
  const { table, row } = line;
  if (table === "turns") return [{ table, row: { ...row, ...(row.id === "unanswered" ? runs : silent) } }];
  if (table !== "tokens") return [line];
  return [{ table: "spending", row: spent }, { table: "held_calls", row: waits }, line];
}

/** What schema 3 added to rows there were: how schedules run, and where sessions come from. */
const runsAs = { missed: "once", overlap: "skip", most_tries: 3, next_zone: null };

function inThird(line: Line): Line {
  if ("text" in line) return line;
  const { table, row } = line;
  if (table === "schedules") return { table, row: { ...row, ...runsAs } };
  return table === "sessions" ? { table, row: { ...row, channel: null } } : line;
}

export type OldSchema = 1 | 2 | 3;
const second = first.flatMap(inSecond);

/** What a store of an older schema held, in the order of its checkpoint. */
export const held: Readonly<Record<OldSchema, readonly Line[]>> = { 1: first, 2: second, 3: second.map(inThird) };

/** Lines as the Charter of that schema saved them. */
export function saveOld(file: string, schema: number, body: readonly Line[]): void {
  const header = { ...JSON.parse(lines[0] as string), schema };
  const text = [header, ...body].map((line) => `${JSON.stringify(line)}\n`).join("");
  writeFileSync(file, gzipSync(`${text}${JSON.stringify({ rows: body.length, digest: sha256(text) })}\n`));
}

/** A database as the first steps of the schema alone make it. */
export async function makeOld(home: Home, schema: OldSchema): Promise<void> {
  await home.write("everything", async (db) => {
    if (home.name === "postgres") for (const words of ["create schema charter", createRole]) await db.run(raw(words));
    const types = home.name === "postgres" ? onPostgres : onSqlite;
    for (const step of migrations.slice(0, schema)) for (const words of step(types)) await db.run(raw(words));
    const version =
      home.name === "postgres"
        ? `create table schema_version (version integer not null); insert into schema_version values (${schema});
           grant select on schema_version to ${role}`
        : `pragma user_version = ${schema}`;
    await db.run(raw(version));
    if (home.name === "sqlite") await db.run(raw(`pragma application_id = ${0x43485254}`));
    for (const line of held[schema]) await insert(db, line);
  });
}

async function insert(db: Database, line: Line): Promise<void> {
  if ("text" in line) {
    const { owner, digest, words } = line.text;
    await db.run(sql`insert into texts (owner, digest, base, depth, packed, body)
      values (${owner}, ${digest}, ${null}, ${0}, ${0}, ${Buffer.from(words)}) on conflict do nothing`);
    return;
  }
  const names = Object.keys(line.row);
  const values = names.map((name) => sql`${line.row[name] as Value}`);
  await db.run(sql`insert into ${raw(line.table)} (${raw(names.join(", "))}) values (${joinQueries(values, ", ")})`);
}

const lettered = new Set(["conversations", "exchanges", "inbox", "outbox"]);
const told = new Set(["message-taken", "message-answered", "message-dead"]);

/** Those who wrote to an agent stood where users do before schema 5, and stand under a key of their own since. */
export function asKeptNow(lines: readonly Line[]): Line[] {
  return lines.map((line) => {
    if ("text" in line) return line;
    const theirs = lettered.has(line.table) || (line.table === "events" && told.has(line.row.kind as string));
    return theirs ? { ...line, row: { ...line.row, user_id: `counterpart:${line.row.user_id}` } } : line;
  });
}

/** Every row that schema knew, with the columns it knew, as it is kept now. */
export async function rowsAt(store: Store, schema: number): Promise<Line[]> {
  return store.home.read("everything", async (db) => {
    const out: Line[] = [];
    for (const table of checkpointTables) {
      const names = columnsAt(table, schema);
      if (names.length === 0) continue;
      const order = table.order.map(({ column }) => column).join(", ");
      const rows = await db.all<Row>(raw(`select ${names.join(", ")} from ${table.table} order by ${order}`));
      for (const row of rows)
        out.push({ table: table.table, row: Object.fromEntries(names.map((name) => [name, row[name] as Value])) });
    }
    return out;
  });
}
