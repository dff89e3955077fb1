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

/** How a field of a record comes from a column, and goes there. */
type FieldPlan = {
  readonly column: string;
  readonly field: string;
  readonly reads: ColumnFacts["reads"] | "agent" | "user";
  readonly isHidden: boolean;
  readonly isOptional: boolean;
  readonly isNullable: boolean;
};

/** What is asked of a table for each row, worked out once. `inserts`: the texts of an insert, by the columns it names. */
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

/** A row of a table as its record. */
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

/** The query that inserts a row into a table. What is not given is what is usual there, or null. */
export function insertInto<Made extends Table>(made: Made, given: NewRowOf<Made>): Query {
  checkTable("insertInto", made);
  if (!isObject(given))
    throw badArgument(
      `The row that insertInto was given is ${kindOf(given)}.`,
      "Give its values, by their names in a record.",
    );
  const { fields, inserts } = planOf(made);
  const values: Value[] = [];
  // A bit for each column that is named.
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
  // The same texts for the same columns: by them a home knows the query again.
  const texts = inserts.get(which);
  if (texts) return { texts, values };
  inserts.set(which, insertTexts(made.name, Object.keys(rowOf(made, given))));
  return insertInto(made, given);
}

function insertTexts(name: string, columns: readonly string[]): readonly string[] {
  return [`insert into ${name} (${columns.join(", ")}) values (`, ...columns.slice(1).map(() => ", "), ")"];
}

/** The same; where there is a row of that key, what is given is set in it. */
export function putInto<Made extends Table>(made: Made, given: NewRowOf<Made>): Query {
  const set = Object.keys(rowOf(made, given)).filter((column) => !made.key.includes(column));
  return sql`${insertInto(made, given)} on conflict (${raw(made.key.join(", "))})
    do update set ${raw(set.map((column) => `${column} = excluded.${column}`).join(", "))}`;
}

/** A row as the database keeps it: of what is given, no more. */
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

/** So many readings of each kind a process keeps. */
const maxKept = 1000;

/**
 * Keeps what is read of marked tables, by a key, until somebody may have changed them: one look at their mark instead of
 * reading all of it again.
 */
export function keepReadings<Reading>(
  home: Pick<Home, "mark">,
  tables: readonly Table[],
): (key: string, read: () => Promise<Reading>) => Promise<Reading> {
  const names = tables.map(({ name, isMarked }) => {
    if (isMarked) return name;
    throw new Error(`The table ${name} has no mark.`);
  });
  const kept = createBoundedMap<string, { readonly mark: string; readonly reading: Reading }>(maxKept);
  return async (key, read) => {
    // Before it is read: what is committed meanwhile changes the mark, and it is read again.
    const mark = await home.mark(names);
    const before = kept.get(key);
    if (before && before.mark === mark) return before.reading;
    const reading = await read();
    if (mark === undefined) kept.delete(key);
    else kept.set(key, { mark, reading });
    return reading;
  };
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

/** Which part of a long list: the first 50 entries, unless given; at most 1,000 at once. */
export type Page = { readonly limit?: number; readonly offset?: number };

type GivenPage = { readonly [Name in keyof Page]: Page[Name] | undefined };

const max = 1000;

export function pageOf({ limit = 50, offset = 0 }: GivenPage): { readonly limit: number; readonly offset: number } {
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= max && Number.isSafeInteger(offset) && offset >= 0)
    return { limit, offset };
  throw new Problem(
    "bad-page",
    `A page of ${limit} rows from ${offset} on cannot be read.`,
    `Ask for 1 to ${max} rows, from 0 on.`,
  );
}

/** Ends a query: only the rows of this page. */
export function onPage(page: GivenPage): Query {
  const { limit, offset } = pageOf(page);
  return sql`limit ${limit} offset ${offset}`;
}

type ListPage = { readonly limit: number; readonly offset: number };

/** Asks for the page and one row more, and says whether there was one. */
export async function readPage<Row>(
  list: (page: ListPage) => Promise<readonly Row[]>,
  page: ListPage,
): Promise<{ readonly rows: readonly Row[]; readonly more: boolean }> {
  const rows = await list(page);
  const more = rows.length === page.limit && (await list({ limit: 1, offset: page.offset + page.limit })).length > 0;
  return { rows, more };
}

/** Through a scope where both are named; a list over several is the operator's. */
export function reachOf(agent: string | undefined, user: string | undefined): Reach {
  return agent === undefined || user === undefined ? "everything" : { agent, user };
}

/** Through the one user's scope that all of these are seen in, common rows among them. */
export function reachAround(scopes: readonly Scope[]): Reach {
  const agents = new Set(scopes.map(({ agent }) => agent));
  const users = new Set(scopes.flatMap(({ user }) => user ?? []));
  return agents.size > 1 || users.size > 1 ? "everything" : reachOf([...agents][0], [...users][0]);
}

/** Ends a `where`: only what this reach may see. */
export function reachFilter(reach: Reach): Query {
  if (reach === "everything") return raw("");
  return sql` and agent = ${reach.agent} and user_id in ('', ${reach.user ?? ""})`;
}

/** Which of these ids a query finds: it is given the ids as a list, as in `where id in …`. */
export async function findIds(
  home: Pick<Home, "read">,
  ids: readonly string[],
  among: (list: Query) => Query,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const some of chunks(ids, 10_000)) {
    const those = sql`select id from ${among(listOf(some))}`;
    for (const { id } of await home.read("everything", (db) => db.all<{ id: string }>(those))) found.add(id);
  }
  return found;
}
