import { firstCharacters } from "../../prompt/character.ts";
import { requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database, Home, Reach } from "../home/database.ts";
import { countRows, insertInto, lockNamed, matching, onPage, type Page, reachOf } from "../home/query.ts";
import { checkSoundText, listOf, type Query, raw, sql } from "../home/sql.ts";
import type { RowOf } from "../home/table.ts";
import { checkCounterpart, counterpartKey, counterpartOf } from "../scope.ts";
import { dollarsOf, type TurnFilter, type TurnSort, type UsageRow, usageOf, whereTurns } from "../turns/list-turns.ts";
import type { TokenUsage } from "../turns/spending.ts";
import { checkNotErased } from "../turns/turn.ts";
import { exchanges } from "./inbox-row.ts";

/** A message and the reply to it. */
export type Exchange = {
  readonly inbox_message_id: string;
  readonly sender_body: string;
  readonly agent_reply: string;
  readonly turn_id: string;
  readonly timestamp: string;
};

/** A conversation with one sender. */
export type Conversation = {
  readonly counterpart: string;
  /** Exchanges, oldest first. */
  readonly exchanges: readonly Exchange[];
  readonly lastAt: string;
};

/** Maximum numbers to keep: exchanges with one sender, senders, and characters of each message. */
export type ConversationLimits = {
  readonly exchanges: number;
  readonly counterparts: number;
  readonly chars: number;
};

export const defaultConversationLimits: ConversationLimits = { exchanges: 20, counterparts: 200, chars: 500 };

/** `store.conversations`: what was said with senders of messages. */
export type Conversations = {
  /** Lists conversations, most recently active first; with `counterpart`, only the one with that sender. */
  readonly list: (
    agent: string,
    about?: Page & { readonly counterpart?: string | undefined },
  ) => Promise<{ counterpart: string; exchanges: number; lastAt: string }[]>;
  readonly count: (agent: string, about?: { readonly counterpart?: string | undefined }) => Promise<number>;
  /** Lists everyone an agent has spoken with, in turns or in messages, latest first. */
  readonly counterparts: (agent: string, about?: ListCounterpartsOptions) => Promise<CounterpartOverview[]>;
  /** Counts the people that `counterparts` has in all. */
  readonly countCounterparts: (agent: string, filter?: CounterpartFilter) => Promise<number>;
  readonly read: (agent: string, address: string) => Promise<Conversation | undefined>;
  /** Records an exchange that did not come through the inbox. */
  readonly record: (
    agent: string,
    address: string,
    exchange: NewExchange,
    limits?: ConversationLimits,
  ) => Promise<void>;
};

/** An exchange to be recorded. `message` is its id, `body` what was said. */
export type NewExchange = {
  readonly message: string;
  readonly body: string;
  readonly reply: string;
  readonly turn: string;
};

export function createConversations({ home, now }: StoreDeps): Conversations {
  return {
    list: async (agent, { counterpart, ...page } = {}) => {
      const { which, reach } = withWhom(agent, counterpart);
      return home.read(reach, async (db) => {
        const rows = await db.all<{ user_id: string; last_at: string; count: number }>(
          sql`select user_id, last_at, (select count(*) from exchanges e
              where e.agent = conversations.agent and e.user_id = conversations.user_id) as count
            from conversations where ${which} order by active desc ${onPage(page)}`,
        );
        return rows.map(({ user_id, last_at, count }) => ({
          ...{ counterpart: counterpartOf(user_id), exchanges: count, lastAt: last_at },
        }));
      });
    },
    count: async (agent, { counterpart } = {}) => {
      const { which, reach } = withWhom(agent, counterpart);
      return home.read(reach, (db) => countRows(db, "conversations", which));
    },
    counterparts: (agent, about = {}) => listCounterparts(home, agent, about),
    countCounterparts: (agent, filter = {}) => countCounterparts(home, agent, filter),
    read: async (agent, address) => {
      const { which, reach } = withWhom(agent, address);
      return home.read(reach, async (db) => {
        const head = await db.one<{ last_at: string }>(sql`select last_at from conversations where ${which}`);
        if (!head) return undefined;
        const rows = await db.all<RowOf<typeof exchanges>>(sql`select * from exchanges where ${which} order by number`);
        return {
          counterpart: counterpartOf(counterpartKey(address)),
          exchanges: rows.map(exchangeOf),
          lastAt: head.last_at,
        };
      });
    },
    record: async (agent, address, exchange, limits = defaultConversationLimits) => {
      checkCounterpart(address);
      return home.write("everything", async (db) => {
        await checkNotErased(db, exchange.turn);
        await requireAgent(db, agent);
        await appendExchange(db, { agent, address, at: now(), ...exchange }, limits);
      });
    },
  };
}

