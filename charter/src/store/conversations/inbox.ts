import { Problem } from "../../prompt/problem.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvents } from "../event.ts";
import type { Database } from "../home/database.ts";
import { countRows, exactly, matching, onPage, type Page } from "../home/query.ts";
import { type Query, raw, sql } from "../home/sql.ts";
import { counterpartKey } from "../scope.ts";
import { countStates, discard, retry } from "../work.ts";
import type { ConversationLimits } from "./conversations.ts";
import {
  findMessage,
  getMessage,
  type InboxMessage,
  type InboxRow,
  inboxWork,
  listMessages,
  type NewInboxMessage,
  type OutboxReply,
  type OutboxRow,
  replyOf,
} from "./inbox-row.ts";
import {
  type ClaimMessagesOptions,
  claimMessages,
  type FinishedMessages,
  finishMessages,
  type InboxAnswer,
  type InboxOutcome,
  markAway,
  markBack,
  type NoAnswer,
} from "./message-work.ts";
import { lockInbox, type PostedMessage, postMessage } from "./post-message.ts";

/** `store.inbox`: messages to agents, each answered once. */
export type Inbox = {
  /** Adds a message. The same id again is the same message; with other text it is a Problem. */
  readonly post: (message: NewInboxMessage) => Promise<PostedMessage>;
  readonly find: (agent: string, id: string) => Promise<InboxMessage | undefined>;
  readonly get: (agent: string, id: string) => Promise<InboxMessage>;
  /** Lists messages, oldest first; those that are waiting, unless another status is given. */
  readonly list: (agent: string, status?: InboxMessage["status"], page?: Page) => Promise<InboxMessage[]>;
  readonly countWaiting: (agent: string) => Promise<number>;
  /** Counts messages, by status. */
  readonly counts: (agent: string) => Promise<Readonly<Record<InboxMessage["status"], number>>>;
  /**
   * Takes messages for one turn: a batch of the next counterpart's. If the process dies, they are free again when the lease ends.
   */
  readonly claim: (agent: string, turn: string, about?: ClaimMessagesOptions) => Promise<InboxMessage[]>;
  /** Lists the messages that a turn has taken and not lost. */
  readonly heldBy: (agent: string, turn: string) => Promise<InboxMessage[]>;
  /** Counts the messages that a turn has taken and not lost, if this process is in charge of the agent; else 0. */
  readonly countHeld: (agent: string, turn: string, runner: string) => Promise<number>;
  /** Lists the messages that any turn has taken. */
  readonly listTaken: (agent: string) => Promise<InboxMessage[]>;
  /**
   * Stores the reply that a turn will send to a message it has taken, once; false if it has not taken it, or a reply is stored
   * already.
   */
  readonly noteReply: (answer: InboxAnswer) => Promise<boolean>;
  /**
   * Stores everything a turn did with its messages: messages answered, replies posted, exchanges recorded, tries given up. All or
   * nothing.
   */
  readonly finish: (outcome: InboxOutcome, limits?: ConversationLimits) => Promise<FinishedMessages>;
  /** Records that the agent's model gave no answer: its messages wait until the model is back. */
  readonly markAway: (agent: string, about: NoAnswer) => Promise<void>;
  /**
   * Records that the model answers again. If no other request was made since a turn failed, that turn counts as a try of its
   * messages.
   */
  readonly markBack: (agent: string) => Promise<void>;
  /** Lets a dead message wait again, with three new tries. */
  readonly retry: (agent: string, id: string, by: string) => Promise<InboxMessage>;
  /** Lets all dead messages of an agent wait again; returns how many there were. */
  readonly retryAll: (agent: string, by: string) => Promise<number>;
  /** Withdraws a message that is dead or waits. */
  readonly discard: (agent: string, id: string, by: string) => Promise<InboxMessage>;
  /** Tells whether the agent has talked with a counterpart, as far as a conversation or an answered message is kept. */
  readonly knows: (agent: string, sender: string) => Promise<boolean>;
  /** Finds the reply to a message. */
  readonly findReply: (agent: string, message: string) => Promise<OutboxReply | undefined>;
  /** Tells whether a secret with this digest opens the reply to a message. */
  readonly opensReply: (agent: string, message: string, digest: string) => Promise<boolean>;
  /** Lists replies, newest first; with `prefix`, those to counterparts whose names begin with it. */
  readonly listReplies: (agent: string, about?: Page & { readonly prefix?: string }) => Promise<OutboxReply[]>;
  readonly markSent: (agent: string, id: string) => Promise<void>;
};

