import type { Home } from "./home/database.ts";
import { matching, onPage, type Page } from "./home/query.ts";
import { joinQueries, listOf, type Query, raw, sql } from "./home/sql.ts";
import { runOfTurn } from "./schedules/runs.ts";
import { isUnusual, type TurnReason } from "./turns/turn.ts";

/** A turn that failed, and none of its session was answered since. */
type OpenFailure = {
  readonly turn: string;
  readonly agent: string;
  readonly user: string;
  readonly at: string;
  /** The beginning of what it was told. */
  readonly input: string;
  readonly because: TurnReason | null;
};

/** A message nobody answers any more, after its last try. */
type DeadLetter = {
  readonly agent: string;
  readonly id: string;
  readonly sender: string;
  readonly at: string;
  readonly body: string;
  readonly because: string | null;
};

/** A schedule whose time has passed, and nobody ran it. */
type LateSchedule = {
  readonly agent: string;
  readonly user: string;
  readonly id: string;
  readonly title: string;
  readonly nextAt: string;
};

/** Work that needs an operator, of all agents: the latest of each kind, and their number. */
type Needs = {
  readonly failures: { readonly rows: readonly OpenFailure[]; readonly total: number };
  readonly deadLetters: { readonly rows: readonly DeadLetter[]; readonly total: number };
  readonly lateSchedules: { readonly rows: readonly LateSchedule[]; readonly total: number };
};

/** Money and tokens of one group: in millionths of a dollar. */
export type GroupSpending = {
  readonly name: string;
  readonly micros: number;
  readonly input: number;
  readonly read: number;
  readonly written: number;
  readonly output: number;
};

/** Cost of kept turns by a fact about them; null for turns without it. */
type TurnSpending = {
  readonly name: string | null;
  readonly turns: number;
  /** Number of those that have a price. */
  readonly priced: number;
  readonly micros: number;
};

/** Range of spending: two days (2026-02-18), both included, and an agent or a user. */
type MoneyRange = {
  readonly agent?: string | undefined;
  readonly user?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
};

/**
 * Spending in a range. Agents, users, models and days are of all spending; channels and schedules of kept turns, which are those
 * that were not erased. A schedule has every try of its runs; null: runs that are no longer kept.
 */
type Money = {
  readonly agents: readonly GroupSpending[];
  readonly users: readonly GroupSpending[];
  readonly models: readonly GroupSpending[];
  readonly days: readonly GroupSpending[];
  readonly channels: readonly TurnSpending[];
  readonly schedules: readonly (TurnSpending & {
    readonly agent: string;
    readonly title: string | null;
    readonly input: number;
    readonly read: number;
  })[];
  readonly turns: number;
  readonly priced: number;
};

/** A turn that is kept, with what it cost and what its provider read from its cache; null where nothing was counted. */
export type SpentTurn = {
  readonly id: string;
  readonly agent: string;
  readonly channel: string | null;
  readonly micros: number | null;
  readonly read: number | null;
};

/** Totals of a user with one agent. */
type PersonWith = {
  readonly agent: string;
  readonly turns: number;
  readonly failed: number;
  readonly micros: number;
  readonly lastAt: string | null;
  readonly channels: readonly string[];
};

/** Totals of users, over all agents. */
type PersonSums = {
  readonly turns: number;
  readonly failed: number;
  readonly micros: number;
  readonly lastAt: string | null;
  readonly agents: readonly string[];
};

/**
 * `store.overview`: what an operator of all agents looks at first. Each is one question, however many agents there are.
 *
 * @opaque
 */
export type Overview = {
  /** `since`: when turns that failed began; `late`: schedules that should have run before it. */
  readonly needs: (about: { readonly since: string; readonly late: string } & Page) => Promise<Needs>;
  /** Counts the turns each agent began on each day since then; a day without any is not in it. */
  readonly turnsByDay: (
    agents: readonly string[],
    since: string,
  ) => Promise<ReadonlyMap<string, ReadonlyMap<string, number>>>;
  readonly money: (range: MoneyRange) => Promise<Money>;
  /** Lists the newest turns of a range that are kept. */
  readonly newest: (range: MoneyRange, limit: number) => Promise<readonly SpentTurn[]>;
  /** Lists what each user of these agents cost on a day, the most first; the user is empty for nobody. */
  readonly spentOn: (
    day: string,
    agents: readonly string[],
  ) => Promise<readonly { readonly agent: string; readonly user: string; readonly micros: number }[]>;
  /** Lists agents that live on what they were granted: in all, in millionths of a dollar. */
  readonly granted: () => Promise<readonly { readonly agent: string; readonly micros: number }[]>;
  /** Lists totals of these users; a user without turns and spending is not in it. */
  readonly people: (users: readonly string[]) => Promise<ReadonlyMap<string, PersonSums>>;
  /** Lists a user's totals by agent, the latest first. */
  readonly person: (user: string) => Promise<readonly PersonWith[]>;
};

