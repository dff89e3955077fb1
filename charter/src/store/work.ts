import type { Database } from "./home/database.ts";
import { countRows, setting } from "./home/query.ts";
import { joinQueries, listOf, type Query, raw, sql, type Value } from "./home/sql.ts";
import type { RowOf, Table } from "./home/table.ts";

/**
 * How the rows of a table are worked off: each waits, is taken by someone for a while, and is done, waits again or is
 * given up. All of it happens in the caller's transaction, with what is written of it.
 *
 * A row that waits is `waiting`. The columns `tries`, `leased_until`, `next_try_at` and `runner` are used where the table
 * has them.
 */
export type Work<Made extends Table = Table> = {
  readonly table: Made;
  /** The column that says how far a row is; `state`, unless given. */
  readonly column?: "state" | "status";
  /** A row that someone has taken is in this state; without one, its lease alone says so. */
  readonly taken?: string;
  /** In these states there is something to do; `waiting` and `taken`, unless given. */
  readonly open?: readonly string[];
  /** Nobody tries it again. */
  readonly dead?: string;
  /** Nobody wants it any more. */
  readonly discarded?: string;
  /** What is taken first, as `order by` has it; `row` is what the columns are called by. */
  readonly order: (row: string) => string;
  /** Of the rows that are alike in these columns the first is taken, once nobody has another of them. */
  readonly alone?: readonly string[];
  /** What counts as a try: that it was taken; or that it failed, and that whoever took it did not come back. */
  readonly tryIs: "taken" | "failed";
  /** So many tries, and it is dead; without a number, whoever fails says so. */
  readonly maxTries?: number;
};

/** Columns that are set besides. */
type Besides = Readonly<Record<string, Value | Query | undefined>>;

/** A condition: there is something to do. */
export function isOpen({ taken, open, column = "state" }: Work, row = ""): Query {
  const states = open ?? ["waiting", ...(taken === undefined ? [] : [taken])];
  return statesIn(`${row}${column}`, states);
}

/** A condition: someone has taken it, if their lease is not over. */
function isHeld(work: Work): Query {
  return work.taken === undefined ? isOpen(work) : statesIn(work.column ?? "state", [work.taken]);
}

/** As the indexes have it: the states are no parameters. */
function statesIn(column: string, [first, ...more]: readonly string[]): Query {
  return raw(
    more.length === 0 ? `${column} = '${first}'` : `${column} in (${[first, ...more].map((s) => `'${s}'`).join(", ")})`,
  );
}

function hasColumn({ table }: Work, column: string): boolean {
  return table.all.some((one) => one.column === column);
}

/** What no row has that nobody is at. */
function letGo(work: Work): Besides {
  const passing = ["leased_until", "runner", "next_try_at"].filter((column) => hasColumn(work, column));
  return Object.fromEntries(passing.map((column) => [column, null]));
}

/** Who asks, and among which rows. */
type Asked = {
  readonly among: Query;
  readonly at: string;
  readonly limit: number;
  /** Whoever is known to have died: their leases are not waited for. */
  readonly gone?: readonly string[];
};

/** The rows that can be taken now, in their order. */
export function listFree<Made extends Table>(
  db: Database,
  work: Work<Made>,
  { among, at, limit, gone = [] }: Asked,
): Promise<RowOf<Made>[]> {
  const { table, taken, alone, order, column = "state" } = work;
  const name = raw(table.name);
  const alike = alone && raw(alone.map((one) => `e.${one} = w.${one}`).join(" and "));
  // One by one: for both at once SQLite would look through all rows.
  const none = (which: Query) =>
    alike
      ? sql`and not exists (select 1 from ${name} e where ${alike} and ${isOpen(work, "e.")} and ${which})`
      : raw("");
  const earlier = raw(`(${order("e.")}) < (${order("w.")})`);
  const busy = sql`${statesIn(`e.${column}`, [taken ?? ""])} and not ${leaseFree(at, { gone, row: "e." })}`;
  const due = hasColumn(work, "next_try_at") ? sql`and (next_try_at is null or next_try_at <= ${at})` : raw("");
  return db.all<RowOf<Made>>(sql`select * from ${name} w where ${among} and ${isOpen(work)} ${due}
    and ${leaseFree(at, { gone })} ${none(earlier)} ${taken === undefined ? raw("") : none(busy)}
    order by ${raw(order(""))} limit ${limit}`);
}

/** The rows of someone who did not come back in time, in their order. */
export function listLost<Made extends Table>(
  db: Database,
  work: Work<Made>,
  among: Query,
  at: string,
): Promise<RowOf<Made>[]> {
  return db.all<RowOf<Made>>(sql`select * from ${raw(work.table.name)} where ${among} and ${isHeld(work)}
    and leased_until < ${at} order by ${raw(work.order(""))}`);
}

type Taking = Omit<Asked, "limit"> & { readonly leaseMs: number; readonly set?: Besides };

/** Takes these rows, as far as nobody else did since; in the order in which they are given. */
export async function take<Made extends Table>(
  db: Database,
  work: Work<Made>,
  rows: readonly { readonly id: string }[],
  { among, at, gone = [], leaseMs, set = {} }: Taking,
): Promise<RowOf<Made>[]> {
  if (rows.length === 0) return [];
  const { table, taken, tryIs, column = "state" } = work;
  const tries = raw(tryIs === "taken" ? "tries + 1" : "case when leased_until is null then tries else tries + 1 end");
  const changed = { ...(taken === undefined ? {} : { [column]: taken }), tries, leased_until: endOfLease(at, leaseMs) };
  const place = new Map(rows.map(({ id }, index) => [id, index]));
  const got = await db.all<
    RowOf<Made> & { id: string }
  >(sql`update ${raw(table.name)} set ${setting({ ...changed, ...set })}
    where ${among} and id in ${listOf([...place.keys()])} and ${isOpen(work)} and ${leaseFree(at, { gone })} returning *`);
  return got.sort((one, other) => Number(place.get(one.id)) - Number(place.get(other.id)));
}

