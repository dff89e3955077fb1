import type { Scope } from "../../amend/amendment.ts";
import {
  anyValue,
  badArgument,
  checkOptions,
  checkText,
  type FieldChecks,
  isObject,
  isText,
  optional,
} from "../../prompt/argument.ts";
import { requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database, Reach } from "../home/database.ts";
import { countRows, matching, onPage, reachOf, recordOf } from "../home/query.ts";
import { joinQueries, listOf, type Query, raw, sql } from "../home/sql.ts";
import { checkScope } from "../scope.ts";
import { dollarsOf, microsOf, type UsageRow, usageOf, whereTurns } from "./list-turns.ts";
import {
  findSession,
  insertSession,
  type ListSessionsOptions,
  latestSession,
  type NewestTurn,
  newestTurn,
  type Session,
  type SessionFilter,
  type SessionReason,
  type SessionRow,
  type SessionTurn,
  turnsOfSession,
  turnsSince,
} from "./session.ts";
import type { TokenUsage } from "./spending.ts";
import { ownTurn, sessions } from "./turn.ts";

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
    /** A turn of the same user: the session begins with what was said up to it, where that was said. */
    beginsAfter?: string | undefined;
  }) => Promise<Session>;
  readonly get: (id: string, reach?: Reach) => Promise<Session>;
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

const newSessionChecks: FieldChecks<Parameters<Sessions["open"]>[0]> = {
  scope: [isObject, "Give { agent }, or { agent, user }: names."],
  receiver: [isText, "Give the receiver's name: receiver.name."],
  channel: anyValue,
  baseline: anyValue,
  ended: anyValue,
  because: anyValue,
  beginsAfter: optional([isText, "Give the id of a turn."]),
};

export function createSessions(deps: StoreDeps): Sessions {
  const { home, now, newId } = deps;
  const get = (id: string, reach: Reach = "everything") => home.read(reach, (db) => findSession(db, id, reach));
  return {
    get,
    open: async (session) => {
      checkOptions("store.sessions.open", session, newSessionChecks);
      const { scope, receiver, channel = null, baseline = null, ended = false, because, beginsAfter } = session;
      checkScope(scope);
      // Who is erased takes their turns along from every session: those of one user are all theirs.
      if (beginsAfter !== undefined && scope.user === undefined)
        throw badArgument("A session that begins after a turn was given no user.", "Give scope: { agent, user }.");
      return home.write(scope, async (db) => {
        await requireAgent(db, scope.agent);
        if (beginsAfter !== undefined) await ownTurn(db, beginsAfter, scope);
        const [id, at] = [newId(), now()];
        const about = { id, scope, receiver, channel, because, beginsAfter, baseline };
        return insertSession(db, { ...about, at, endedAt: ended ? at : null });
      });
    },
    end: async (id) =>
      home.write((await get(id)).scope, async (db) => {
        await db.run(sql`update sessions set ended_at = ${now()} where id = ${id}`);
        return findSession(db, id);
      }),
    latest: (scope, channel) => home.read(scope, (db) => latestSession(db, scope, channel)),
    list: (about = {}) => listSessions(deps, about),
    count: (about = {}) => countSessions(deps, about),
    countSingle: (about = {}) => countSingleSessions(deps, about),
    history: async (id, { after, from } = {}, reach = "everything") => {
      checkText("store.sessions.history", id);
      return home.read(reach, (db) => turnsOfSession(db, { session: id, after, from, reach }));
    },
    since: (id, turn, reach = "everything") => home.read(reach, (db) => turnsSince(db, id, turn, reach)),
    newestTurn: (id, reach = "everything") => home.read(reach, (db) => newestTurn(db, id, reach)),
  };
}

/** A session as lists show it: what its turns come to, and the first words that were said in it. */
export type SessionOverview = Omit<Session, "baseline"> & {
  readonly turns: number;
  /** How many replies of schedules were said in it. */
  readonly told: number;
  /** How many of them failed. */
  readonly failed: number;
  /** In dollars, of those with a price; null where none has one. */
  readonly cost: number | null;
  /** Of all its turns, as the provider counted; null where it did not say. */
  readonly usage: TokenUsage;
  /** The models its turns were answered by, by name. */
  readonly models: readonly string[];
  /** Its first input, cut where it is long; null where nothing was said in it, or that was erased. */
  readonly firstInput: string | null;
};

type ListedRow = Omit<SessionRow, "baseline"> & { first_input: string | null; told: number };
type SumsRow = UsageRow & { session: string; turns: number; failed: number; micros: number | null };

const firstChars = 200;
/** They stand in an index, for names that are no longer than names are. */
const own = raw("t.session = s.id and length(t.session) <= 200");
/** One that ended when it began was for one turn only. */
const listed = raw("(s.ended_at is null or s.ended_at <> s.started_at)");
const single = raw("s.ended_at = s.started_at");

