import type { Scope } from "../../amend/amendment.ts";
import { findAutomaton, isInCharge, type ModelAway, recordChanges, type StateChange } from "../automata/automata.ts";
import type { StoreDeps } from "../deps.ts";
import { messageTaken, recordEvent, recordEvents } from "../event.ts";
import type { Database } from "../home/database.ts";
import { exactly, insertInto, matching } from "../home/query.ts";
import { listOf, raw, sql } from "../home/sql.ts";
import { counterpartKey } from "../scope.ts";
import { fail, finish, listLost, take } from "../work.ts";
import { appendExchange, type ConversationLimits, defaultConversationLimits } from "./conversations.ts";
import {
  findMessage,
  type InboxFailure,
  type InboxMessage,
  inboxWork,
  listMessages,
  messageOf,
  type OutboxReply,
  type OutboxRow,
  outbox,
  replyOf,
} from "./inbox-row.ts";
import { lockInbox } from "./post-message.ts";

/** Limits for taking messages: how many, of how many counterparts, and for how long. */
export type ClaimMessagesOptions = {
  /** Maximum number of messages; 10, unless given. */
  readonly limit?: number;
  /** Maximum number of counterparts; 1, unless given. */
  readonly counterparts?: number;
  readonly leaseMs?: number;
  /** Process that has to be in charge of the agent; otherwise nothing is taken. */
  readonly runner?: string;
  /** Changes of the agent's state to record along with it, if there is a message to take. */
  readonly changes?: readonly StateChange[];
};

const abandoned = "nobody who took it came back";

/**
 * Takes the messages of the next counterparts, in the caller's transaction: lanes take turns, and in each lane its counterparts.
 */
export async function claimMessages(
  db: Database,
  { now }: Pick<StoreDeps, "now">,
  agent: string,
  turn: string,
  { limit = 10, counterparts = 1, leaseMs = 300_000, changes = [], runner }: ClaimMessagesOptions,
): Promise<InboxMessage[]> {
  await lockInbox(db, agent);
  if (runner !== undefined && !(await isInCharge(db, agent, runner))) return [];
  const at = now();
  for (const row of await listLost(db, inboxWork, matching({ agent }), at))
    await giveUpTry(db, at, messageOf(row), abandoned);
  const next: InboxMessage[] = [];
  const taken: string[] = [];
  while (taken.length < counterparts && next.length < limit) {
    const counterpart = await nextCounterpart(db, agent, taken);
    if (counterpart === undefined) break;
    const waiting = matching({ agent, user_id: counterpart.user, status: "waiting" });
    const batch = await listMessages(db, waiting, sql`limit ${limit - next.length}`);
    // A message that failed once may be what breaks the model: no other message is tried together with it, because that one would
    // fail too.
    const isAlone = batch.some(({ failures }) => failures.length > 0);
    if (isAlone && taken.length > 0) break;
    await serveLane(db, agent, counterpart.lane);
    taken.push(counterpart.user);
    next.push(...batch);
    if (isAlone) break;
  }
  if (next.length === 0) return [];
  const place = ({ at, id }: InboxMessage) => `${at} ${id}`;
  next.sort((one, other) => (place(one) < place(other) ? -1 : 1));
  const rows = await take(db, inboxWork, next, { among: matching({ agent }), at, leaseMs, set: { turn } });
  const paid = new Map(next.map((message) => [message.id, message.paid]));
  const messages = rows.map((row) => messageOf({ ...row, paid: paid.get(row.id) ?? null }));
  // Event for each try: the message's row names only the last turn that worked on it.
  recordEvents(
    db,
    messages.map(({ sender, id: message }) => {
      const scope = { agent, user: counterpartKey(sender) };
      return { at, scope, kind: messageTaken, turn, detail: { message } };
    }),
  );
  await recordChanges(db, agent, changes);
  return messages;
}