export function createOverview(home: Home): Overview {
  const all = <Row>(query: Query) => home.read("everything", (db) => db.all<Row>(query));
  return {
    needs: async ({ since, late, ...page }) => {
      const part = onPage(page);
      const failed = sql`from turns f where state = 'failed' and ${raw(isUnusual)} and started_at >= ${since} and ${ofAgents} and not exists (
        select 1 from turns later where later.session = f.session and length(later.session) <= 200
        and later.started_at > f.started_at and later.state = 'answered')`;
      const dead = sql`from inbox where status = 'dead' and ${ofAgents}`;
      const overdue = sql`from schedules where ended_at is null and next_at is not null and next_at <= ${late}`;
      type FailureRow = Omit<OpenFailure, "because"> & { because: string | null };
      const failures = await all<FailureRow>(sql`select id as turn, agent, user_id as "user", started_at as at,
        substr(input, 1, 300) as input, because ${failed} order by started_at desc, id desc ${part}`);
      type DeadRow = Omit<DeadLetter, "because"> & { failures: string };
      const letters = await all<DeadRow>(sql`select agent, id, sender, at, substr(body, 1, 300) as body, failures
        ${dead} order by at desc, id desc ${part}`);
      const schedules = await all<LateSchedule>(sql`select agent, user_id as "user", id, title, next_at as "nextAt"
        ${overdue} order by next_at, id ${part}`);
      const [one, two, three] = await Promise.all(
        [failed, dead, overdue].map(async (from) => {
          const [row] = await all<{ count: number }>(sql`select count(*) as count ${from}`);
          return Number(row?.count ?? 0);
        }),
      );
      return {
        failures: { rows: failures.map((row) => ({ ...row, because: reasonOf(row.because) })), total: one ?? 0 },
        deadLetters: {
          rows: letters.map(({ failures: tries, ...row }) => ({ ...row, because: lastReason(tries) })),
          total: two ?? 0,
        },
        lateSchedules: { rows: schedules, total: three ?? 0 },
      };
    },
    turnsByDay: async (agents, since) => {
      if (agents.length === 0) return new Map();
      type DayRow = { agent: string; day: string; count: number };
      const rows = await all<DayRow>(sql`select agent, substr(started_at, 1, 10) as day, count(*) as count from turns
        where agent in ${listOf(agents)} and started_at >= ${since} group by agent, substr(started_at, 1, 10)`);
      const byAgent = Map.groupBy(rows, ({ agent }) => agent);
      return new Map(
        [...byAgent].map(([agent, days]) => [agent, new Map(days.map(({ day, count }) => [day, Number(count)]))]),
      );
    },
    money: async ({ agent, user, from = "", to = "9999-12-31" }) => {
      const whose = matching({ agent, user_id: user });
      const spent = (by: string) =>
        all<GroupSpending>(sql`select ${raw(by)} as name, ${spentSums} from spending
          where ${whose} and day >= ${from} and day <= ${to} group by ${raw(by)} order by 2 desc, 1`);
      const kept = keptTurns({ agent, user, from, to });
      const channels = await all<TurnSpending>(sql`select channel as name, count(*) as turns,
        count(micros) as priced, coalesce(sum(micros), 0) as micros ${kept} group by channel order by 4 desc, 1`);
      type ScheduleRow = TurnSpending & { agent: string; title: string | null; input: number; read: number };
      const [owner, at] = [joinQueries([raw("1 = 1"), ...prefixed({ agent, user })], " and "), `${to}T~`];
      const schedules = await all<ScheduleRow>(sql`select r.schedule as name, t.agent, max(s.title) as title,
        count(*) as turns, count(t.micros) as priced, coalesce(sum(t.micros), 0) as micros, coalesce(sum(t.input_tokens), 0) as input,
        coalesce(sum(t.read_tokens), 0) as read
        from turns t left join runs r on r.id = ${runOfTurn.id} left join schedules s on s.id = r.schedule
        where ${runOfTurn.is} and t.state <> 'erased' and ${owner} and t.started_at >= ${from} and t.started_at <= ${at}
        group by r.schedule, t.agent order by 6 desc, 1, 2`);
      const groups = await Promise.all(["agent", "user_id", "receiver", "day"].map(spent));
      const [agents = [], users = [], models = [], days = []] = groups.map((rows) => rows.map(counted));
      const told = channels.map(numbered);
      return {
        ...{ agents, users, models, channels: told },
        days: days.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
        schedules: schedules.map((row) => ({ ...numbered(row), input: Number(row.input), read: Number(row.read) })),
        turns: told.reduce((sum, { turns }) => sum + turns, 0),
        priced: told.reduce((sum, { priced }) => sum + priced, 0),
      };
    },
    newest: async (range, limit) => {
      const rows = await all<SpentTurn>(sql`select id, agent, channel, micros, read_tokens as read ${keptTurns(range)}
        and ${ofAll} order by started_at desc, id desc ${onPage({ limit })}`);
      const known = (count: number | null) => (count === null ? null : Number(count));
      return rows.map((row) => ({ ...row, micros: known(row.micros), read: known(row.read) }));
    },
    spentOn: async (day, agents) => {
      if (agents.length === 0) return [];
      const rows = await all<{ agent: string; user: string; micros: number }>(sql`select agent, user_id as "user",
        sum(micros) as micros from spending where agent in ${listOf(agents)} and day = ${day} group by agent, user_id
        order by 3 desc, 1, 2`);
      return rows.map((row) => ({ ...row, micros: Number(row.micros) }));
    },
    granted: async () => {
      const rows = await all<{ agent: string; micros: number }>(sql`select agent, granted as micros from automata
        where granted is not null and ${ofAgents} order by agent`);
      return rows.map(({ agent, micros }) => ({ agent, micros: Number(micros) }));
    },
    people: async (users) => {
      if (users.length === 0) return new Map();
      const rows = await all<WithRow>(personRows(sql`user_id in ${listOf(users)}`));
      const byUser = Map.groupBy(rows, ({ user_id }) => user_id);
      return new Map(
        [...byUser].map(([user, own]) => {
          const each = own.map(withOf);
          const sum = (of: (one: (typeof each)[number]) => number) => each.reduce((all, one) => all + of(one), 0);
          const last = each.flatMap(({ lastAt }) => lastAt ?? []).sort();
          const sums = { turns: sum((one) => one.turns), failed: sum((one) => one.failed) };
          const agents = each.filter(({ turns }) => turns > 0).map(({ agent }) => agent);
          return [user, { ...sums, micros: sum((one) => one.micros), lastAt: last.at(-1) ?? null, agents }];
        }),
      );
    },
    person: async (user) => {
      const rows = await all<WithRow>(personRows(sql`${ofAll} and user_id = ${user}`));
      const channels = await all<{ agent: string; channel: string }>(sql`select distinct agent, channel from turns
        where ${ofAll} and user_id = ${user} and state <> 'erased' and channel is not null order by channel`);
      const each = rows.map((row) => {
        const own = channels.filter(({ agent }) => agent === row.agent);
        return { ...withOf(row), channels: own.map(({ channel }) => channel) };
      });
      return each.toSorted((one, other) => ((one.lastAt ?? "") > (other.lastAt ?? "") ? -1 : 1));
    },
  };
}

