import type { Database } from "./database.ts";
import { joinQueries, type Query, raw, sql, type Value } from "./sql.ts";

/** A condition: each of these columns holds this, of those that are given; without any it always holds. */
export function matching(columns: Readonly<Record<string, Value | undefined>>): Query {
  const given = Object.entries(columns).filter((one): one is [string, Value] => one[1] !== undefined);
  if (given.length === 0) return raw("1 = 1");
  return joinQueries(
    given.map(([column, value]) => (value === null ? raw(`${column} is null`) : sql`${raw(column)} = ${value}`)),
    " and ",
  );
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