/** Finds the next counterpart: of the lane that was served longest ago, the one with the earliest round. */
async function nextCounterpart(
  db: Database,
  agent: string,
  but: readonly string[],
): Promise<{ readonly lane: string; readonly user: string } | undefined> {
  const open = sql`agent = ${agent} and status = 'waiting' ${but.length === 0 ? sql`` : sql`and user_id not in ${listOf(but)}`}`;
  // Index walk from one lane to the next: however many messages wait, they are not scanned.
  const first = sql`select min(lane) from inbox where ${open}`;
  const lane = (
    await db.one<{ lane: string }>(sql`with recursive w (lane) as (select (${first}) union all
        select (${first} and lane > w.lane) from w where w.lane is not null)
      select w.lane from w left join lanes l on l.agent = ${agent} and l.lane = w.lane where w.lane is not null
      order by coalesce(l.served, 0), w.lane limit 1`)
  )?.lane;
  if (lane === undefined) return undefined;
  const row = await db.one<{ user_id: string }>(sql`select user_id from inbox where ${open} and lane = ${lane}
    order by round, at, id limit 1`);
  return row && { lane, user: row.user_id };
}

async function serveLane(db: Database, agent: string, lane: string): Promise<void> {
  await db.run(sql`insert into lanes (agent, lane, served)
    values (${agent}, ${lane}, (select coalesce(max(served), 0) + 1 from lanes where agent = ${agent}))
    on conflict (agent, lane) do update set served = excluded.served`);
}

/** A message that a turn did not answer, and the reason. */
export type FailedMessage = {
  readonly message: string;
  readonly because: string;
  /** Shows an outage that was no fault of the message: the model was away, or may not be paid. This try does not count. */
  readonly outage?: true;
};

/** Results of a turn for the messages it took. */
export type InboxOutcome = {
  readonly agent: string;
  readonly turn: string;
  readonly replies: readonly { readonly message: string; readonly body: string }[];
  readonly failures: readonly FailedMessage[];
  /** Changes of the agent's state to record along with it. */
  readonly changes?: readonly StateChange[];
};

/** Replies that were posted, and the ids of messages that the turn no longer held. */
export type FinishedMessages = { readonly replies: readonly OutboxReply[]; readonly refused: readonly string[] };

/** Stores all results of a turn, in the caller's transaction. Messages that it no longer holds are left alone. */
export async function finishMessages(
  db: Database,
  deps: Pick<StoreDeps, "now" | "newId">,
  { agent, turn, replies, failures, changes = [] }: InboxOutcome,
  limits: ConversationLimits = defaultConversationLimits,
): Promise<FinishedMessages> {
  await lockInbox(db, agent);
  const at = deps.now();
  const posted: OutboxReply[] = [];
  const refused: string[] = [];
  for (const { message, body } of replies) {
    const reply = await answerMessage(db, deps, { agent, turn, message, reply: body }, limits);
    if (reply) posted.push(reply);
    else refused.push(message);
  }
  for (const { message, because, outage } of failures) {
    const [taken] = await listMessages(db, exactly({ agent, id: message, status: "taken", turn }));
    if (taken) await giveUpTry(db, at, taken, because, outage);
    else refused.push(message);
  }
  for (const message of refused) await recordLost(db, at, { agent, turn, message });
  await recordChanges(db, agent, changes);
  return { replies: posted, refused };
}

/**
 * Records that a turn had lost a message. An id is the sender's text, so the event is in the sender's scope, and has no id if the
 * sender was erased.
 */
async function recordLost(
  db: Database,
  at: string,
  { agent, turn, message }: { readonly agent: string; readonly turn: string; readonly message: string },
): Promise<void> {
  const known = await findMessage(db, agent, message);
  const scope = known ? scopeOf(known) : { agent };
  recordEvent(db, at, { scope, kind: "message-lost", turn, detail: known ? { message } : {} });
}

/** The reply of a turn to one message. */
export type InboxAnswer = {
  readonly agent: string;
  readonly message: string;
  readonly reply: string;
  readonly turn: string;
};

/**
 * Marks the message as answered, posts the reply and stores the exchange; returns nothing if the turn does not hold the message.
 */
async function answerMessage(
  db: Database,
  { now, newId }: Pick<StoreDeps, "now" | "newId">,
  { agent, message: id, reply, turn }: InboxAnswer,
  limits: ConversationLimits,
): Promise<OutboxReply | undefined> {
  const at = now();
  const taken = exactly({ agent, id, status: "taken", turn });
  const message = await finish(db, inboxWork, taken, "answered", { draft: null });
  if (!message) return undefined;
  const { user_id: user, body } = message;
  const scope = { agent, user };
  const given = { scope, id: newId(), body: reply, at, turn, message: id };
  const posted = replyOf((await db.one<OutboxRow>(sql`${insertInto(outbox, given)} returning *`)) as OutboxRow);
  await appendExchange(db, { agent, address: user, at, message: id, body, reply, turn }, limits);
  recordEvent(db, at, { scope, kind: "message-answered", turn, detail: { message: id, reply: posted.id } });
  return posted;
}