export function createInbox(deps: StoreDeps): Inbox {
  const { home, now } = deps;
  const read = <Result>(work: (db: Database) => Promise<Result>) => home.read("everything", work);
  const write = <Result>(work: (db: Database) => Promise<Result>) => home.write("everything", work);
  const replies = (query: Query) => read(async (db) => (await db.all<OutboxRow>(query)).map(replyOf));
  /** Moves messages that no turn is working on, for a person. */
  const move = async (db: Database, agent: string, which: Query, by: string, { how, where, kind }: Move) => {
    const rows = await how(db, inboxWork, sql`agent = ${agent} and ${which} and ${where}`);
    const about = { at: now(), kind };
    recordEvents(
      db,
      rows.map(({ id, user_id: user }) => ({ ...about, scope: { agent, user }, detail: { message: id, by } })),
    );
    return rows.length;
  };
  const moveOne = (agent: string, id: string, by: string, about: Move) =>
    write(async (db) => {
      await lockInbox(db, agent);
      const { status } = await getMessage(db, agent, id);
      if ((await move(db, agent, exactly({ id }), by, about)) > 0) return getMessage(db, agent, id);
      throw status === "dead"
        ? new Problem(
            "already-decided",
            `The message “${id}” is no part of its chain any more.`,
            "It waits by itself when it is included again.",
          )
        : new Problem("already-decided", `The message “${id}” is ${status}.`, about.hint);
    });
  return {
    post: (message) => write((db) => postMessage(db, deps, message)),
    find: (agent, id) => read((db) => findMessage(db, agent, id)),
    get: (agent, id) => read((db) => getMessage(db, agent, id)),
    list: (agent, status = "waiting", page = {}) =>
      read(async (db) => listMessages(db, matching({ agent, status }), onPage(page))),
    countWaiting: (agent) => read((db) => countRows(db, "inbox", matching({ agent, status: "waiting" }))),
    counts: (agent) =>
      read(async (db) => {
        const none = { waiting: 0, taken: 0, answered: 0, dead: 0, withdrawn: 0 };
        return { ...none, ...(await countStates(db, inboxWork, matching({ agent }))) };
      }),
    claim: (agent, turn, about = {}) => write((db) => claimMessages(db, deps, agent, turn, about)),
    heldBy: (agent, turn) => read((db) => listMessages(db, heldBy(agent, turn))),
    countHeld: (agent, turn, runner) =>
      read((db) => {
        const inCharge = sql`exists (select 1 from automata a where a.agent = ${agent} and a.runner = ${runner})`;
        return countRows(db, "inbox", sql`${heldBy(agent, turn)} and ${inCharge}`);
      }),
    listTaken: (agent) => read((db) => listMessages(db, matching({ agent, status: "taken" }))),
    noteReply: ({ agent, message: id, reply, turn }) =>
      write(async (db) => {
        const free = exactly({ agent, id, turn, status: "taken", draft: null });
        return (await db.run(sql`update inbox set draft = ${reply} where ${free}`)) > 0;
      }),
    finish: (outcome, limits) => write((db) => finishMessages(db, deps, outcome, limits)),
    markAway: (agent, about) => write((db) => markAway(db, now(), agent, about)),
    markBack: (agent) => write((db) => markBack(db, now(), agent)),
    retry: (agent, id, by) => moveOne(agent, id, by, moves.retry),
    retryAll: (agent, by) =>
      write(async (db) => {
        await lockInbox(db, agent);
        return move(db, agent, raw("1 = 1"), by, moves.retry);
      }),
    discard: (agent, id, by) => moveOne(agent, id, by, moves.discard),
    knows: async (agent, sender) => {
      const user = counterpartKey(sender);
      const own = matching({ agent, user_id: user });
      const contact = await home.read({ agent, user }, (db) =>
        db.one(sql`select 1 as there from conversations where ${own}
          union all select 1 from inbox where ${own} and status = 'answered' limit 1`),
      );
      return contact !== undefined;
    },
    findReply: async (agent, message) =>
      (await replies(sql`select * from outbox where agent = ${agent} and message = ${message}`))[0],
    opensReply: (agent, message, digest) =>
      read(async (db) => (await countRows(db, "inbox", exactly({ agent, id: message, secret: digest }))) > 0),
    listReplies: async (agent, { prefix = "", ...page } = {}) => {
      const key = counterpartKey(prefix);
      const recipient = prefix === "" ? raw("") : sql`and substr(user_id, 1, ${[...key].length}) = ${key}`;
      return replies(
        sql`select * from outbox where agent = ${agent} ${recipient} order by at desc, id desc ${onPage(page)}`,
      );
    },
    markSent: async (agent, id) => {
      await write((db) =>
        db.run(sql`update outbox set sent_at = ${now()} where agent = ${agent} and id = ${id} and sent_at is null`),
      );
    },
  };
}

/** Returns the condition for the messages of a turn. The status is no parameter, so that the partial index is used. */
function heldBy(agent: string, turn: string): Query {
  return sql`agent = ${agent} and turn = ${turn} and status = 'taken'`;
}

/** An action of a person on messages, and which messages allow it. */
type Move = {
  readonly how: (db: Database, work: typeof inboxWork, which: Query) => Promise<InboxRow[]>;
  readonly where: Query;
  readonly kind: string;
  readonly hint: string;
};

const moves: Readonly<Record<"retry" | "discard", Move>> = {
  retry: {
    how: retry,
    where: raw(`not exists (select 1 from chain_messages c where c.agent = inbox.agent and c.message = inbox.id
      and c.state = 'orphaned')`),
    kind: "message-retried",
    hint: "Only a dead message can be tried again.",
  },
  discard: {
    how: discard,
    where: raw("1 = 1"),
    kind: "message-withdrawn",
    hint: "Only a message that is dead or waits can be discarded.",
  },
};