function withWhom(agent: string, counterpart: string | undefined): { readonly which: Query; readonly reach: Reach } {
  // Check by the name that was given: an error about the key with its prefix would name something else.
  if (counterpart !== undefined) checkSoundText(counterpart);
  const user = counterpart === undefined ? undefined : counterpartKey(counterpart);
  return { which: matching({ agent, user_id: user }), reach: reachOf(agent, user) };
}

function exchangeOf({ message, sender_body, agent_reply, turn, at }: RowOf<typeof exchanges>): Exchange {
  return { inbox_message_id: message, sender_body, agent_reply, turn_id: turn, timestamp: at };
}

type Address = { readonly agent: string; readonly address: string; readonly at: string };

/**
 * Appends an exchange. Above the limits, the oldest exchange of the conversation is deleted, and so are the conversations that
 * were silent longest.
 */
export async function appendExchange(
  db: Database,
  { agent, address, at, message, body, reply, turn }: NewExchange & Address,
  limits: ConversationLimits,
): Promise<void> {
  const user = counterpartKey(address);
  await lockNamed(db, ["conversations", agent]);
  const row = await db.one<{ exchanges: number }>(
    sql`insert into conversations (agent, user_id, last_at, active, exchanges) values (${agent}, ${user}, ${at},
        (select coalesce(max(active), 0) + 1 from conversations where agent = ${agent}), ${1})
      on conflict (agent, user_id) do update set last_at = excluded.last_at, active = excluded.active,
        exchanges = conversations.exchanges + 1
      returning exchanges`,
  );
  const number = (row as { exchanges: number }).exchanges;
  const senderBody = firstCharacters(body, limits.chars);
  const agentReply = firstCharacters(reply, limits.chars);
  await db.run(insertInto(exchanges, { scope: { agent, user }, number, message, senderBody, agentReply, turn, at }));
  if (number > limits.exchanges)
    await db.run(sql`delete from exchanges where agent = ${agent} and user_id = ${user}
      and number <= ${number - limits.exchanges}`);
  // A new conversation is the only one that can exceed the limit.
  if (number > 1) return;
  const silent = await db.all<{ user_id: string }>(sql`select user_id from conversations where agent = ${agent}
    order by active desc limit ${1000} offset ${limits.counterparts}`);
  for (const { user_id } of silent)
    for (const table of ["exchanges", "conversations"])
      await db.run(sql`delete from ${raw(table)} where agent = ${agent} and user_id = ${user_id}`);
}

/** A person an agent has spoken with, and the sums of their turns and messages. */
export type CounterpartOverview = {
  /** Id of the user; or the key of a sender of messages, which begins with `counterpart:`. */
  readonly user: string;
  readonly turns: number;
  /** Number of their turns that failed. */
  readonly failed: number;
  /** Number of their messages that were answered, including those no longer kept. */
  readonly messages: number;
  /** Cost in dollars, of the turns with a price; null if none has one. */
  readonly cost: number | null;
  /** Tokens of all their turns, as the provider counted; null where it did not say. */
  readonly usage: TokenUsage;
  /** Channels that their turns came from, by name. */
  readonly channels: readonly string[];
  /** Time at which their last turn began, or their last message was answered. */
  readonly lastAt: string;
  /** Last input of theirs, shortened; null if they said nothing themselves. */
  readonly lastInput: string | null;
};

