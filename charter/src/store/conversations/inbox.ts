import { Problem } from "../../prompt/problem.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent, recordEvents } from "../event.ts";
import { type Page, pageOf } from "../home/page.ts";
import { raw, sql } from "../home/sql.ts";
import { type ClaimMessagesOptions, claimMessages } from "./claim-messages.ts";
import { type ConversationLimits, defaultConversationLimits } from "./conversations.ts";
import { counterpartKey } from "./counterpart.ts";
import {
  answerMessage,
  type FinishedMessages,
  finishMessages,
  giveUpTry,
  type InboxAnswer,
  type InboxOutcome,
} from "./finish-messages.ts";
import {
  findMessage,
  getMessage,
  type InboxMessage,
  type InboxRow,
  inboxColumns,
  messageOf,
  type NewInboxMessage,
  type OutboxReply,
  type OutboxRow,
  replyOf,
} from "./inbox-row.ts";
import { markAway, markBack, type NoAnswer } from "./model-away.ts";
import { isOrphaned } from "./orphaned.ts";
import { lockInbox, type PostedMessage, postMessage } from "./post-message.ts";

/** `store.inbox`: messages to agents, each answered once. */
export type Inbox = {
  /** Adds a message. The same id again is the same message, or a Problem if it has other words. */
  readonly post: (message: NewInboxMessage) => Promise<PostedMessage>;
  readonly find: (agent: string, id: string) => Promise<InboxMessage | undefined>;
  readonly get: (agent: string, id: string) => Promise<InboxMessage>;
  /** Oldest first; those that are waiting, unless another status is given. */
  readonly list: (agent: string, status?: InboxMessage["status"], page?: Page) => Promise<InboxMessage[]>;
  readonly countWaiting: (agent: string) => Promise<number>;
  /** How many messages there are, by status. */
  readonly counts: (agent: string) => Promise<Readonly<Record<InboxMessage["status"], number>>>;
  /**
   * Takes messages for one turn: a batch of whoever is next. If its process dies, they are free again when the lease
   * ends.
   */
  readonly claim: (agent: string, turn: string, about?: ClaimMessagesOptions) => Promise<InboxMessage[]>;
  /** The messages a turn has taken and not lost. */
  readonly heldBy: (agent: string, turn: string) => Promise<InboxMessage[]>;
  /** How many messages a turn has taken and not lost, if this process is in charge of the agent; else none. */
  readonly countHeld: (agent: string, turn: string, runner: string) => Promise<number>;
  /** The messages any turn has taken. */
  readonly listTaken: (agent: string) => Promise<InboxMessage[]>;
  /** Notes what a turn will reply to a message it has taken, once; false if it has not, or it is noted already. */
  readonly noteReply: (answer: InboxAnswer) => Promise<boolean>;
  /** All that a turn came to: messages done, replies posted, exchanges recorded, tries given up. All or nothing. */
  readonly finish: (outcome: InboxOutcome, limits?: ConversationLimits) => Promise<FinishedMessages>;
  /** Answers one message that the turn has taken. */
  readonly answer: (answer: InboxAnswer, limits?: ConversationLimits) => Promise<OutboxReply>;
  /** Gives up this try. After the third, the message is dead. */
  readonly fail: (agent: string, id: string, because: string, turn?: string) => Promise<InboxMessage>;
  /** The agent's model gave no answer: its messages wait until it is back. */
  readonly markAway: (agent: string, about: NoAnswer) => Promise<void>;
  /** The model answers. Where that is the first it was asked since a turn failed, the messages of that turn have had a try. */
  readonly markBack: (agent: string) => Promise<void>;
  /** Lets a dead message wait again, with three new tries. */
  readonly retry: (agent: string, id: string, by: string) => Promise<InboxMessage>;
  /** The same with all of an agent's dead messages; how many there were. */
  readonly retryAll: (agent: string, by: string) => Promise<number>;
  /** Withdraws a message that is dead or waits. */
  readonly discard: (agent: string, id: string, by: string) => Promise<InboxMessage>;
  /** Whether the agent has talked with a counterpart, as far as a conversation or an answered message is kept. */
  readonly knows: (agent: string, sender: string) => Promise<boolean>;
  /** The reply to a message. */
  readonly findReply: (agent: string, message: string) => Promise<OutboxReply | undefined>;
  /** Whether a secret with this digest opens the reply to a message. */
  readonly opensReply: (agent: string, message: string, digest: string) => Promise<boolean>;
  /** Newest first; with `prefix`, those to counterparts whose names begin with it. */
  readonly listReplies: (agent: string, about?: Page & { readonly prefix?: string }) => Promise<OutboxReply[]>;
  readonly listUnsent: (agent: string, page?: Page) => Promise<OutboxReply[]>;
  readonly markSent: (agent: string, id: string) => Promise<void>;
};

