import { code, count, digest, id, json, name, oneOf, text, time } from "../home/column.ts";
import { table } from "../home/table.ts";

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
    /** The counterpart's name: see `counterpart`. */
    sender: name(),
    body: text(),
    at: time(),
    /** `dead`: it was tried three times. `withdrawn`: it will not be answered. */
    status: oneOf("waiting", "taken", "answered", "dead", "withdrawn"),
    tries: count().usual(0),
    leasedUntil: time().nullable().passing().hidden(),
    /** The last turn that worked on it. */
    turn: id().nullable(),
    /** Of every try that failed, oldest first. */
    failures: json<readonly InboxFailure[]>().usual("[]"),
    channel: name().nullable(),
    /** The door it came through. Lanes are served in turn. */
    lane: code().usual(""),
    /** Its place among those of its lane: each sender once a round. */
    round: count().usual(0).inner().hidden(),
    /** What the turn that has taken it will reply, if it ends well. */
    draft: text().nullable(),
    /** What opens its reply is nobody's words. */
    secret: digest().nullable().inner().hidden(),
    secretUntil: time().nullable().inner().hidden(),
  },
);

/** Why a try to answer a message failed. */
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

/** When each door was last served. */
export const lanes = table(
  "lanes",
  { of: "agent", key: ["agent", "lane"], isByKey: true },
  { lane: code(), served: count() },
);

/** Ids of messages that were erased while a signature for them may still hold, as digests. */
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
