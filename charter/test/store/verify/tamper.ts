import type { Database } from "../../../src/store/home/database.ts";
import { joinQueries, type Row, raw, sql, type Value } from "../../../src/store/home/sql.ts";
import type { Home } from "../../../src/store/index.ts";
import { storeTables } from "../../../src/store/schema.ts";
import { unprovenIn } from "../../../src/store/verify/verify.ts";

/** Changes made behind the store's back, by SQL, one row (or two swapped) at a time. */

export const tables = ["amendments", "standings", "steps", "hash_chains", "texts"] as const;
export type Table = (typeof tables)[number];

const keys: Readonly<Record<Table, readonly string[]>> = {
  amendments: ["agent", "user_id", "section", "revision"],
  standings: ["agent", "user_id", "section"],
  steps: ["agent", "number"],
  hash_chains: ["agent"],
  texts: ["owner", "digest"],
};

/** What was done, and the rows it was done to: as they were, and as they are now. */
export type Tampering = {
  readonly what: string;
  readonly table: Table;
  readonly before: readonly Row[];
  readonly after: readonly Row[];
};

export type Random = () => number;

export function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

/** Copies of the tables, to put everything back from. */
export async function backUp(home: Home): Promise<() => Promise<void>> {
  const kept = [...tables, "events", "turns"];
  // Beside the store's tables: among them they would be tables that it does not know.
  const aside = home.name === "sqlite" ? "temp" : "aside";
  const statements = await home.write("everything", async (db) => {
    if (home.name === "postgres") await db.run(raw("create schema if not exists aside"));
    const back: string[] = [];
    for (const table of kept) {
      await db.run(raw(`create table ${aside}.kept_${table} as select * from ${table}`));
      const columns = Object.keys((await db.one<Row>(raw(`select * from ${table} limit 1`))) ?? {}).join(", ");
      back.push(
        `delete from ${table}`,
        `insert into ${table} (${columns}) select ${columns} from ${aside}.kept_${table}`,
      );
    }
    // What turns are found by is worked out anew by the next that lists them.
    return back;
  });
  return () =>
    home.write("everything", async (db) => {
      for (const statement of statements) await db.run(raw(statement));
    });
}

export const equal = (a: Value | undefined, b: Value | undefined) =>
  typeof a === "object" && a !== null && typeof b === "object" && b !== null ? Buffer.compare(a, b) === 0 : a === b;

export async function tamper(home: Home, random: Random): Promise<Tampering> {
  for (;;) {
    const table = pick(random, tables);
    const rows = await home.read("everything", (db) =>
      db.all<Row>(raw(`select * from ${table} order by ${keys[table].join(", ")}`)),
    );
    const kind = pick(random, ["edit", "edit", "delete", "swap"] as const);
    const done = await home.write("everything", (db) => make(db, table, rows, kind, random)).catch(() => undefined);
    if (done) return done;
  }
}

async function make(
  db: Database,
  table: Table,
  rows: readonly Row[],
  kind: "edit" | "delete" | "swap",
  random: Random,
): Promise<Tampering | undefined> {
  const row = pick(random, rows);
  if (kind === "delete") {
    await db.run(sql`delete from ${raw(table)} where ${at(table, row)}`);
    return { what: `delete from ${table}`, table, before: [row], after: [] };
  }
  if (kind === "edit") {
    const column = pick(random, provenColumns(table, row));
    const value = edited(random, row[column] as Value, pick(random, rows)[column] as Value);
    if (equal(value, row[column])) return undefined;
    await db.run(sql`update ${raw(table)} set ${raw(column)} = ${value} where ${at(table, row)}`);
    return { what: `edit ${table}.${column}`, table, before: [row], after: [{ ...row, [column]: value }] };
  }
  const other = pick(random, rows);
  const content = provenColumns(table, row).filter((column) => !keys[table].includes(column));
  if (content.every((column) => equal(row[column], other[column]))) return undefined;
  const free = content.filter((column) => column !== "key");
  const swapped = [given(row, other, free), given(other, row, free)];
  for (const one of swapped) {
    const set = free.map((column) => sql`${raw(column)} = ${one[column] as Value}`);
    await db.run(sql`update ${raw(table)} set ${joinQueries(set, ", ")} where ${at(table, one)}`);
  }
  return { what: `swap two ${table}`, table, before: [row, other], after: swapped };
}

/** What verify answers for. */
function provenColumns(table: Table, row: Row): string[] {
  const not = unprovenIn(storeTables).flatMap(({ columns }) => columns[table] ?? []);
  return Object.keys(row).filter((column) => !not.includes(column));
}

function given(row: Row, other: Row, columns: readonly string[]): Row {
  return { ...row, ...Object.fromEntries(columns.map((column) => [column, other[column] as Value])) };
}

function at(table: Table, row: Row) {
  return joinQueries(
    keys[table].map((column) => sql`${raw(column)} = ${row[column] as Value}`),
    " and ",
  );
}

/** Another value: another row's, or the same with something small about it changed. */
export function edited(random: Random, value: Value, others: Value): Value {
  if (random() < 0.3) return others;
  if (typeof value === "number") return value + pick(random, [-1, 1, 2, 1000]);
  if (typeof value === "string") {
    if (value === "") return "x";
    const index = Math.floor(random() * value.length);
    return `${value.slice(0, index)}${value[index] === "0" ? "1" : "0"}${value.slice(index + 1)}`;
  }
  if (value === null) return "something";
  const bytes = Buffer.from(value);
  const way = pick(random, ["flip", "cut", "add"] as const);
  if (way === "add") return Buffer.concat([bytes, Buffer.from([7])]);
  if (way === "cut") return bytes.subarray(0, Math.floor(bytes.length / 2));
  const index = Math.floor((random() * bytes.length) / 2);
  bytes[index] = (bytes[index] as number) ^ 0x55;
  return bytes;
}