export function createInbox(deps: StoreDeps): Inbox {
  const { home, now } = deps;
  const messages = (query: ReturnType<typeof sql>) =>
    home.read("everything", async (db) => (await db.all<InboxRow>(query)).map(messageOf));
  /** A person moves a message that nobody is at. */
  const move = (agent: string, id: string, by: string, about: (typeof moves)[keyof typeof moves]) =>
    home.write("everything", async (db) => {
      await lockInbox(db, agent);
      const { status, sender } = await getMessage(db, agent, id);
      if (!about.from.includes(status))
        throw new Problem("already-decided", `The message “${id}” is ${status}.`, about.hint);
      if (about.to === "waiting" && (await isOrphaned(db, agent, id)))
        throw new Problem(
          "already-decided",
          `The message “${id}” is no part of its chain any more.`,
          "It waits by itself when it is included again.",
        );
      const tries = about.to === "waiting" ? sql`, tries = 0` : raw("");
      await db.run(sql`update inbox set status = ${about.to} ${tries} where agent = ${agent} and id = ${id}`);
      const scope = { agent, user: counterpartKey(sender) };
      await recordEvent(db, now(), { scope, kind: about.kind, detail: { message: id, by } });
      return getMessage(db, agent, id);
    });
  return {
    post: (message) => home.write("everything", (db) => postMessage(db, deps, message)),
    find: (agent, id) => home.read("everything", (db) => findMessage(db, agent, id)),
    get: (agent, id) => home.read("everything", (db) => getMessage(db, agent, id)),
    list: async (agent, status = "waiting", page = {}) => {
      const { limit, offset } = pageOf(page);
      return messages(sql`select ${inboxColumns} from inbox where agent = ${agent} and status = ${status}
        order by at, id limit ${limit} offset ${offset}`);
    },
    countWaiting: (agent) =>
      home.read("everything", async (db) => {
        const row = await db.one<{ count: number }>(
          sql`select count(*) as count from inbox where agent = ${agent} and status = 'waiting'`,
        );
        return Number(row?.count ?? 0);
      }),
    counts: (agent) =>
      home.read("everything", async (db) => {
        const rows = await db.all<{ status: InboxMessage["status"]; count: number | bigint | string }>(
          sql`select status, count(*) as count from inbox where agent = ${agent} group by status`,
        );
        const none = { waiting: 0, taken: 0, answered: 0, dead: 0, withdrawn: 0 };
        return { ...none, ...Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)])) };
      }),
    claim: (agent, turn, about = {}) => home.write("everything", (db) => claimMessages(db, deps, agent, turn, about)),
    heldBy: (agent, turn) =>
      messages(
        sql`select ${inboxColumns} from inbox where agent = ${agent} and turn = ${turn} and status = 'taken' order by at, id`,
      ),
    countHeld: (agent, turn, runner) =>
      home.read("everything", async (db) => {
        const row = await db.one<{ count: number }>(sql`select count(*) as count from inbox where agent = ${agent}
          and turn = ${turn} and status = 'taken'
          and exists (select 1 from automata a where a.agent = ${agent} and a.runner = ${runner})`);
        return Number(row?.count ?? 0);
      }),
    listTaken: (agent) =>
      messages(sql`select ${inboxColumns} from inbox where agent = ${agent} and status = 'taken' order by at, id`),
    noteReply: async ({ agent, message, reply, turn }) => {
      const noted = await home.write("everything", (db) =>
        db.run(sql`update inbox set draft = ${reply} where agent = ${agent} and id = ${message} and turn = ${turn}
          and status = 'taken' and draft is null`),
      );
      return noted > 0;
    },
    finish: (outcome, limits) => home.write("everything", (db) => finishMessages(db, deps, outcome, limits)),
    answer: (answer, limits = defaultConversationLimits) =>
      home.write("everything", async (db) => {
        const { agent, message: id, turn } = answer;
        await lockInbox(db, agent);
        const reply = await answerMessage(db, deps, answer, limits);
        if (reply) return reply;
        const { status } = await getMessage(db, agent, id);
        throw new Problem(
          "already-decided",
          `The message “${id}” is ${status}, and not with the turn “${turn}”: it gets no reply from it.`,
          "Take messages with claim() and answer each once.",
        );
      }),
    fail: (agent, id, because, turn) =>
      home.write("everything", async (db) => {
        await lockInbox(db, agent);
        const row = await db.one<InboxRow>(sql`select ${inboxColumns} from inbox where agent = ${agent} and id = ${id}
          and status = 'taken' ${turn === undefined ? raw("") : sql`and turn = ${turn}`}`);
        if (row) await giveUpTry(db, now(), row, because);
        return getMessage(db, agent, id);
      }),
    markAway: (agent, about) => home.write("everything", (db) => markAway(db, now(), agent, about)),
    markBack: (agent) => home.write("everything", (db) => markBack(db, now(), agent)),
    retry: (agent, id, by) => move(agent, id, by, moves.retry),
    retryAll: (agent, by) =>
      home.write("everything", async (db) => {
        await lockInbox(db, agent);
        const rows = await db.all<Pick<InboxRow, "id" | "user_id">>(sql`update inbox set status = 'waiting', tries = 0
          where agent = ${agent} and status = 'dead' and not exists (select 1 from chain_messages c
            where c.agent = inbox.agent and c.message = inbox.id and c.state = 'orphaned') returning id, user_id`);
        const about = { at: now(), kind: moves.retry.kind };
        await recordEvents(
          db,
          rows.map(({ id, user_id: user }) => ({ ...about, scope: { agent, user }, detail: { message: id, by } })),
        );
        return rows.length;
      }),
    discard: (agent, id, by) => move(agent, id, by, moves.discard),
    knows: (agent, sender) =>
      home.read("everything", async (db) => {
        const whose = sql`agent = ${agent} and user_id = ${counterpartKey(sender)}`;
        const found = await db.one(sql`select 1 as there from conversations where ${whose}
          union all select 1 from inbox where ${whose} and status = 'answered' limit 1`);
        return found !== undefined;
      }),
    findReply: (agent, message) =>
      home.read("everything", async (db) => {
        const row = await db.one<OutboxRow>(sql`select * from outbox where agent = ${agent} and message = ${message}`);
        return row && replyOf(row);
      }),
    opensReply: (agent, message, digest) =>
      home.read("everything", async (db) => {
        const row = await db.one<{ secret: string | null }>(
          sql`select secret from inbox where agent = ${agent} and id = ${message}`,
        );
        return typeof row?.secret === "string" && row.secret === digest;
      }),
    listReplies: (agent, { prefix = "", ...page } = {}) =>
      home.read("everything", async (db) => {
        const { limit, offset } = pageOf(page);
        const key = counterpartKey(prefix);
        const whose = prefix === "" ? raw("") : sql`and substr(user_id, 1, ${[...key].length}) = ${key}`;
        const rows = await db.all<OutboxRow>(sql`select * from outbox where agent = ${agent} ${whose}
          order by at desc, id desc limit ${limit} offset ${offset}`);
        return rows.map(replyOf);
      }),
    listUnsent: (agent, page = {}) =>
      home.read("everything", async (db) => {
        const { limit, offset } = pageOf(page);
        const rows = await db.all<OutboxRow>(sql`select * from outbox where agent = ${agent} and sent_at is null
          order by at, id limit ${limit} offset ${offset}`);
        return rows.map(replyOf);
      }),
    markSent: async (agent, id) => {
      await home.write("everything", (db) =>
        db.run(sql`update outbox set sent_at = ${now()} where agent = ${agent} and id = ${id} and sent_at is null`),
      );
    },
  };
}

const moves = {
  retry: {
    from: ["dead"] as readonly string[],
    to: "waiting",
    kind: "message-retried",
    hint: "Only a dead message can be tried again.",
  },
  discard: {
    from: ["dead", "waiting"] as readonly string[],
    to: "withdrawn",
    kind: "message-withdrawn",
    hint: "Only a message that is dead or waits can be discarded.",
  },
} as const;