/** Conditions on the turns that are added up; whoever has none that meets them is left out. */
type CounterpartFilter = Omit<TurnFilter, "agent" | "session" | "told">;

/** Page of a list of counterparts, its filter and order, and the channels to leave out. */
export type ListCounterpartsOptions = Page &
  CounterpartFilter & {
    /** Order, by the last turn or message, or by cost; default: the latest first. */
    readonly sort?: Exclude<TurnSort, "duration"> | undefined;
    /** Channels on which nobody speaks: the input of a turn there was not written by its user. */
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

const maxInputChars = 200;

const orders: Readonly<Record<NonNullable<ListCounterpartsOptions["sort"]>, string>> = {
  newest: "last_at desc",
  oldest: "last_at",
  cost: "micros desc nulls last, last_at desc",
};

/** Lists everyone an agent has spoken with, latest first. Erased users are not among them. */
export async function listCounterparts(
  home: Home,
  agent: string,
  { unspoken = [], limit, offset, sort = "newest", ...filter }: ListCounterpartsOptions,
): Promise<CounterpartOverview[]> {
  return home.read("everything", async (db) => {
    const order = sql`order by ${raw(orders[sort])}, user_id${db.dialect.bytewise}`;
    const spoken =
      unspoken.length === 0 ? raw("") : sql`and (t.channel is null or t.channel not in ${listOf(unspoken)})`;
    const rows = await db.all<SumsRow>(sql`select p.*, (select substr(t.input, 1, ${maxInputChars}) from turns t
        where t.agent = ${agent} and t.user_id = p.user_id and t.state <> 'erased' ${spoken}
        order by t.started_at desc, t.id desc limit 1) as last_input
      from (select user_id, sum(turns) as turns, sum(failed) as failed, sum(messages) as messages,
          sum(micros) as micros, sum(input_tokens) as input_tokens, sum(read_tokens) as read_tokens,
          sum(written_tokens) as written_tokens, sum(output_tokens) as output_tokens, max(last_at) as last_at
        from (${await spokenWith(db, agent, filter)}) as spoken group by user_id ${order} ${onPage({ limit, offset })}) as p
      ${order}`);
    const users = rows.map(({ user_id }) => user_id);
    const channels = await channelsOf(db, agent, users);
    return rows.map((row) => overviewOf(row, channels.get(row.user_id) ?? []));
  });
}

export async function countCounterparts(home: Home, agent: string, filter: CounterpartFilter = {}): Promise<number> {
  return home.read("everything", async (db) => {
    const row = await db.one<{ count: number }>(
      sql`select count(distinct user_id) as count from (${await spokenWith(db, agent, filter)}) as spoken`,
    );
    return Number(row?.count ?? 0);
  });
}

/**
 * Returns a query with the sums by user, one row for their turns that meet the filter and one for their messages. Messages alone
 * meet no filter but that of a user.
 */
async function spokenWith(db: Database, agent: string, { user, ...filter }: CounterpartFilter): Promise<Query> {
  const turns = sql`${await whereTurns(db, { agent, user, ...filter })} and user_id <> '' and state <> 'erased'`;
  const isFree = Object.values(filter).every((value) => value === undefined);
  const met = isFree ? raw("") : sql`and user_id in (select user_id from turns where ${turns})`;
  return sql`select user_id, count(*) as turns, sum(case when state = 'failed' then 1 else 0 end) as failed,
      0 as messages, sum(micros) as micros, sum(input_tokens) as input_tokens, sum(read_tokens) as read_tokens,
      sum(written_tokens) as written_tokens, sum(output_tokens) as output_tokens, max(started_at) as last_at
    from turns where ${turns} group by user_id
    union all select user_id, 0, 0, exchanges, null, null, null, null, null, last_at
    from conversations where ${matching({ agent, user_id: user })} ${met}`;
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
