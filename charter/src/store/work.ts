import type { Database } from "./home/database.ts";
import { countRows, setting } from "./home/query.ts";
import { joinQueries, listOf, type Query, raw, sql, type Value } from "./home/sql.ts";
import type { RowOf, Table } from "./home/table.ts";

/**
 * Describes how the rows of a table are worked off as a queue: each waits, is taken with a lease, and is then done, waits again
 * or is given up. All of it happens in the caller's transaction, together with what the caller writes.
 *
 * A row that waits is `waiting`. The columns `tries`, `leased_until`, `next_try_at` and `runner` are used where the table has
 * them.
 */
export type Work<Made extends Table = Table> = {
  readonly table: Made;
  /** Name of the column with a row's state; `state`, unless given. */
  readonly column?: "state" | "status";
  /** State of a row that someone has taken; without one, its lease alone says so. */
  readonly taken?: string;
  /** States in which there is something to do; `waiting` and `taken`, unless given. */
  readonly open?: readonly string[];
  /** State of a row that is not tried again. */
  readonly dead?: string;
  /** State of a row that is no longer wanted. */
  readonly discarded?: string;
  /** Order in which rows are taken, as in `order by`; `row` is the prefix of the columns. */
  readonly order: (row: string) => string;
  /** Columns that make a lane: rows that are alike in them are taken one at a time, in their order. */
  readonly alone?: readonly string[];
  /** Counts as a try either that a row was taken, or that it failed or its lease ran out. */
  readonly tryIs: "taken" | "failed";
  /** Maximum number of tries, after which a row is dead; without one, the caller of `fail` decides. */
  readonly maxTries?: number;
};

/** Columns to set as well. */
type Besides = Readonly<Record<string, Value | Query | undefined>>;

/** SQL condition: there is something to do. */
export function isOpen({ taken, open, column = "state" }: Work, row = ""): Query {
  const states = open ?? ["waiting", ...(taken === undefined ? [] : [taken])];
  return statesIn(`${row}${column}`, states);
}

/** SQL condition: someone has taken the row; whether their lease still runs is not looked at. */
function isHeld(work: Work): Query {
  return work.taken === undefined ? isOpen(work) : statesIn(work.column ?? "state", [work.taken]);
}

/** States are written out, not parameters, so that the query matches the partial indexes. */
function statesIn(column: string, [first, ...more]: readonly string[]): Query {
  return raw(
    more.length === 0 ? `${column} = '${first}'` : `${column} in (${[first, ...more].map((s) => `'${s}'`).join(", ")})`,
  );
}

function hasColumn({ table }: Work, column: string): boolean {
  return table.all.some((one) => one.column === column);
}

/** Clears the columns that only a row in work has. */
function letGo(work: Work): Besides {
  const passing = ["leased_until", "runner", "next_try_at"].filter((column) => hasColumn(work, column));
  return Object.fromEntries(passing.map((column) => [column, null]));
}

/** Rows to choose from, the time, and how many of them. */
type Asked = {
  readonly among: Query;
  readonly at: string;
  readonly limit: number;
  /** Runners that are known to have died: their leases are ignored. */
  readonly gone?: readonly string[];
};

/** Lists the rows that can be taken now, in their order. */
export function listFree<Made extends Table>(
  db: Database,
  work: Work<Made>,
  { among, at, limit, gone = [] }: Asked,
): Promise<RowOf<Made>[]> {
  const { table, taken, alone, order, column = "state" } = work;
  const name = raw(table.name);
  const alike = alone && raw(alone.map((one) => `e.${one} = w.${one}`).join(" and "));
  // Two conditions, not one: for both at once SQLite would scan all rows.
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

/** Lists the rows whose lease ran out, in their order. */
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

/** Takes these rows, except those that another took meanwhile; returns them in the given order. */
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
    /** Columns that say why a row is dead whose last try ended with its process. */
    readonly abandoned?: Besides;
    readonly onDead?: (row: RowOf<Made>) => Promise<void>;
  };

/**
 * Takes the rows that are free. A row that had its last try and was not finished is dead, and the next one in its lane is taken.
 */
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

/** Tells whether a row was taken for its last try. */
export function isSpent(
  { taken, column = "state", maxTries }: Work,
  row: { readonly tries: number },
  most = maxTries,
): boolean {
  return most !== undefined && row.tries >= most && (row as unknown as Record<string, Value>)[column] === taken;
}

/** Renews the lease of a row; false if another runner has it by now, or it is finished. */
export function renew(db: Database, work: Work, which: Query, until: string): Promise<boolean> {
  return renewLease(db, work.table.name, sql`${which} and ${isHeld(work)}`, until);
}

/** Finishes a row with this state; returns nothing if it was finished before. */
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

/** Details of a failed try. */
type Failed = {
  readonly set?: Besides;
  readonly nextTryAt?: string;
  /** Makes the row dead, or keeps it alive, however many tries it had. */
  readonly dead?: boolean;
  /** An outage of the model, the network or the store: it costs the row no try. */
  readonly isOutage?: boolean | undefined;
};

/** Records a failed try: the row waits again, or is dead. Returns nothing if another runner has it by now, or it is finished. */
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

/** Lets dead rows wait again, as if they were never tried. */
export function retry<Made extends Table>(db: Database, work: Work<Made>, which: Query): Promise<RowOf<Made>[]> {
  const { table, column = "state", dead = "dead" } = work;
  return db.all<RowOf<Made>>(sql`update ${raw(table.name)} set ${raw(column)} = 'waiting', tries = 0
    where ${which} and ${statesIn(column, [dead])} returning *`);
}

/** Discards rows that wait or are dead. */
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

/** Counts the rows in each state. */
export async function countStates(db: Database, work: Work, where: Query): Promise<Readonly<Record<string, number>>> {
  const column = raw(work.column ?? "state");
  const rows = await db.all<{ state: string; count: number }>(sql`select ${column} as state, count(*) as count
    from ${raw(work.table.name)} where ${where} group by ${column}`);
  return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]));
}

/** Process that takes a lease, and for how long. */
export type Claimant = {
  /** The process (“host:pid”). */
  readonly runner: string;
  readonly leaseMs: number;
  /** Tells whether a process is known to have died: then its lease is ignored. */
  readonly isGone?: ((runner: string) => boolean) | undefined;
};

/** Returns the time at which a lease that is taken now ends. */
export function endOfLease(at: string, leaseMs: number): string {
  return new Date(Date.parse(at) + leaseMs).toISOString();
}

/** Process that asks for a lease, and those known to have died; `row` is the prefix of the columns, as in `w.`. */
type Asking = { readonly runner?: string; readonly gone?: readonly string[]; readonly row?: string };

/** SQL condition: nobody has the row, this runner has it already, its lease is over, or its runner has died. */
function leaseFree(at: string, { runner, gone = [], row = "" }: Asking = {}): Query {
  const [whose, until] = [raw(`${row}runner`), raw(`${row}leased_until`)];
  const ways = [
    sql`${until} is null or ${until} < ${at}`,
    ...(runner === undefined ? [] : [sql`${whose} is null or ${whose} = ${runner}`]),
    ...(gone.length === 0 ? [] : [sql`coalesce(${whose}, '') in ${listOf(gone)}`]),
  ];
  return sql`(${joinQueries(ways, " or ")})`;
}

/** Returns the runners that have a lease among these rows and have died. */
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

/** Takes the one row that `which` selects, unless another has it; of two at the same moment one gets it. */
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

/** Renews the lease of what `which` selects, including its runner or try; false if another has it by now. */
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
