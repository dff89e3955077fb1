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
  type FoundSession,
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
  wholeSession,
} from "./session.ts";
import type { TokenUsage } from "./spending.ts";
import { ownTurn, sessions } from "./turn.ts";

/** `store.sessions`: series of turns that share a cached prefix. */
export type Sessions = {
  /** Opens a session. `ended`: it is for a single turn. */
  readonly open: (session: {
    scope: Scope;
    receiver: string;
    channel?: string | null | undefined;
    baseline?: unknown;
    /** Id of the caller's own. One that is there stays, as used just now. */
    id?: string;
    ended?: boolean;
    because?: SessionReason | null;
    /** Turn of the same user, in any session: the new session's history begins with everything up to it. */
    beginsAfter?: string | undefined;
    /** Says that it is a job's: of one without a user, that it is not the operator's own. */
    job?: boolean | undefined;
  }) => Promise<Session>;
  readonly get: (id: string, reach?: Reach) => Promise<Session>;
  /** Returns it without its baseline, which may be long. */
  readonly find: (id: string, reach?: Reach) => Promise<FoundSession>;
  readonly end: (id: string) => Promise<Session>;
  /**
   * Returns the newest session that has not ended: of this channel or of all channels together; of any if no channel is given;
   * null asks only for those of all channels together. Its baseline comes with `get`.
   */
  readonly latest: (scope: Scope, channel?: string | null) => Promise<FoundSession | undefined>;
  /**
   * Lists sessions, most recently used first, each with the sums of its turns and its first input; sessions of a single turn are
   * left out.
   */
  readonly list: (about?: ListSessionsOptions) => Promise<SessionOverview[]>;
  /** Counts the sessions that `list` has in all. */
  readonly count: (about?: SessionFilter) => Promise<number>;
  /** Counts the sessions of a single turn, which no list shows. */
  readonly countSingle: (about?: SessionFilter) => Promise<number>;
  /**
   * Returns the turns of a session, oldest first: all, those after one turn, or from one on. Replies of schedules that were sent
   * into this chat are among them (`told`).
   */
  readonly history: (
    id: string,
    about?: { readonly after?: string | undefined; readonly from?: string | undefined },
    reach?: Reach,
  ) => Promise<SessionTurn[]>;
  /** Returns the ids of the turns that were opened or announced in it after this one, oldest first. */
  readonly since: (id: string, turn: string, reach?: Reach) => Promise<string[]>;
  /** Returns the newest turn, which shows whether others took turns since the history was read. */
  readonly newestTurn: (id: string, reach?: Reach) => Promise<NewestTurn | undefined>;
};

const newSessionChecks: FieldChecks<Parameters<Sessions["open"]>[0]> = {
  scope: [isObject, "Give { agent }, or { agent, user }: names."],
  receiver: [isText, "Give the receiver's name: receiver.name."],
  channel: anyValue,
  baseline: anyValue,
  id: optional([isText, "Give an id, as text."]),
  ended: anyValue,
  because: anyValue,
  beginsAfter: optional([isText, "Give the id of a turn."]),
  job: anyValue,
};

export function createSessions(deps: StoreDeps): Sessions {
  const { home, texts, now, newId } = deps;
  const find = (id: string, reach: Reach = "everything") =>
    home.read(reach, (db) => findSession(db, id, reach), "brief");
  return {
    find,
    get: (id, reach = "everything") => home.read(reach, (db) => wholeSession(db, texts, id, reach)),
    open: async (session) => {
      checkOptions("store.sessions.open", session, newSessionChecks);
      const { scope, receiver, channel = null, baseline = null, ended = false, because, beginsAfter, job } = session;
      checkScope(scope);
      // A turn of another user may not be continued: erasing a user has to remove their turns from every session.
      if (beginsAfter !== undefined && scope.user === undefined)
        throw badArgument("A session that begins after a turn was given no user.", "Give scope: { agent, user }.");
      return home.write(scope, async (db) => {
        await requireAgent(db, scope.agent);
        if (beginsAfter !== undefined) await ownTurn(db, beginsAfter, scope);
        const { id = newId() } = session;
        const at = now();
        const about = { id, scope, receiver, channel, because, beginsAfter, baseline, job: job || undefined };
        return insertSession(db, { ...about, at, endedAt: ended ? at : null });
      });
    },
    end: async (id) =>
      home.write((await find(id)).scope, async (db) => {
        await db.run(sql`update sessions set ended_at = ${now()} where id = ${id}`);
        return wholeSession(db, texts, id, "everything");
      }),
    latest: (scope, channel) => home.read(scope, (db) => latestSession(db, scope, channel), "brief"),
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

/** A session as lists show it: the sums of its turns, and its first input. */
export type SessionOverview = FoundSession & {
  readonly turns: number;
  /** Number of schedule replies that were announced in it. */
  readonly told: number;
  /** Number of its turns that failed. */
  readonly failed: number;
  /** Cost in dollars, of the turns with a price; null if none has one. */
  readonly cost: number | null;
  /** Tokens of all its turns, as the provider counted; null where it did not say. */
  readonly usage: TokenUsage;
  /** Models that answered its turns, by name. */
  readonly models: readonly string[];
  /** First input, shortened; null if there is none, or it was erased. */
  readonly firstInput: string | null;
};

type ListedRow = Omit<SessionRow, "baseline"> & { first_input: string | null; told: number };
type SumsRow = UsageRow & { session: string; turns: number; failed: number; micros: number | null };

const maxInputChars = 200;
/** Condition of the index on turns of a session, for names of usual length. */
const own = raw("t.session = s.id and length(t.session) <= 200");
/** A session that ended when it began was for a single turn. */
const listed = raw("(s.ended_at is null or s.ended_at <> s.started_at)");
const single = raw("s.ended_at = s.started_at");

/** Baselines are long, and no list shows them, so their column is not read. */
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
        (select substr(t.input, 1, ${maxInputChars}) from turns t where ${own} order by t.started_at, t.id limit 1)
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
  const ofSessions = sql`from turns where session in ${listOf(sessions)} and length(session) <= 200`;
  const rows = await db.all<SumsRow>(sql`select session, count(*) as turns, sum(micros) as micros,
      sum(case when state = 'failed' then 1 else 0 end) as failed, sum(input_tokens) as input_tokens,
      sum(read_tokens) as read_tokens, sum(written_tokens) as written_tokens, sum(output_tokens) as output_tokens
    ${ofSessions} group by session`);
  const modelRows = await db.all<{ session: string; model: string }>(
    sql`select distinct session, model ${ofSessions} and model is not null`,
  );
  const models = Map.groupBy(modelRows, ({ session }) => session);
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
