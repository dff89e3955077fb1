import type { Scope } from "../../amend/amendment.ts";
import { badArgument, isObject, kindOf } from "../../prompt/argument.ts";
import { createBoundedMap } from "../../prompt/bounds.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Database, Home, NewRow, Reach } from "./database.ts";
import { checkSoundText, chunks, joinQueries, listOf, type Query, type Row, raw, sql, type Value } from "./sql.ts";
import {
  type ColumnFacts,
  checkTable,
  type NewRowOf,
  type RecordOf,
  scopeOf,
  type Table,
  type TableColumn,
} from "./table.ts";

/** Translation between a record's field and its column. */
type FieldPlan = {
  readonly column: string;
  readonly field: string;
  readonly reads: ColumnFacts["reads"] | "agent" | "user";
  readonly isHidden: boolean;
  readonly isOptional: boolean;
  readonly isNullable: boolean;
};

/** Field plans of a table, made once. `inserts`: the texts of an insert, by the columns it names. */
type RowPlan = { readonly fields: readonly FieldPlan[]; readonly inserts: Map<number, readonly string[]> };

const plans = new WeakMap<Table, RowPlan>();

function planOf(made: Table): RowPlan {
  const known = plans.get(made);
  if (known) return known;
  const owner: Readonly<Record<string, "agent" | "user">> =
    made.of === "user" ? { agent: "agent", user_id: "user" } : {};
  const fields = made.all.map(
    ({ column, field, reads, isHidden = false, isOptional = false, isNullable = false }): FieldPlan => ({
      ...{ column, field, reads: owner[column] ?? reads, isHidden, isOptional, isNullable },
    }),
  );
  const plan = { fields, inserts: new Map() };
  plans.set(made, plan);
  return plan;
}

/** Returns a row of a table as its record. */
export function recordOf<Made extends Table>(made: Made, row: object): RecordOf<Made> {
  checkTable("recordOf", made);
  if (!isObject(row))
    throw badArgument(`The row that recordOf was given is ${kindOf(row)}.`, "Give a row of that table.");
  const from = row as Row;
  const record: Record<string, unknown> = {};
  for (const { column, field, reads, isHidden, isOptional } of planOf(made).fields) {
    if (isHidden || reads === "user") continue;
    const value = from[column];
    if (reads === "agent") record.scope = scopeOf(row as { agent: string; user_id: string });
    else if (value === null || value === undefined) {
      if (!isOptional) record[field] = null;
    } else record[field] = reads === "json" ? JSON.parse(value as string) : reads === "truth" ? value === 1 : value;
  }
  return record as RecordOf<Made>;
}

/** Returns the query that inserts a row into a table. Columns without a value get their default, or null. */
export function insertInto<Made extends Table>(made: Made, given: NewRowOf<Made>): Query {
  checkTable("insertInto", made);
  if (!isObject(given))
    throw badArgument(
      `The row that insertInto was given is ${kindOf(given)}.`,
      "Give its values, by their names in a record.",
    );
  const { fields, inserts } = planOf(made);
  const values: Value[] = [];
  // Bit for each column that has a value.
  let which = 0;
  let bit = 1;
  for (const field of fields) {
    const value = givenFor(field, given);
    if (value !== undefined) {
      which += bit;
      values.push(value);
    }
    bit *= 2;
  }
  // Texts are the same array for the same columns, so that a home recognises the query.
  const texts = inserts.get(which);
  if (texts) return { texts, values };
  inserts.set(which, insertTexts(made.name, Object.keys(rowOf(made, given))));
  return insertInto(made, given);
}

function insertTexts(name: string, columns: readonly string[]): readonly string[] {
  return [`insert into ${name} (${columns.join(", ")}) values (`, ...columns.slice(1).map(() => ", "), ")"];
}

/** Returns the record of a row that is inserted with these values, as it would be read. */
export function recordGiven<Made extends Table>(made: Made, given: NewRowOf<Made>): RecordOf<Made> {
  return recordOf(made, rowOf(made, given));
}