/** Condition of what somebody can still settle: a removed agent does nothing any more. */
const ofAgents = raw("agent in (select name from agents where removed_at is null)");
/** Condition that every row meets: indexes begin with the agent, so what is asked over all agents is looked for in each. */
const ofAll = raw("agent in (select name from agents)");

/** Turns of a range that were not erased. A time begins with its day, and the last of a day comes before “T~”. */
function keptTurns({ agent, user, from = "", to = "9999-12-31" }: MoneyRange): Query {
  return sql`from turns where ${matching({ agent, user_id: user })} and state <> 'erased'
    and started_at >= ${from} and started_at <= ${`${to}T~`}`;
}

const spentSums = raw(`coalesce(sum(micros), 0) as micros, coalesce(sum(input), 0) as input,
  coalesce(sum(read), 0) as read, coalesce(sum(written), 0) as written, coalesce(sum(output), 0) as output`);

/** PostgreSQL gives a sum as text, lest it be too large. */
function counted({ name, ...sums }: GroupSpending): GroupSpending {
  const { micros, input, read, written, output } = sums;
  return {
    ...{ name, micros: Number(micros), input: Number(input) },
    ...{ read: Number(read), written: Number(written), output: Number(output) },
  };
}

function numbered<Row extends TurnSpending>(row: Row): Row {
  return { ...row, turns: Number(row.turns), priced: Number(row.priced), micros: Number(row.micros) };
}

function prefixed({ agent, user }: Pick<MoneyRange, "agent" | "user">): Query[] {
  return [
    ...(agent === undefined ? [] : [sql`t.agent = ${agent}`]),
    ...(user === undefined ? [] : [sql`t.user_id = ${user}`]),
  ];
}

type WithRow = {
  user_id: string;
  agent: string;
  turns: number;
  failed: number;
  micros: number;
  last_at: string | null;
};

/** Sums turns and spending by user and agent, also of turns that are no longer kept. */
function personRows(which: Query): Query {
  return sql`select user_id, agent, sum(turns) as turns, sum(failed) as failed, sum(micros) as micros,
      max(last_at) as last_at
    from (select user_id, agent, count(*) as turns, sum(case when state = 'failed' then 1 else 0 end) as failed,
        0 as micros, max(started_at) as last_at
      from turns where ${which} and state <> 'erased' group by user_id, agent
      union all select user_id, agent, 0, 0, sum(micros), null from spending where ${which} group by user_id, agent) as known
    group by user_id, agent order by agent`;
}

function withOf({ agent, turns, failed, micros, last_at }: WithRow) {
  return { agent, turns: Number(turns), failed: Number(failed), micros: Number(micros), lastAt: last_at };
}

function reasonOf(because: string | null): TurnReason | null {
  return because === null ? null : (JSON.parse(because) as TurnReason);
}

function lastReason(failures: string): string | null {
  return (JSON.parse(failures) as { because: string }[]).at(-1)?.because ?? null;
}
