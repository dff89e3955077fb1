import { Problem } from "../../prompt/problem.ts";
import { requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import { messageTaken, recordEvent } from "../event.ts";
import type { Database } from "../home/database.ts";
import { type Page, pageOf } from "../home/page.ts";
import { listOf, sql } from "../home/sql.ts";
import { checkName } from "../scope.ts";
import { appendExchange, type ConversationLimits, defaultConversationLimits } from "./conversations.ts";
import { counterpart } from "./counterpart.ts";

/** A message to an agent, and what happened to it. */
export type InboxMessage = {
  readonly id: string;
  readonly agent: string;
  readonly sender: string;
  readonly body: string;
  readonly channel: string | null;
  readonly at: string;
  readonly status: "waiting" | "taken" | "answered" | "dead";
  readonly tries: number;
  readonly turn: string | null;
  readonly failure: string | null;
};

/** A message to be put into an agent's inbox. */
export type NewInboxMessage = {
  readonly agent: string;
  readonly sender: string;
  readonly body: string;
  readonly id?: string;
  readonly channel?: string;
};

/** A reply that was sent, or waits to be. */
export type OutboxReply = {
  readonly id: string;
  readonly agent: string;
  readonly to: string;
  readonly body: string;
  readonly at: string;
  readonly turn: string;
  readonly message: string | null;
  readonly sentAt: string | null;
};

/** `store.inbox`: messages to agents, each answered once. */
export type Inbox = {
  /** Adds a message. The same id again is the same message. */
  readonly post: (message: NewInboxMessage) => Promise<InboxMessage>;
  readonly list: (agent: string, status?: InboxMessage["status"], page?: Page) => Promise<InboxMessage[]>;
  /** Takes messages for one turn. If its process dies, they are free again when the lease ends. */
  readonly claim: (
    agent: string,
    turn: string,
    about?: { limit?: number; leaseMs?: number },
  ) => Promise<InboxMessage[]>;
  /** Answers one message: it is done, the reply is posted and the exchange recorded, all or nothing. */
  readonly answer: (answer: InboxAnswer, limits?: ConversationLimits) => Promise<OutboxReply>;
  /** Gives up this try. After the third, the message is dead. */
  readonly fail: (agent: string, id: string, because: string) => Promise<InboxMessage>;
  readonly listUnsent: (agent: string, page?: Page) => Promise<OutboxReply[]>;
  readonly markSent: (agent: string, id: string) => Promise<void>;
};

/** The reply of a turn to one message. */
export type InboxAnswer = {
  readonly agent: string;
  readonly message: string;
  readonly reply: string;
  readonly turn: string;
};

const maxTries = 3;

type MessageRow = Omit<InboxMessage, never> & { user_id: string; leased_until: string | null };
type ReplyRow = {
  id: string;
  agent: string;
  user_id: string;
  body: string;
  at: string;
  turn: string;
  message: string | null;
  sent_at: string | null;
};

function messageOf({ id, agent, sender, body, channel, at, status, tries, turn, failure }: MessageRow): InboxMessage {
  return { id, agent, sender, body, channel, at, status, tries, turn, failure };
}

function replyOf({ id, agent, user_id, body, at, turn, message, sent_at }: ReplyRow): OutboxReply {
  return { id, agent, to: user_id, body, at, turn, message, sentAt: sent_at };
}

export function createInbox({ home, now, newId }: StoreDeps): Inbox {
  return {
    post: async ({ agent, sender, body, id = newId(), channel = null }) => {
      checkName("sender", counterpart(sender));
      checkName("message", id);
      return home.write("everything", async (db) => {
        await requireAgent(db, agent);
        await db.run(sql`insert into inbox (id, agent, user_id, sender, body, at, status, tries, channel)
          values (${id}, ${agent}, ${counterpart(sender)}, ${sender}, ${body}, ${now()}, ${"waiting"}, ${0}, ${channel})
          on conflict (agent, id) do nothing`);
        return find(db, agent, id);
      });
    },
    list: (agent, status = "waiting", page = {}) =>
      home.read("everything", async (db) => {
        const { limit, offset } = pageOf(page);
        const rows = await db.all<MessageRow>(sql`select * from inbox where agent = ${agent} and status = ${status}
          order by at, id limit ${limit} offset ${offset}`);
        return rows.map(messageOf);
      }),
    claim: (agent, turn, { limit = 10, leaseMs = 300_000 } = {}) =>
      home.write("everything", async (db) => {
        const at = now();
        const until = new Date(Date.parse(at) + leaseMs).toISOString();
        const free = await db.all<{ id: string }>(sql`select id from inbox where agent = ${agent}
          and (status = 'waiting' or (status = 'taken' and leased_until < ${at}))
          order by at, id limit ${limit}${db.dialect.skipLocked}`);
        if (free.length === 0) return [];
        const ids = listOf(free.map(({ id }) => id));
        const dead = await db.all<MessageRow>(sql`update inbox set status = 'dead', failure = ${abandoned},
            leased_until = ${null} where agent = ${agent} and id in ${ids} and tries >= ${maxTries} returning *`);
        for (const row of dead) await recordDead(db, at, row, abandoned);
        await db.run(sql`update inbox set status = 'taken', tries = tries + 1, leased_until = ${until}, turn = ${turn}
          where agent = ${agent} and id in ${ids} and tries < ${maxTries}`);
        const rows = await db.all<MessageRow>(sql`select * from inbox where agent = ${agent} and id in ${ids}
          and status = 'taken' order by at, id`);
        // The message names the last turn that worked on it; this names each of them.
        for (const { user_id: user, id } of rows)
          await recordEvent(db, at, { scope: { agent, user }, kind: messageTaken, turn, detail: { message: id } });
        return rows.map(messageOf);
      }),
    answer: ({ agent, message: id, reply, turn }, limits = defaultConversationLimits) =>
      home.write("everything", async (db) => {
        const at = now();
        const consumed = await db.run(sql`update inbox set status = 'answered', turn = ${turn}, leased_until = ${null}
          where agent = ${agent} and id = ${id} and status in ('waiting', 'taken')`);
        const message = await find(db, agent, id);
        if (consumed === 0)
          throw new Problem(
            "already-decided",
            `The message “${id}” is ${message.status}; it gets no second reply.`,
            "Take messages with take() and answer each once.",
          );
        const outbox = newId();
        await db.run(sql`insert into outbox (id, agent, user_id, body, at, turn, message)
          values (${outbox}, ${agent}, ${counterpart(message.sender)}, ${reply}, ${at}, ${turn}, ${id})`);
        const exchange = { agent, address: message.sender, at, message: id, body: message.body, reply, turn };
        await appendExchange(db, exchange, limits);
        const scope = { agent, user: counterpart(message.sender) };
        await recordEvent(db, at, { scope, kind: "message-answered", turn, detail: { message: id, reply: outbox } });
        return replyOf(
          (await db.one<ReplyRow>(sql`select * from outbox where agent = ${agent} and id = ${outbox}`)) as ReplyRow,
        );
      }),
    fail: (agent, id, because) =>
      home.write("everything", async (db) => {
        const row = await db.one<MessageRow>(sql`update inbox set failure = ${because}, leased_until = ${null},
            status = case when tries >= ${maxTries} then 'dead' else 'waiting' end
          where agent = ${agent} and id = ${id} and status = 'taken' returning *`);
        if (row?.status === "dead") await recordDead(db, now(), row, because);
        return find(db, agent, id);
      }),
    listUnsent: (agent, page = {}) =>
      home.read("everything", async (db) => {
        const { limit, offset } = pageOf(page);
        const rows = await db.all<ReplyRow>(sql`select * from outbox where agent = ${agent} and sent_at is null
          order by at, id limit ${limit} offset ${offset}`);
        return rows.map(replyOf);
      }),
    markSent: async (agent, id) => {
      await home.write("everything", (db) =>
        db.run(sql`update outbox set sent_at = ${now()} where agent = ${agent} and id = ${id}`),
      );
    },
  };
}

const abandoned = "nobody who took it came back";

async function recordDead(db: Database, at: string, row: MessageRow, because: string): Promise<void> {
  const { agent, user_id: user, id, tries, turn } = row;
  await recordEvent(db, at, {
    scope: { agent, user },
    kind: "message-dead",
    turn,
    detail: { message: id, tries, because },
  });
}

async function find(db: Database, agent: string, id: string): Promise<InboxMessage> {
  const row = await db.one<MessageRow>(sql`select * from inbox where agent = ${agent} and id = ${id}`);
  if (row) return messageOf(row);
  throw new Problem("unknown-message", `There is no message “${id}” for “${agent}”.`, "Check the id.");
}
