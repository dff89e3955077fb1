import type { Scope } from "../../amend/amendment.ts";
import { Problem } from "../../prompt/problem.ts";
import { requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import { scopeOf } from "../event.ts";
import type { Database, Reach } from "../home/database.ts";
import { reachFilter } from "../home/reach.ts";
import { raw, sql } from "../home/sql.ts";
import { checkScope } from "../scope.ts";
import type { ListSessionsOptions, Session, SessionFilter, SessionReason, SessionRow } from "./session.ts";
import { countSessions, countSingleSessions, listSessions, type SessionOverview } from "./session-list.ts";
import { type NewestTurn, newestTurn, type SessionTurn, turnsOfSession, turnsSince } from "./session-turns.ts";

export type { ListSessionsOptions, Session, SessionFilter, SessionReason } from "./session.ts";

/** `store.sessions`: series of turns that share a cached prefix. */
export type Sessions = {
  /** Opens a session. `ended`: for one turn only. */
  readonly open: (session: {
    scope: Scope;
    receiver: string;
    channel?: string | null | undefined;
    baseline?: unknown;
    ended?: boolean;
    because?: SessionReason | null;
  }) => Promise<Session>;
  readonly get: (id: string, reach?: Reach) => Promise<Session>;
  /** Records that the session was used, and its new baseline. */
  readonly touch: (id: string, baseline?: unknown) => Promise<Session>;
  readonly end: (id: string) => Promise<Session>;
  /**
   * The newest session that has not ended: of this channel (or of all of them), or, without one, of any. null: only those
   * that are of all channels.
   */
  readonly latest: (scope: Scope, channel?: string | null) => Promise<Session | undefined>;
  /** The most recently used first, each with what its turns come to and what was first said; not those of one turn only. */
  readonly list: (about?: ListSessionsOptions) => Promise<SessionOverview[]>;
  /** How many `list` has in all. */
  readonly count: (about?: SessionFilter) => Promise<number>;
  /** How many of one turn only there are besides, which no list has. */
  readonly countSingle: (about?: SessionFilter) => Promise<number>;
  /**
   * All its turns, oldest first: from the beginning, after one turn, or from one on. Among them those of schedules whose
   * replies were sent into this chat (`told`).
   */
  readonly history: (
    id: string,
    about?: { readonly after?: string | undefined; readonly from?: string | undefined },
    reach?: Reach,
  ) => Promise<SessionTurn[]>;
  /** The ids of the turns opened in it, or told there, after this one, oldest first. */
  readonly since: (id: string, turn: string, reach?: Reach) => Promise<string[]>;
  /** Shows whether others took turns since its history was read. */
  readonly newestTurn: (id: string, reach?: Reach) => Promise<NewestTurn | undefined>;
};

/** What a step or the end of a turn does to its session: it was used, and has this baseline and receiver now. */
export type SessionTouch = {
  readonly touch: true;
  readonly baseline?: unknown;
  /** The model it is sent to, where that is another than before. */
  readonly receiver?: string | undefined;
  /** The model whose place that one takes; null: it is the agent's first. */
  readonly standsInFor?: string | null | undefined;
};

function sessionOf(row: SessionRow): Session {
  const { id, receiver, channel, because, started_at, last_at, ended_at } = row;
  let baseline: { readonly value: unknown } | undefined;
  return {
    id,
    scope: scopeOf(row),
    receiver,
    ...(row.stands_in_for === null ? {} : { standsInFor: row.stands_in_for }),
    channel,
    because,
    // It is long, and most of those who look for a session know it already.
    get baseline() {
      baseline ??= { value: JSON.parse(row.baseline) };
      return baseline.value;
    },
    startedAt: started_at,
    lastAt: last_at,
    endedAt: ended_at,
  };
}

type InsertedSession = Pick<Session, "id" | "scope" | "receiver" | "channel" | "endedAt"> & {
  readonly because?: SessionReason | null | undefined;
  readonly baseline?: unknown;
  readonly at: string;
};

export async function insertSession(
  db: Database,
  { id, scope, receiver, channel, because = null, baseline = null, at, endedAt }: InsertedSession,
): Promise<void> {
  await db.run(sql`insert into sessions (id, agent, user_id, receiver, channel, because, baseline, started_at, last_at,
      ended_at)
    values (${id}, ${scope.agent}, ${scope.user ?? ""}, ${receiver}, ${channel}, ${because}, ${JSON.stringify(baseline)},
      ${at}, ${at}, ${endedAt})`);
}

export function createSessions(deps: StoreDeps): Sessions {
  const { home, now, newId } = deps;
  const get = (id: string, reach: Reach = "everything") => home.read(reach, (db) => find(db, id, reach));
  const change = async (id: string, work: (db: Database, scope: Scope) => Promise<unknown>) => {
    const { scope } = await get(id);
    return home.write(scope, async (db) => {
      await work(db, scope);
      return find(db, id);
    });
  };
  return {
    get,
    open: async ({ scope, receiver, channel = null, baseline = null, ended = false, because }) => {
      checkScope(scope);
      return home.write(scope, async (db) => {
        await requireAgent(db, scope.agent);
        const [id, at] = [newId(), now()];
        await insertSession(db, { id, scope, receiver, channel, because, baseline, at, endedAt: ended ? at : null });
        return find(db, id);
      });
    },
    touch: (id, baseline) =>
      change(id, (db, scope) => touchSession(db, { id, scope }, now(), { touch: true, baseline })),
    end: (id) => change(id, (db) => db.run(sql`update sessions set ended_at = ${now()} where id = ${id}`)),
    latest: (scope, channel) => home.read(scope, (db) => latestSession(db, scope, channel)),
    list: (about = {}) => listSessions(deps, about),
    count: (about = {}) => countSessions(deps, about),
    countSingle: (about = {}) => countSingleSessions(deps, about),
    history: (id, { after, from } = {}, reach = "everything") =>
      home.read(reach, (db) => turnsOfSession(db, { session: id, after, from, reach })),
    since: (id, turn, reach = "everything") => home.read(reach, (db) => turnsSince(db, id, turn, reach)),
    newestTurn: (id, reach = "everything") => home.read(reach, (db) => newestTurn(db, id, reach)),
  };
}

/** Within a transaction. */
async function latestSession(
  db: Database,
  { agent, user = "" }: Scope,
  channel?: string | null,
): Promise<Session | undefined> {
  const those = channel === null ? raw("channel is null") : sql`(channel = ${channel ?? ""} or channel is null)`;
  const row = await db.one<SessionRow>(sql`select * from sessions where agent = ${agent} and user_id = ${user}
    and ended_at is null ${channel === undefined ? raw("") : sql`and ${those}`} order by last_at desc, id desc limit 1`);
  return row && sessionOf(row);
}

/** Within a transaction. A turn may name a session that is another's, or not kept here: then nothing is touched. */
export async function touchSession(
  db: Database,
  { id, scope }: { readonly id: string; readonly scope: Scope },
  at: string,
  { baseline, receiver, standsInFor }: SessionTouch,
): Promise<void> {
  // One that has ended may have been erased: nothing is put into it again.
  const kept = sql`case when ended_at is null then ${JSON.stringify(baseline ?? null)} else baseline end`;
  const goesOn = baseline === undefined ? raw("") : sql`, baseline = ${kept}`;
  const takenOver = receiver === undefined ? raw("") : sql`, receiver = ${receiver}`;
  const standsIn = standsInFor === undefined ? raw("") : sql`, stands_in_for = ${standsInFor}`;
  await db.run(sql`update sessions set last_at = ${at}${goesOn}${takenOver}${standsIn}
    where id = ${id} and agent = ${scope.agent} and user_id = ${scope.user ?? ""}`);
}

/** First of all in a transaction that writes into a session: until it ends, nobody is erased with whom it would go. */
export async function checkSessionOpen(db: Database, id: string | null, { agent, user = "" }: Scope): Promise<void> {
  const kept = db.dialect.lockTableShared("texts");
  if (kept) await db.run(kept);
  const there = await db.one(
    sql`select 1 as there from sessions where id = ${id} and agent = ${agent} and user_id = ${user}`,
  );
  if (!there) throw unknownSession(id ?? "");
}

function unknownSession(id: string): Problem {
  return new Problem("unknown-session", `There is no session “${id}”.`, "Check the id.");
}

async function find(db: Database, id: string, reach: Reach = "everything"): Promise<Session> {
  const row = await db.one<SessionRow>(sql`select * from sessions where id = ${id}${reachFilter(reach)}`);
  if (row) return sessionOf(row);
  throw unknownSession(id);
}
