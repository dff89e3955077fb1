import type { Database } from "./home/database.ts";
import { setting } from "./home/query.ts";
import { joinQueries, listOf, type Query, raw, sql, type Value } from "./home/sql.ts";

/** Who takes a lease, and for how long. */
export type Claimant = {
  /** The process (“host:pid”). */
  readonly runner: string;
  readonly leaseMs: number;
  /** Whether a process is known to have died: then its lease is not waited for. */
  readonly isGone?: ((runner: string) => boolean) | undefined;
};

/** When a lease that is taken now is over. */
export function endOfLease(at: string, leaseMs: number): string {
  return new Date(Date.parse(at) + leaseMs).toISOString();
}

/** Who asks for a lease, and who that has one is gone; `row`: what the columns are called by, as in `w.`. */
type Asking = { readonly runner?: string; readonly gone?: readonly string[]; readonly row?: string };

/** A condition: nobody has the row, who asks has it already, its lease is over, or who has it is gone. */
export function leaseFree(at: string, { runner, gone = [], row = "" }: Asking = {}): Query {
  const [whose, until] = [raw(`${row}runner`), raw(`${row}leased_until`)];
  const ways = [
    sql`${until} is null or ${until} < ${at}`,
    ...(runner === undefined ? [] : [sql`${whose} is null or ${whose} = ${runner}`]),
    ...(gone.length === 0 ? [] : [sql`coalesce(${whose}, '') in ${listOf(gone)}`]),
  ];
  return sql`(${joinQueries(ways, " or ")})`;
}

/** Those who have a lease among these rows, and are gone. */
export async function goneAmong(
  db: Database,
  table: string,
  which: Query,
  { runner, isGone }: Partial<Claimant>,
): Promise<string[]> {
  if (!isGone) return [];
  const rows = await db.all<{ runner: string }>(
    sql`select distinct runner from ${raw(table)} where ${which} and runner is not null`,
  );
  return rows.map((row) => row.runner).filter((one) => one !== runner && isGone(one));
}

/** Takes the one row that `which` names, unless another has it; of two at the same moment one gets it. */
export async function takeLease(
  db: Database,
  table: string,
  which: Query,
  at: string,
  claimant: Claimant,
): Promise<boolean> {
  const { runner, leaseMs } = claimant;
  const gone = await goneAmong(db, table, which, claimant);
  const taken = await db.run(sql`update ${raw(table)} set runner = ${runner}, leased_until = ${endOfLease(at, leaseMs)}
    where ${which} and ${leaseFree(at, { runner, gone })}`);
  return taken > 0;
}

/** Keeps what `which` names, whose runner or try is part of it; false if another has it by now. */
export async function renewLease(
  db: Database,
  table: string,
  which: Query,
  until: string | null,
  set: Readonly<Record<string, Value | Query>> = {},
): Promise<boolean> {
  const kept = await db.run(sql`update ${raw(table)} set ${setting({ leased_until: until, ...set })} where ${which}`);
  return kept > 0;
}

export async function releaseLease(db: Database, table: string, which: Query): Promise<void> {
  await db.run(sql`update ${raw(table)} set runner = ${null}, leased_until = ${null} where ${which}`);
}
