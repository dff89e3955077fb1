import { firstCharacters } from "../../prompt/character.ts";
import { requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import { type Page, pageOf } from "../home/page.ts";
import { checkSoundText } from "../home/sound-text.ts";
import { type Query, sql } from "../home/sql.ts";
import { checkCounterpart } from "../scope.ts";
import { checkNotErased } from "../turns/turn.ts";
import { counterpartKey, counterpartOf } from "./counterpart.ts";
import {
  type CounterpartOverview,
  countCounterparts,
  type ListCounterpartsOptions,
  listCounterparts,
} from "./counterpart-list.ts";

/** A message and the reply to it. */
export type Exchange = {
  readonly inbox_message_id: string;
  readonly sender_body: string;
  readonly agent_reply: string;
  readonly turn_id: string;
  readonly timestamp: string;
};

/** What was said with one sender. */
export type Conversation = {
  readonly counterpart: string;
  /** Oldest first. */
  readonly exchanges: readonly Exchange[];
  readonly lastAt: string;
};

/** How much is kept: exchanges with one sender, senders, and characters of each message. */
export type ConversationLimits = {
  readonly exchanges: number;
  readonly counterparts: number;
  readonly chars: number;
};

export const defaultConversationLimits: ConversationLimits = { exchanges: 20, counterparts: 200, chars: 500 };

/** `store.conversations`: what was said with senders of messages. */
export type Conversations = {
  /** The most recently active first; with `counterpart`, that with this one alone. */
  readonly list: (
    agent: string,
    about?: Page & { readonly counterpart?: string | undefined },
  ) => Promise<{ counterpart: string; exchanges: number; lastAt: string }[]>;
  readonly count: (agent: string, about?: { readonly counterpart?: string | undefined }) => Promise<number>;
  /** Everyone an agent has spoken with, in turns or in messages, the latest first. */
  readonly counterparts: (agent: string, about?: ListCounterpartsOptions) => Promise<CounterpartOverview[]>;
  /** How many `counterparts` has in all. */
  readonly countCounterparts: (agent: string) => Promise<number>;
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

type ExchangeRow = { message: string; sender_body: string; agent_reply: string; turn: string; at: string };

export function createConversations({ home, now }: StoreDeps): Conversations {
  return {
    list: async (agent, { counterpart, ...page } = {}) => {
      const which = withWhom(counterpart);
      return home.read("everything", async (db) => {
        const { limit, offset } = pageOf(page);
        const rows = await db.all<{ user_id: string; last_at: string; count: number }>(
          sql`select c.user_id, c.last_at, (select count(*) from exchanges e
              where e.agent = c.agent and e.user_id = c.user_id) as count
            from conversations c where c.agent = ${agent} ${which}
            order by c.active desc limit ${limit} offset ${offset}`,
        );
        return rows.map(({ user_id, last_at, count }) => ({
          counterpart: counterpartOf(user_id),
          exchanges: count,
          lastAt: last_at,
        }));
      });
    },
    count: async (agent, { counterpart } = {}) => {
      const which = withWhom(counterpart);
      return home.read("everything", async (db) => {
        const row = await db.one<{ count: number }>(
          sql`select count(*) as count from conversations where agent = ${agent} ${which}`,
        );
        return Number(row?.count ?? 0);
      });
    },
    counterparts: (agent, about = {}) => listCounterparts(home, agent, about),
    countCounterparts: (agent) => countCounterparts(home, agent),
    read: async (agent, address) => {
      checkSoundText(address);
      const user = counterpartKey(address);
      return home.read({ agent, user }, async (db) => {
        const head = await db.one<{ last_at: string }>(
          sql`select last_at from conversations where agent = ${agent} and user_id = ${user}`,
        );
        if (!head) return undefined;
        const rows = await db.all<ExchangeRow>(
          sql`select * from exchanges where agent = ${agent} and user_id = ${user} order by number`,
        );
        return { counterpart: counterpartOf(user), exchanges: rows.map(exchangeOf), lastAt: head.last_at };
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

/** Found by the key of the table. */
function withWhom(counterpart: string | undefined): Query {
  if (counterpart === undefined) return sql``;
  checkSoundText(counterpart);
  return sql`and user_id = ${counterpartKey(counterpart)}`;
}

function exchangeOf({ message, sender_body, agent_reply, turn, at }: ExchangeRow): Exchange {
  return { inbox_message_id: message, sender_body, agent_reply, turn_id: turn, timestamp: at };
}

type Address = { readonly agent: string; readonly address: string; readonly at: string };

/** First in, first out within a conversation; of the conversations, the one that was silent longest goes. */
export async function appendExchange(
  db: Database,
  { agent, address, at, message, body, reply, turn }: NewExchange & Address,
  limits: ConversationLimits,
): Promise<void> {
  const user = counterpartKey(address);
  const lock = db.dialect.lock(JSON.stringify(["conversations", agent]));
  if (lock) await db.all(lock);
  const row = await db.one<{ exchanges: number }>(
    sql`insert into conversations (agent, user_id, last_at, active, exchanges) values (${agent}, ${user}, ${at},
        (select coalesce(max(active), 0) + 1 from conversations where agent = ${agent}), ${1})
      on conflict (agent, user_id) do update set last_at = excluded.last_at, active = excluded.active,
        exchanges = conversations.exchanges + 1
      returning exchanges`,
  );
  const number = (row as { exchanges: number }).exchanges;
  await db.run(sql`insert into exchanges (agent, user_id, number, message, sender_body, agent_reply, turn, at)
    values (${agent}, ${user}, ${number}, ${message}, ${firstCharacters(body, limits.chars)},
      ${firstCharacters(reply, limits.chars)}, ${turn}, ${at})`);
  if (number > limits.exchanges)
    await db.run(sql`delete from exchanges where agent = ${agent} and user_id = ${user}
      and number <= ${number - limits.exchanges}`);
  // Only a conversation that is new can be one too many.
  if (number > 1) return;
  const silent = await db.all<{ user_id: string }>(
    sql`select user_id from conversations where agent = ${agent} order by active desc
      limit ${1000} offset ${limits.counterparts}`,
  );
  for (const { user_id } of silent) {
    await db.run(sql`delete from exchanges where agent = ${agent} and user_id = ${user_id}`);
    await db.run(sql`delete from conversations where agent = ${agent} and user_id = ${user_id}`);
  }
}