/** Of a baseline, which is long, no list says anything. */
const shown = raw(
  sessions.all
    .filter(({ isHidden }) => !isHidden)
    .map(({ column }) => `s.${column}`)
    .join(", "),
);

type Deps = Pick<StoreDeps, "home">;

export async function listSessions(
  deps: Deps,
  { sort = "newest", limit, offset, ...filter }: ListSessionsOptions,
): Promise<SessionOverview[]> {
  const orders = {
    newest: raw("s.last_at desc, s.id desc"),
    oldest: raw("s.last_at, s.id"),
    cost: sql`(select sum(t.micros) from turns t where ${own}) desc nulls last, s.last_at desc, s.id desc`,
  };
  return deps.home.read(reachOf(filter.agent, filter.user), async (db) => {
    const rows = await db.all<ListedRow>(sql`select ${shown},
        (select substr(t.input, 1, ${firstChars}) from turns t where ${own} order by t.started_at, t.id limit 1)
          as first_input,
        (select count(*) from turns t where t.told_in = s.id) as told
      from sessions s where ${await whereSessions(db, filter, listed)}
      order by ${orders[sort]} ${onPage({ limit, offset })}`);
    const ids = rows.map(({ id }) => id);
    const sums = await sumsOf(db, ids);
    return rows.map((row) => overviewOf(row, sums));
  });
}

export function countSessions(deps: Deps, filter: SessionFilter): Promise<number> {
  return countThose(deps, filter, listed);
}

export function countSingleSessions(deps: Deps, filter: SessionFilter): Promise<number> {
  return countThose(deps, filter, single);
}

function countThose({ home }: Deps, filter: SessionFilter, which: Query): Promise<number> {
  return home.read(reachOf(filter.agent, filter.user), async (db) =>
    countRows(db, "sessions s", await whereSessions(db, filter, which)),
  );
}

async function whereSessions(
  db: Database,
  { open = false, channel, minCost, maxCost, ...turns }: SessionFilter,
  which: Query,
): Promise<Query> {
  const { agent, user, words, state, event, model, from, to } = turns;
  const cost = sql`(select sum(t.micros) from turns t where ${own})`;
  const some = [words, state, event, model, from, to].some((one) => one !== undefined);
  const all = [
    which,
    matching({ "s.agent": agent, "s.user_id": user, "s.channel": channel }),
    ...(open ? [raw("s.ended_at is null")] : []),
    ...(minCost === undefined ? [] : [sql`${cost} >= ${microsOf("minCost", minCost)}`]),
    ...(maxCost === undefined ? [] : [sql`${cost} <= ${microsOf("maxCost", maxCost)}`]),
    ...(some
      ? [sql`s.id in (select session from turns where ${await whereTurns(db, turns)} and session is not null)`]
      : []),
  ];
  return joinQueries(all, " and ");
}

type Sums = { readonly turns: ReadonlyMap<string, SumsRow>; readonly models: ReadonlyMap<string, readonly string[]> };

async function sumsOf(db: Database, sessions: readonly string[]): Promise<Sums> {
  const theirs = sql`from turns where session in ${listOf(sessions)} and length(session) <= 200`;
  const rows = await db.all<SumsRow>(sql`select session, count(*) as turns, sum(micros) as micros,
      sum(case when state = 'failed' then 1 else 0 end) as failed, sum(input_tokens) as input_tokens,
      sum(read_tokens) as read_tokens, sum(written_tokens) as written_tokens, sum(output_tokens) as output_tokens
    ${theirs} group by session`);
  const asked = await db.all<{ session: string; model: string }>(
    sql`select distinct session, model ${theirs} and model is not null`,
  );
  const models = Map.groupBy(asked, ({ session }) => session);
  return {
    turns: new Map(rows.map((row) => [row.session, row])),
    models: new Map([...models].map(([session, all]) => [session, all.map(({ model }) => model).sort()])),
  };
}

const noSums = { turns: 0, failed: 0, micros: null };
const noTokens: UsageRow = { input_tokens: null, read_tokens: null, written_tokens: null, output_tokens: null };

function overviewOf(row: ListedRow, { turns: sums, models }: Sums): SessionOverview {
  const { turns, failed, micros, ...tokens } = sums.get(row.id) ?? { ...noSums, ...noTokens };
  return {
    ...recordOf(sessions, row),
    turns: Number(turns),
    told: Number(row.told),
    failed: Number(failed),
    cost: dollarsOf(micros),
    usage: usageOf(tokens),
    models: models.get(row.id) ?? [],
    firstInput: row.first_input === "" ? null : row.first_input,
  };
}
