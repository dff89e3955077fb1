import type { Scope } from "../../amend/amendment.ts";
import { badArgument } from "../../prompt/argument.ts";
import type { Database, NewRow } from "./database.ts";
import { joinQueries, type Query, raw, sql, type Value } from "./sql.ts";
import { type NewRowOf, type RecordOf, recordOf, rowOf, type Table, type TableColumn } from "./table.ts";

/** The record of the first row that a query finds. */
export async function findRecord<Made extends Table>(db: Database, made: Made, query: Query) {
  const row = await db.one<object>(query);
  return row && recordOf(made, row);
}

/** The records of all rows that a query finds. */
export async function findRecords<Made extends Table>(
  db: Database,
  made: Made,
  query: Query,
): Promise<RecordOf<Made>[]> {
  return (await db.all<object>(query)).map((row) => recordOf(made, row));
}

/** A condition: a scope's own rows. */
export function ownRows({ agent, user = "" }: Scope): Query {
  return sql`agent = ${agent} and user_id = ${user}`;
}

/** A condition: each of these columns holds this. What is not given finds no row: it is refused, not left out. */
export function exactly(columns: Readonly<Record<string, Value>>): Query {
  const lacking = Object.keys(columns).find((column) => columns[column] === undefined);
  if (lacking !== undefined)
    throw badArgument(`Which row is meant is not said: its ${lacking} is undefined.`, `Give its ${lacking}.`);
  return matching(columns);
}

/** A condition: each of these columns holds this, of those that are given; without any it always holds. */
export function matching(columns: Readonly<Record<string, Value | undefined>>): Query {
  const given = Object.entries(columns).filter((one): one is [string, Value] => one[1] !== undefined);
  if (given.length === 0) return raw("1 = 1");
  return joinQueries(
    given.map(([column, value]) => (value === null ? raw(`${column} is null`) : sql`${raw(column)} = ${value}`)),
    " and ",
  );
}

/** What an update sets: each of these columns, of those that are given. */
export function setting(columns: Readonly<Record<string, Value | Query | undefined>>): Query {
  const given = Object.entries(columns).filter((one): one is [string, Value | Query] => one[1] !== undefined);
  return joinQueries(
    given.map(([column, value]) => sql`${raw(column)} = ${value}`),
    ", ",
  );
}

/** What inserts several rows with one statement: what one of them is given, and another is not, is null there. */
export function insertAll<Made extends Table>(
  { dialect }: Database,
  made: Made,
  given: readonly NewRowOf<Made>[],
): Query {
  const rows = given.map((one) => rowOf(made, one) as NewRow);
  const named = new Set(rows.flatMap((row) => Object.keys(row)));
  const ofType = (wanted: TableColumn["type"]) =>
    made.all.filter(({ type, column }) => type === wanted && named.has(column)).map(({ column }) => column);
  return dialect.insert(made.name, { text: ofType("text"), number: ofType("number") }, rows);
}

export async function countRows(db: Database, table: string, where: Query): Promise<number> {
  const row = await db.one<{ count: number }>(sql`select count(*) as count from ${raw(table)} where ${where}`);
  return Number(row?.count ?? 0);
}

/** Until this transaction ends, nobody else gets the lock of this name; those who share it get it together. */
export async function lockNamed(db: Database, name: readonly string[], how?: "shared"): Promise<void> {
  const lock = db.dialect.lock(JSON.stringify(name), how);
  if (lock) await db.all(lock);
}

/** First of all in a transaction that may write for a user: while it goes on, nobody is erased. */
export async function lockAgainstErasure(db: Database): Promise<void> {
  const kept = db.dialect.lockTableShared("texts");
  if (kept) await db.run(kept);
}