/** Returns the query that inserts a row, or updates the row with the same key with the given values. */
export function putInto<Made extends Table>(made: Made, given: NewRowOf<Made>): Query {
  const set = Object.keys(rowOf(made, given)).filter((column) => !made.key.includes(column));
  return sql`${insertInto(made, given)} on conflict (${raw(made.key.join(", "))})
    do update set ${raw(set.map((column) => `${column} = excluded.${column}`).join(", "))}`;
}

/** Returns a row as the database stores it, with the given values only. */
function rowOf<Made extends Table>(made: Made, given: NewRowOf<Made>): Row {
  const row: Record<string, Value> = {};
  for (const field of planOf(made).fields) {
    const value = givenFor(field, given);
    if (value !== undefined) row[field.column] = value;
  }
  return row;
}

function givenFor({ field, reads, isNullable }: FieldPlan, given: object): Value | undefined {
  const { scope, [field]: own } = given as { readonly scope: Scope; readonly [field: string]: unknown };
  const value = reads === "agent" ? scope.agent : reads === "user" ? (scope.user ?? "") : own;
  if (value === undefined || (value === null && isNullable)) return value;
  if (reads === "truth") return value ? 1 : 0;
  const kept = (reads === "json" ? JSON.stringify(value) : value) as Value;
  if (typeof kept === "string") checkSoundText(kept);
  return kept;
}

/** Returns the record of the first row that a query finds. */
export async function findRecord<Made extends Table>(db: Database, made: Made, query: Query) {
  const row = await db.one<object>(query);
  return row && recordOf(made, row);
}

/** Returns the records of all rows that a query finds. */
export async function findRecords<Made extends Table>(
  db: Database,
  made: Made,
  query: Query,
): Promise<RecordOf<Made>[]> {
  return (await db.all<object>(query)).map((row) => recordOf(made, row));
}

/** Condition: the rows of exactly this scope. */
export function ownRows({ agent, user = "" }: Scope): Query {
  return sql`agent = ${agent} and user_id = ${user}`;
}

/** Condition: each of these columns has this value. A missing value is refused: left out, it would match every row. */
export function exactly(columns: Readonly<Record<string, Value>>): Query {
  const lacking = Object.keys(columns).find((column) => columns[column] === undefined);
  if (lacking !== undefined)
    throw badArgument(`Which row is meant is not said: its ${lacking} is undefined.`, `Give its ${lacking}.`);
  return matching(columns);
}

/** Condition: each of these columns has this value; undefined values are left out, and without any it always holds. */
export function matching(columns: Readonly<Record<string, Value | undefined>>): Query {
  const given = Object.entries(columns).filter((one): one is [string, Value] => one[1] !== undefined);
  if (given.length === 0) return raw("1 = 1");
  return joinQueries(
    given.map(([column, value]) => (value === null ? raw(`${column} is null`) : sql`${raw(column)} = ${value}`)),
    " and ",
  );
}

/** Assignments of an update: each of these columns, except undefined ones. */
export function setting(columns: Readonly<Record<string, Value | Query | undefined>>): Query {
  const given = Object.entries(columns).filter((one): one is [string, Value | Query] => one[1] !== undefined);
  return joinQueries(
    given.map(([column, value]) => sql`${raw(column)} = ${value}`),
    ", ",
  );
}

/** Returns the query that inserts several rows with one statement; a column that only some rows have is null in the others. */
export function insertAll<Made extends Table>(
  { dialect }: Database,
  made: Made,
  given: readonly NewRowOf<Made>[],
): Query {
  const rows = given.map((one) => rowOf(made, one) as NewRow);
  const columns = new Set(rows.flatMap((row) => Object.keys(row)));
  const ofType = (wanted: TableColumn["type"]) =>
    made.all.filter(({ type, column }) => type === wanted && columns.has(column)).map(({ column }) => column);
  return dialect.insert(made.name, { text: ofType("text"), number: ofType("number") }, rows);
}

export async function countRows(db: Database, table: string, where: Query): Promise<number> {
  const row = await db.one<{ count: number }>(sql`select count(*) as count from ${raw(table)} where ${where}`);
  return Number(row?.count ?? 0);
}

/** Maximum number of readings of each kind that a process keeps. */
const maxReadings = 1000;

/**
 * Keeps what was read of marked tables, by a key, until somebody may have changed it: comparing their mark is cheaper than
 * reading again.
 */
