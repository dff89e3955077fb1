import { Problem } from "../../prompt/problem.ts";
import type { Database } from "../home/database.ts";
import { matching, recordOf } from "../home/query.ts";
import { type Query, raw, sql } from "../home/sql.ts";
import {
  code,
  count,
  digest,
  id,
  json,
  name,
  oneOf,
  type RecordOf,
  type RowOf,
  table,
  text,
  time,
} from "../home/table.ts";
import { counterpartOf } from "../scope.ts";
import type { Work } from "../work.ts";

export const conversations = table(
  "conversations",
  {
    of: "user",
    key: ["agent", "user_id"],
    isByKey: true,
    indexes: { conversations_active: "(agent, active)" },
    exported: false,
  },
  { lastAt: time(), active: count(), exchanges: count() },
);

export const exchanges = table(
  "exchanges",
  { of: "user", key: ["agent", "user_id", "number"], exported: "conversation" },
  { number: count().inner(), message: id(), senderBody: text(), agentReply: text(), turn: id(), at: time() },
);

export const inbox = table(
  "inbox",
  {
    of: "user",
    key: ["agent", "id"],
    isByKey: true,
    indexes: {
      inbox_waiting: "(agent, status, at)",
      inbox_lane: "(agent, status, lane, round, at)",
      inbox_counterpart: "(agent, user_id, status, at)",
      inbox_turn: "(agent, turn) where status = 'taken'",
    },
    exported: "messages",
  },
  {
    id: id(),
    /** Name of the counterpart: see `counterpart`. */
    sender: name(),
    body: text(),
    at: time(),
    /** State of the message. `dead`: it was tried three times. `withdrawn`: it will not be answered. */
    status: oneOf("waiting", "taken", "answered", "dead", "withdrawn"),
    tries: count().usual(0),
    leasedUntil: time().nullable().passing().hidden(),
    /** Last turn that worked on it. */
    turn: id().nullable(),
    /** Failed tries, oldest first. */
    failures: json<readonly InboxFailure[]>().usual("[]"),
    channel: name().nullable(),
    /** Lane it came through, such as a door. Lanes are served in turn. */
    lane: code().usual(""),
    /** Round in which it is served among those of its lane: each sender has one message in a round. */
    round: count().usual(0).inner().hidden(),
    /** Reply that the turn which has taken it will send, if it ends well. */
    draft: text().nullable(),
    /** Digest of the secret that opens the reply; no scope reads it. */
    secret: digest().nullable().inner().hidden(),
    secretUntil: time().nullable().inner().hidden(),
  },
);

/** Failure of a try to answer a message: the time, the turn and the reason. */
export type InboxFailure = { readonly at: string; readonly turn: string | null; readonly because: string };

export const outbox = table(
  "outbox",
  {
    of: "user",
    key: ["agent", "id"],
    isByKey: true,
    indexes: { outbox_unsent: "(agent, at) where sent_at is null", outbox_message: "(agent, message)" },
    exported: "replies",
  },
  {
    id: id(),
    body: text(),
    at: time(),
    turn: id(),
    message: id().nullable().refers("inbox", "it was answered"),
    sentAt: time().nullable(),
  },
);

/** Order in which lanes were last served. */
export const lanes = table(
  "lanes",
  { of: "agent", key: ["agent", "lane"], isByKey: true },
  { lane: code(), served: count() },
);

/** Ids of erased messages, as digests, while a signature for them may still be valid. */
export const messageIds = table(
  "message_ids",
  {
    of: "agent",
    key: ["agent", "digest"],
    isByKey: true,
    erase: { blank: "keep" },
    keep: { when: "until < {at}", size: "digest" },
  },
  { digest: digest(), until: time() },
);

/** A message to an agent, and what happened to it. */
export type InboxMessage = Omit<RecordOf<typeof inbox>, "scope"> & {
  readonly agent: string;
  /** Payment for it on its chain, in wei; null if it came another way, or its block was orphaned. */
  readonly paid: string | null;
};

/** Maximum numbers of waiting messages: of one counterpart, and of all. */
export type InboxLimits = {
  readonly counterpart: number;
  readonly agent: number;
  /** Lanes that together may not fill the inbox: they never hold more than they leave free, so that others can still write. */
  readonly lanes?: readonly string[];
  /** Number of times that the free room has to exceed what these lanes hold; 1, unless given. */
  readonly leave?: number;
};

/** A message to be put into an agent's inbox. */
export type NewInboxMessage = {
  readonly agent: string;
  readonly sender: string;
  /** Text of 1 to 4,096 bytes of UTF-8. */
  readonly body: string;
  readonly id?: string;
  readonly channel?: string;
  /** Lane that it waits in: lanes are served in turn, so that a flood in one delays no other. */
  readonly lane?: string;
  readonly limits?: InboxLimits;
  /** Digest of the secret that opens the reply; a secret that is valid longer replaces an earlier one. */
  readonly secret?: { readonly digest: string; readonly until: string };
};

/** A reply that was sent, or waits to be. */
export type OutboxReply = Omit<RecordOf<typeof outbox>, "scope"> & {
  readonly agent: string;
  /** Name of the counterpart. */
  readonly to: string;
};

/** Queue of messages. Lanes and rounds decide whose are taken next (see `message-work.ts`). */
export const inboxWork = {
  ...{ table: inbox, column: "status", taken: "taken", dead: "dead", discarded: "withdrawn" },
  ...{ order: (row) => `${row}at, ${row}id`, tryIs: "taken", maxTries: 3 },
} satisfies Work<typeof inbox>;

export type InboxRow = RowOf<typeof inbox> & { paid?: string | null };

export type OutboxRow = RowOf<typeof outbox>;

export function messageOf(row: InboxRow): InboxMessage {
  const { scope, ...message } = recordOf(inbox, row);
  return { ...message, agent: scope.agent, paid: row.paid ?? null };
}

export function replyOf(row: OutboxRow): OutboxReply {
  const { scope, ...reply } = recordOf(outbox, row);
  return { ...reply, agent: scope.agent, to: counterpartOf(row.user_id) };
}

/** Lists messages, oldest first. */
export async function listMessages(db: Database, where: Query, page = raw("")): Promise<InboxMessage[]> {
  const rows = await db.all<InboxRow>(sql`select *, (select c.value from chain_messages c where c.agent = inbox.agent
      and c.message = inbox.id and c.state = 'included') as paid
    from inbox where ${where} order by at, id ${page}`);
  return rows.map(messageOf);
}

export async function findMessage(db: Database, agent: string, id: string): Promise<InboxMessage | undefined> {
  return (await listMessages(db, matching({ agent, id })))[0];
}

export async function getMessage(db: Database, agent: string, id: string): Promise<InboxMessage> {
  const message = await findMessage(db, agent, id);
  if (message) return message;
  throw new Problem("unknown-message", `There is no message “${id}” for “${agent}”.`, "Check the id.");
}
