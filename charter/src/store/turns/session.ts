import type { Scope } from "../../amend/amendment.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Database, Reach } from "../home/database.ts";
import type { Page } from "../home/page.ts";
import { insertInto, lockAgainstErasure, ownRows, recordOf, setting } from "../home/query.ts";
import { reachFilter } from "../home/reach.ts";
import { raw, sql } from "../home/sql.ts";
import type { RecordOf, RowOf } from "../home/table.ts";
import type { TurnFilter, TurnSort } from "./list/list-turns.ts";
import { sessions } from "./turn-tables.ts";

/**
 * A conversation: a series of turns that share a cached prefix. Read `baseline` with `baselineOf` in `charter/delivery`.
 */
export type Session = RecordOf<typeof sessions> & { readonly baseline: unknown };

/** Why a session was opened although there was one before it. */
export type SessionReason = NonNullable<Session["because"]>;

/**
 * Which sessions are meant: those of one agent, user or channel; `open`: only those that can go on. What else a filter
 * of turns says holds of at least one turn in it; what it may cost, of all of them together.
 */
export type SessionFilter = Omit<TurnFilter, "session"> & { readonly open?: boolean | undefined };

/** Which sessions are listed, in which order: the most recently used first, unless asked for otherwise. */
export type ListSessionsOptions = Page & SessionFilter & { readonly sort?: Exclude<TurnSort, "duration"> | undefined };

export type SessionRow = RowOf<typeof sessions>;

function sessionOf(row: SessionRow): Session {
  let baseline: { readonly value: unknown } | undefined;
  return {
    ...recordOf(sessions, row),
    // It is long, and most of those who look for a session know it already.
    get baseline() {
      baseline ??= { value: JSON.parse(row.baseline) };
      return baseline.value;
    },
  };
}

type InsertedSession = Pick<Session, "id" | "scope" | "receiver" | "channel" | "endedAt"> & {
  readonly because?: SessionReason | null | undefined;
  readonly baseline?: unknown;
  readonly at: string;
};

export async function insertSession(
  db: Database,
  { at, baseline = null, ...session }: InsertedSession,
): Promise<Session> {
  const inserted = insertInto(sessions, { ...session, baseline, startedAt: at, lastAt: at });
  return sessionOf((await db.one<SessionRow>(sql`${inserted} returning *`)) as SessionRow);
}

/** Within a transaction. */
export async function latestSession(db: Database, scope: Scope, channel?: string | null): Promise<Session | undefined> {
  const those = channel === null ? raw("channel is null") : sql`(channel = ${channel ?? ""} or channel is null)`;
  const row = await db.one<SessionRow>(sql`select * from sessions where ${ownRows(scope)} and ended_at is null
    and ${channel === undefined ? raw("1 = 1") : those} order by last_at desc, id desc limit 1`);
  return row && sessionOf(row);
}

/** What a step or the end of a turn does to its session: it was used, and has this baseline and receiver now. */
export type SessionTouch = {
  readonly touch: true;
  readonly baseline?: unknown;
  /** The model it is sent to, where that is another than before. */
  readonly receiver?: string | undefined;
  /** The model whose place that one takes; null: it is the agent's first. */
  readonly standsInFor?: string | null | undefined;
};

/** Within a transaction. A turn may name a session that is another's, or not kept here: then nothing is touched. */
export async function touchSession(
  db: Database,
  { id, scope }: { readonly id: string; readonly scope: Scope },
  at: string,
  { baseline, receiver, standsInFor }: SessionTouch,
): Promise<void> {
  // One that has ended may have been erased: nothing is put into it again.
  const kept = sql`case when ended_at is null then ${JSON.stringify(baseline ?? null)} else baseline end`;
  const set = {
    last_at: at,
    baseline: baseline === undefined ? undefined : kept,
    receiver,
    stands_in_for: standsInFor,
  };
  await db.run(sql`update sessions set ${setting(set)} where id = ${id} and ${ownRows(scope)}`);
}

/** First of all in a transaction that writes into a session: until it ends, nobody is erased with whom it would go. */
export async function checkSessionOpen(db: Database, id: string | null, scope: Scope): Promise<void> {
  await lockAgainstErasure(db);
  const there = await db.one(sql`select 1 as there from sessions where id = ${id} and ${ownRows(scope)}`);
  if (!there) throw unknownSession(id ?? "");
}

function unknownSession(id: string): Problem {
  return new Problem("unknown-session", `There is no session “${id}”.`, "Check the id.");
}

export async function findSession(db: Database, id: string, reach: Reach = "everything"): Promise<Session> {
  const row = await db.one<SessionRow>(sql`select * from sessions where id = ${id}${reachFilter(reach)}`);
  if (row) return sessionOf(row);
  throw unknownSession(id);
}