/**
 * Gives up this try: the message waits again, a round later, so that another's turn is first; after the third it is dead.
 *
 * An outage costs no try, because it may last. The same reason several times in a row is listed once, unless the turn called a
 * tool: the next try has to know what was done.
 */
async function giveUpTry(
  db: Database,
  at: string,
  message: InboxMessage,
  because: string,
  outage = false,
): Promise<void> {
  const { turn, failures: before } = message;
  const again = outage && before.at(-1)?.because === because && !(await usedTools(db, turn));
  await endTry(db, at, message, again ? before : [...before, { at, turn, because }], outage);
}

async function usedTools(db: Database, turn: string | null): Promise<boolean> {
  return (await db.one(sql`select 1 as there from turns where id = ${turn} and tools = 1`)) !== undefined;
}

/**
 * Counts the try of a turn after all, in the caller's transaction: it had cost its messages none, and the model turned out to be
 * there.
 */
async function countTries(db: Database, at: string, agent: string, turn: string): Promise<void> {
  const waiting = await listMessages(db, matching({ agent, turn, status: "waiting" }));
  await take(db, inboxWork, waiting, { among: matching({ agent }), at, leaseMs: 0 });
  for (const message of waiting) {
    const last = message.failures.at(-1);
    // Reasons that repeat are listed once, with their first turn.
    const more = last && last.turn !== turn ? [{ ...last, at, turn }] : [];
    await endTry(db, at, message, [...message.failures, ...more]);
  }
}

async function endTry(
  db: Database,
  at: string,
  message: InboxMessage,
  failures: readonly InboxFailure[],
  isOutage = false,
): Promise<void> {
  const { agent, id, turn, channel } = message;
  const set = { failures: JSON.stringify(failures), draft: null, round: raw("round + 1") };
  const row = await fail(db, inboxWork, matching({ agent, id }), { set, isOutage });
  if (row?.status === "waiting" && channel === "chain") await withdrawIfOrphaned(db, agent, id);
  const detail = { message: id, tries: row?.tries, because: failures.at(-1)?.because };
  if (row?.status === "dead") recordEvent(db, at, { scope: scopeOf(message), turn, detail, kind: "message-dead" });
}

/** Withdraws a message that would wait again although its block was orphaned: nobody takes it until it is included again. */
async function withdrawIfOrphaned(db: Database, agent: string, message: string): Promise<void> {
  const orphaned = matching({ agent, message, state: "orphaned" });
  const withdrawn = await db.run(sql`update chain_messages set withdrawn = 1 where ${orphaned}`);
  if (withdrawn > 0)
    await db.run(sql`update inbox set status = 'withdrawn' where agent = ${agent} and id = ${message}`);
}

function scopeOf({ agent, sender }: InboxMessage): Scope {
  return { agent, user: counterpartKey(sender) };
}

/** Reason why a model gave no answer: to a turn, or, without one, when it was asked whether it is back. */
export type NoAnswer = { readonly because: string; readonly turn?: string | null };

/** Records that an agent's model gave no answer, in the caller's transaction. The time of the first failure stays. */
export async function markAway(
  db: Database,
  at: string,
  agent: string,
  { because, turn = null }: NoAnswer,
): Promise<void> {
  await lockInbox(db, agent);
  const before = await findAutomaton(db, agent);
  if (!before) return;
  const away: ModelAway = { since: before.away?.since ?? at, because, turn };
  await db.run(sql`update automata set away = ${JSON.stringify(away)} where agent = ${agent}`);
  if (!before.away) recordEvent(db, at, { scope: { agent }, kind: "model-away", turn, detail: { because } });
}

/**
 * Records that the model answers again, in the caller's transaction. If no other request was made since a turn failed, the model
 * was there then, and that turn counts as a try of its messages.
 */
export async function markBack(db: Database, at: string, agent: string): Promise<void> {
  await lockInbox(db, agent);
  const away = (await findAutomaton(db, agent))?.away;
  if (!away) return;
  if (away.turn !== null) await countTries(db, at, agent, away.turn);
  await db.run(sql`update automata set away = ${null} where agent = ${agent}`);
  recordEvent(db, at, { scope: { agent }, kind: "model-back", detail: { since: away.since } });
}
