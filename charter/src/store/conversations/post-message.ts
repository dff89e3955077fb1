import { Problem } from "../../prompt/problem.ts";
import { requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent } from "../event.ts";
import type { Database } from "../home/database.ts";
import { insertInto, lockAgainstErasure, lockNamed, putInto } from "../home/query.ts";
import { listOf, raw, sql } from "../home/sql.ts";
import { checkCounterpart, checkName, counterpartKey, counterpartOf } from "../scope.ts";
import { sha256 } from "../texts/packing.ts";
import {
  findMessage,
  getMessage,
  type InboxLimits,
  type InboxMessage,
  inbox,
  messageIds,
  type NewInboxMessage,
} from "./inbox-row.ts";

/** Maximum numbers of waiting messages where strangers write: of one counterpart, and of all. */
export const inboxLimits = { counterpart: 100, agent: 10_000 } as const;

const maxBodyBytes = 4096;

/** A message that was posted: whether it is new, and whether its secret is the one that opens the reply now. */
export type PostedMessage = InboxMessage & { readonly created: boolean; readonly secretKept: boolean };

/** Puts a message into an inbox, in the caller's transaction. The same message again changes nothing. */
export async function postMessage(
  db: Database,
  { now, newId }: Pick<StoreDeps, "now" | "newId">,
  message: NewInboxMessage,
): Promise<PostedMessage> {
  const { agent, sender, body, id = newId(), channel = null, lane = "", limits, secret } = message;
  checkBody(body);
  checkCounterpart(sender);
  checkName("message", id);
  await lockInbox(db, agent);
  await requireAgent(db, agent);
  const user = counterpartKey(sender);
  const known = await findMessage(db, agent, id);
  if (known) {
    if (known.sender !== counterpartOf(user) || known.body !== body) throw messageExists(id);
    return { ...known, created: false, secretKept: secret !== undefined && (await renewSecret(db, agent, id, secret)) };
  }
  await checkNotSpent(db, agent, id, now());
  if (limits) await checkRoom(db, agent, user, limits);
  const at = now();
  const scope = { agent, user };
  const round = (await roundsOf(db, agent, lane, [user])).next(user);
  const given = { scope, id, sender: counterpartOf(user), body, at, status: "waiting", channel, lane, round } as const;
  await db.run(insertInto(inbox, { ...given, secret: secret?.digest, secretUntil: secret?.until }));
  recordEvent(db, at, { scope, kind: "message-posted", detail: { message: id } });
  return { ...(await getMessage(db, agent, id)), created: true, secretKept: secret !== undefined };
}

/**
 * Takes the locks on an agent's inbox: posting, taking and finishing its messages go one after the other, and not during an
 * erasure.
 */
export async function lockInbox(db: Database, agent: string): Promise<void> {
  await lockAgainstErasure(db);
  await lockNamed(db, ["inbox", agent]);
}

function checkBody(body: string): void {
  const bytes = typeof body === "string" ? Buffer.byteLength(body) : 0;
  if (bytes >= 1 && bytes <= maxBodyBytes) return;
  throw new Problem("bad-message", `The message has ${bytes} bytes.`, `Write 1 to ${maxBodyBytes} bytes of UTF-8.`);
}

function messageExists(id: string): Problem {
  return new Problem(
    "message-exists",
    `There is a message “${id}” already, with other words or another sender.`,
    "Give every message an id of its own.",
  );
}

async function renewSecret(
  db: Database,
  agent: string,
  id: string,
  { digest, until }: { readonly digest: string; readonly until: string },
): Promise<boolean> {
  const renewed = await db.run(sql`update inbox set secret = ${digest}, secret_until = ${until}
    where agent = ${agent} and id = ${id}
      and (secret_until < ${until} or (secret_until is null and channel = 'chain'))`);
  return renewed > 0;
}

async function checkNotSpent(db: Database, agent: string, id: string, at: string): Promise<void> {
  const spent = await db.one(sql`select 1 as there from message_ids where agent = ${agent}
    and digest = ${messageDigest(agent, id)} and until > ${at}`);
  if (spent)
    throw new Problem("message-exists", `The message “${id}” was erased.`, "Give every message an id of its own.");
}

async function checkRoom(db: Database, agent: string, user: string, limits: InboxLimits): Promise<void> {
  const full = (which: string) => new Problem("inbox-full", which, "Wait until some are answered.");
  // Messages that came by a blockchain are not counted: they cannot be refused, so they take up nobody's room.
  const open = sql`agent = ${agent} and status = 'waiting' and lane <> 'chain'`;
  const count = async (most: number, whose = raw("")) => {
    const some = sql`select 1 from inbox where ${open} ${whose} limit ${most}`;
    return Number((await db.one<{ count: number }>(sql`select count(*) as count from (${some}) as found`))?.count);
  };
  if ((await count(limits.counterpart, sql`and user_id = ${user}`)) >= limits.counterpart)
    throw full(`${limits.counterpart} messages of this sender wait for “${agent}” already.`);
  const waiting = await count(limits.agent);
  if (waiting >= limits.agent) throw full(`${limits.agent} messages wait for “${agent}” already.`);
  const left = Math.ceil((limits.agent - waiting) / (limits.leave ?? 1));
  if (limits.lanes && (await count(left, sql`and lane in ${listOf(limits.lanes)}`)) >= left)
    throw full(`So many messages wait for “${agent}” already that the rest of its inbox is kept for others.`);
}

/** Gives rounds to messages that are posted together, in their order. */
type Rounds = { readonly next: (user: string) => number };

/**
 * Queues fairly: a sender who has nothing waiting is served in the present round, and each further message a round later. So a
 * hundred messages of one sender delay another's by one.
 */
export async function roundsOf(db: Database, agent: string, lane: string, users: readonly string[]): Promise<Rounds> {
  const front = await db.one<{ round: number }>(sql`select round from inbox where agent = ${agent}
    and status = 'waiting' and lane = ${lane} order by round limit 1`);
  const rows = await db.all<{ user_id: string; round: number }>(sql`select user_id, max(round) as round from inbox
    where agent = ${agent} and user_id in ${listOf([...new Set(users)])} and status = 'waiting' group by user_id`);
  const last = new Map(rows.map(({ user_id, round }) => [user_id, round]));
  return {
    next: (user) => {
      const round = Math.max(front?.round ?? 0, (last.get(user) ?? -1) + 1);
      last.set(user, round);
      return round;
    },
  };
}

/** Returns a digest that recognises an erased message for as long as it might be sent again. */
export function messageDigest(agent: string, id: string): string {
  return sha256(JSON.stringify([agent, id]));
}

/** Expiry that never comes: a message on a blockchain stays there for good. */
export const neverExpires = "9999-12-31T23:59:59.999Z";

/** Stores the ids of deleted messages, as digests, so that they are refused until then. */
export async function rememberIds(
  db: Database,
  messages: readonly { readonly agent: string; readonly id: string }[],
  until: string,
): Promise<void> {
  for (const { agent, id } of messages)
    await db.run(sql`${putInto(messageIds, { agent, digest: messageDigest(agent, id), until })}
      where message_ids.until < excluded.until`);
}
