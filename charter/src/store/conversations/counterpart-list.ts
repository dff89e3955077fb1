import type { Database, Home } from "../home/database.ts";
import { onPage, type Page } from "../home/query.ts";
import { listOf, type Query, raw, sql } from "../home/sql.ts";
import { dollarsOf, type UsageRow, usageOf } from "../turns/list/turn-facts.ts";
import type { TokenUsage } from "../turns/spending.ts";

/** Someone an agent has spoken with: what all their turns and messages come to. */
export type CounterpartOverview = {
  /** A user's id; or the key of a sender of messages, which begins with `counterpart:`. */
  readonly user: string;
  readonly turns: number;
  /** How many of them failed. */
  readonly failed: number;
  /** How many messages of theirs were answered, those no longer kept included. */
  readonly messages: number;
  /** In dollars, of the turns with a price; null where none has one. */
  readonly cost: number | null;
  /** Of all their turns, as the provider counted; null where it did not say. */
  readonly usage: TokenUsage;
  /** Where their turns came from, by name. */
  readonly channels: readonly string[];
  /** When their last turn began, or their last message was answered. */
  readonly lastAt: string;
  /** What they said last, cut where it is long; null where they said nothing themselves. */
  readonly lastInput: string | null;
};

/** Which of those an agent spoke with, and how many of them. */
export type ListCounterpartsOptions = Page & {
  /** Channels on which nobody speaks: what a turn there was told is not what its user said. */
  readonly unspoken?: readonly string[];
};

type SumsRow = UsageRow & {
  user_id: string;
  turns: number;
  failed: number;
  messages: number;
  micros: number | null;
  last_at: string;
  last_input: string | null;
};

const firstChars = 200;

/** Everyone an agent has spoken with, the latest first. Who was erased is not among them. */
export async function listCounterparts(
  home: Home,
  agent: string,
  { unspoken = [], ...page }: ListCounterpartsOptions,
): Promise<CounterpartOverview[]> {
  return home.read("everything", async (db) => {
    const order = sql`order by last_at desc, user_id${db.dialect.bytewise}`;
    const said = unspoken.length === 0 ? raw("") : sql`and (t.channel is null or t.channel not in ${listOf(unspoken)})`;
    const rows = await db.all<SumsRow>(sql`select p.*, (select substr(t.input, 1, ${firstChars}) from turns t
        where t.agent = ${agent} and t.user_id = p.user_id and t.state <> 'erased' ${said}
        order by t.started_at desc, t.id desc limit 1) as last_input
      from (select user_id, sum(turns) as turns, sum(failed) as failed, sum(messages) as messages,
          sum(micros) as micros, sum(input_tokens) as input_tokens, sum(read_tokens) as read_tokens,
          sum(written_tokens) as written_tokens, sum(output_tokens) as output_tokens, max(last_at) as last_at
        from (${spokenWith(agent)}) as spoken group by user_id ${order} ${onPage(page)}) as p
      ${order}`);
    const users = rows.map(({ user_id }) => user_id);
    const channels = await channelsOf(db, agent, users);
    return rows.map((row) => overviewOf(row, channels.get(row.user_id) ?? []));
  });
}

export async function countCounterparts(home: Home, agent: string): Promise<number> {
  const spoken = sql`select user_id from turns where agent = ${agent} and user_id <> '' and state <> 'erased'
    union select user_id from conversations where agent = ${agent}`;
  return home.read("everything", async (db) => {
    const row = await db.one<{ count: number }>(sql`select count(*) as count from (${spoken}) as spoken`);
    return Number(row?.count ?? 0);
  });
}

/** By user, once for their turns and once for their messages. */
function spokenWith(agent: string): Query {
  return sql`select user_id, count(*) as turns, sum(case when state = 'failed' then 1 else 0 end) as failed,
      0 as messages, sum(micros) as micros, sum(input_tokens) as input_tokens, sum(read_tokens) as read_tokens,
      sum(written_tokens) as written_tokens, sum(output_tokens) as output_tokens, max(started_at) as last_at
    from turns where agent = ${agent} and user_id <> '' and state <> 'erased' group by user_id
    union all select user_id, 0, 0, exchanges, null, null, null, null, null, last_at
    from conversations where agent = ${agent}`;
}

async function channelsOf(
  db: Database,
  agent: string,
  users: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await db.all<{ user_id: string; channel: string }>(sql`select distinct user_id, channel from turns
    where agent = ${agent} and user_id in ${listOf(users)} and state <> 'erased' and channel is not null`);
  const byUser = Map.groupBy(rows, ({ user_id }) => user_id);
  return new Map([...byUser].map(([user, all]) => [user, all.map(({ channel }) => channel).sort()]));
}

function overviewOf(row: SumsRow, channels: readonly string[]): CounterpartOverview {
  return {
    user: row.user_id,
    turns: Number(row.turns),
    failed: Number(row.failed),
    messages: Number(row.messages),
    cost: dollarsOf(row.micros),
    usage: usageOf(row),
    channels,
    lastAt: row.last_at,
    lastInput: row.last_input,
  };
}
