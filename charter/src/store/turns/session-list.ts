import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import { onPage } from "../home/page.ts";
import { countRows, matching, recordOf } from "../home/query.ts";
import { reachOf } from "../home/reach.ts";
import { joinQueries, listOf, type Query, raw, sql } from "../home/sql.ts";
import { microsOf, whereTurns } from "./list/list-turns.ts";
import { dollarsOf, type UsageRow, usageOf } from "./list/turn-facts.ts";
import type { ListSessionsOptions, Session, SessionFilter, SessionRow } from "./session.ts";
import type { TokenUsage } from "./spending.ts";
import { sessions } from "./turn-tables.ts";

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
      from sessions s where ${whereSessions(db, filter, listed)}
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
  return home.read(reachOf(filter.agent, filter.user), (db) =>
    countRows(db, "sessions s", whereSessions(db, filter, which)),
  );
}

function whereSessions(
  db: Database,
  { open = false, channel, minCost, maxCost, ...turns }: SessionFilter,
  which: Query,
): Query {
  const { agent, user, words, state, event, model, from, to } = turns;
  const cost = sql`(select sum(t.micros) from turns t where ${own})`;
  const some = [words, state, event, model, from, to].some((one) => one !== undefined);
  const all = [
    which,
    matching({ "s.agent": agent, "s.user_id": user, "s.channel": channel }),
    ...(open ? [raw("s.ended_at is null")] : []),
    ...(minCost === undefined ? [] : [sql`${cost} >= ${microsOf("minCost", minCost)}`]),
    ...(maxCost === undefined ? [] : [sql`${cost} <= ${microsOf("maxCost", maxCost)}`]),
    ...(some ? [sql`s.id in (select session from turns where ${whereTurns(db, turns)} and session is not null)`] : []),
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
