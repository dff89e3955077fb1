import type { Scope } from "../../amend/amendment.ts";
import { badArgument } from "../../prompt/argument.ts";
import type { ColumnFacts } from "./column.ts";
import type { Database, NewRow } from "./database.ts";
import { checkSoundText } from "./sound-text.ts";
import { joinQueries, type Query, type Row, raw, sql, type Value } from "./sql.ts";
import { type NewRowOf, type RecordOf, scopeOf, type Table, type TableColumn } from "./table.ts";

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
export function rowOf<Made extends Table>(made: Made, given: NewRowOf<Made>): Row {
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