type Claiming<Made extends Table> = Asked &
  Taking & {
    /** Why one is dead whose last try ended with its process, as columns. */
    readonly abandoned?: Besides;
    readonly onDead?: (row: RowOf<Made>) => Promise<void>;
  };

/** Takes what is free. What had its last try, and was not done, is dead: then it is the next one's turn. */
export async function claim<Made extends Table>(
  db: Database,
  work: Work<Made>,
  about: Claiming<Made>,
): Promise<RowOf<Made>[]> {
  for (;;) {
    const free = (await listFree(db, work, about)) as (RowOf<Made> & { id: string; tries: number })[];
    const spent = free.filter((row) => isSpent(work, row));
    if (spent.length === 0) return take(db, work, free, about);
    for (const { id } of spent) {
      const dead = await fail(db, work, sql`${about.among} and id = ${id}`, { set: about.abandoned ?? {}, dead: true });
      if (dead) await about.onDead?.(dead);
    }
  }
}

/** Whether this was taken for its last try. */
export function isSpent(
  { taken, column = "state", maxTries }: Work,
  row: { readonly tries: number },
  most = maxTries,
): boolean {
  return most !== undefined && row.tries >= most && (row as unknown as Record<string, Value>)[column] === taken;
}

/** Says that it is still worked on; false if another has it by now, or it is over. */
export function renew(db: Database, work: Work, which: Query, until: string): Promise<boolean> {
  return renewLease(db, work.table.name, sql`${which} and ${isHeld(work)}`, until);
}

/** It is done, and in this state from now on; nothing, if it was over before. */
export function finish<Made extends Table>(
  db: Database,
  work: Work<Made>,
  which: Query,
  state: string,
  set: Besides = {},
): Promise<RowOf<Made> | undefined> {
  const { table, column = "state" } = work;
  return db.one<RowOf<Made>>(sql`update ${raw(table.name)} set ${setting({ [column]: state, ...letGo(work), ...set })}
    where ${which} and ${isOpen(work)} returning *`);
}

/** How a try ended that came to nothing. */
type Failed = {
  readonly set?: Besides;
  readonly nextTryAt?: string;
  /** It is dead now, or not yet, however many tries it had. */
  readonly dead?: boolean;
  /** It was no fault of the row: the model, the network or the store was away. It costs no try. */
  readonly isOutage?: boolean | undefined;
};

/** A try came to nothing: it waits again, or is dead. Nothing, if another has it by now, or it is over. */
export function fail<Made extends Table>(
  db: Database,
  work: Work<Made>,
  which: Query,
  { set = {}, nextTryAt, dead, isOutage = false }: Failed = {},
): Promise<RowOf<Made> | undefined> {
  const { table, column = "state", taken, tryIs, maxTries } = work;
  const counted = tryIs === "taken" ? { false: "tries", true: "tries - 1" } : { false: "tries + 1", true: "tries" };
  const tries = raw(counted[`${isOutage}`]);
  const again = raw(taken === undefined ? column : "'waiting'");
  const state =
    dead === undefined && maxTries !== undefined
      ? sql`case when ${tries} >= ${maxTries} then ${raw(`'${work.dead}'`)} else ${again} end`
      : dead
        ? raw(`'${work.dead}'`)
        : again;
  const changed = { ...letGo(work), [column]: state, tries, ...(nextTryAt ? { next_try_at: nextTryAt } : {}), ...set };
  return db.one<RowOf<Made>>(sql`update ${raw(table.name)} set ${setting(changed)}
    where ${which} and ${isHeld(work)} returning *`);
}

/** What is dead waits again, as if it was never tried. */
export function retry<Made extends Table>(db: Database, work: Work<Made>, which: Query): Promise<RowOf<Made>[]> {
  const { table, column = "state", dead = "dead" } = work;
  return db.all<RowOf<Made>>(sql`update ${raw(table.name)} set ${raw(column)} = 'waiting', tries = 0
    where ${which} and ${statesIn(column, [dead])} returning *`);
}

/** What waits or is dead is not wanted any more. */
export function discard<Made extends Table>(
  db: Database,
  work: Work<Made>,
  which: Query,
  set: Besides = {},
): Promise<RowOf<Made>[]> {
  const { table, column = "state", dead, discarded = "discarded" } = work;
  const from = statesIn(column, ["waiting", ...(dead === undefined ? [] : [dead])]);
  return db.all<RowOf<Made>>(sql`update ${raw(table.name)}
    set ${setting({ [column]: discarded, ...letGo(work), ...set })} where ${which} and ${from} returning *`);
}

export function countOpen(db: Database, work: Work, where: Query): Promise<number> {
  return countRows(db, work.table.name, sql`${where} and ${isOpen(work)}`);
}

/** How many rows there are in each state. */
export async function countStates(db: Database, work: Work, where: Query): Promise<Readonly<Record<string, number>>> {
  const column = raw(work.column ?? "state");
  const rows = await db.all<{ state: string; count: number }>(sql`select ${column} as state, count(*) as count
    from ${raw(work.table.name)} where ${where} group by ${column}`);
  return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]));
}

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
function leaseFree(at: string, { runner, gone = [], row = "" }: Asking = {}): Query {
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