export function keepReadings<Reading>(
  home: Pick<Home, "mark">,
  tables: readonly Table[],
): (key: string, read: () => Promise<Reading>) => Promise<Reading> {
  const names = tables.map(({ name, isMarked }) => {
    if (isMarked) return name;
    throw new Error(`The table ${name} has no mark.`);
  });
  const kept = createBoundedMap<string, { readonly mark: string; readonly reading: Reading }>(maxReadings);
  return async (key, read) => {
    // The mark is read first: what is committed during the reading changes it, so that it is read again.
    const mark = await home.mark(names);
    const before = kept.get(key);
    if (before && before.mark === mark) return before.reading;
    const reading = await read();
    if (mark === undefined) kept.delete(key);
    else kept.set(key, { mark, reading });
    return reading;
  };
}

/** Takes the lock of this name until the transaction ends; shared holders get it together. */
export function lockNamed(db: Database, name: readonly string[], how?: "shared"): Promise<void> {
  const lock = db.dialect.lock(JSON.stringify(name), how);
  return lock ? db.send(lock) : Promise.resolve();
}

/** Keeps erasures waiting until this transaction ends. A transaction that may write for a user calls it first. */
export function lockAgainstErasure(db: Database): Promise<void> {
  const lock = db.dialect.lockTableShared("texts");
  return lock ? db.send(lock) : Promise.resolve();
}

/** Part of a long list: the first 50 entries, unless given; at most 1,000 at once. */
export type Page = { readonly limit?: number; readonly offset?: number };

export type GivenPage = { readonly [Name in keyof Page]: Page[Name] | undefined };

const maxPageSize = 1000;

export function pageOf({ limit = 50, offset = 0 }: GivenPage): { readonly limit: number; readonly offset: number } {
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= maxPageSize && Number.isSafeInteger(offset) && offset >= 0)
    return { limit, offset };
  throw new Problem(
    "bad-page",
    `A page of ${limit} rows from ${offset} on cannot be read.`,
    `Ask for 1 to ${maxPageSize} rows, from 0 on.`,
  );
}

/** Ends a query, so that it returns only the rows of this page. */
export function onPage(page: GivenPage): Query {
  const { limit, offset } = pageOf(page);
  return sql`limit ${limit} offset ${offset}`;
}

type ListPage = { readonly limit: number; readonly offset: number };

/** Reads a page and, if it is full, one row more to see whether there are others. */
export async function readPage<Row>(
  list: (page: ListPage) => Promise<readonly Row[]>,
  page: ListPage,
): Promise<{ readonly rows: readonly Row[]; readonly more: boolean }> {
  const rows = await list(page);
  const more = rows.length === page.limit && (await list({ limit: 1, offset: page.offset + page.limit })).length > 0;
  return { rows, more };
}

/** Returns the reach of a list: the scope if agent and user are given; a list over several is the operator's. */
export function reachOf(agent: string | undefined, user: string | undefined): Reach {
  return agent === undefined || user === undefined ? "everything" : { agent, user };
}

/** Returns the scope of the one user that all of these scopes can be seen in, shared rows included; else everything. */
export function reachAround(scopes: readonly Scope[]): Reach {
  const agents = new Set(scopes.map(({ agent }) => agent));
  const users = new Set(scopes.flatMap(({ user }) => user ?? []));
  return agents.size > 1 || users.size > 1 ? "everything" : reachOf([...agents][0], [...users][0]);
}

/** Ends a `where`, so that only what this reach may see is found. */
export function reachFilter(reach: Reach): Query {
  if (reach === "everything") return raw("");
  return sql` and agent = ${reach.agent} and user_id in ('', ${reach.user ?? ""})`;
}

/** Returns the ids among these that a query finds; `among` gets them as a list, as in `where id in …`. */
export async function findIds(
  home: Pick<Home, "read">,
  ids: readonly string[],
  among: (list: Query) => Query,
): Promise<ReadonlySet<string>> {
  const existing = new Set<string>();
  for (const some of chunks(ids, 10_000)) {
    const query = sql`select id from ${among(listOf(some))}`;
    for (const { id } of await home.read("everything", (db) => db.all<{ id: string }>(query))) existing.add(id);
  }
  return existing;
}
