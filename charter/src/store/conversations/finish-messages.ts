import { recordChanges, type StateChange } from "../automata/state-change.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent } from "../event.ts";
import type { Database } from "../home/database.ts";
import { sql } from "../home/sql.ts";
import { appendExchange, type ConversationLimits, defaultConversationLimits } from "./conversations.ts";
import {
  failuresOf,
  type InboxFailure,
  type InboxRow,
  type OutboxReply,
  type OutboxRow,
  replyOf,
} from "./inbox-row.ts";
import { withdrawIfOrphaned } from "./orphaned.ts";
import { lockInbox } from "./post-message.ts";

/** Why a turn did not answer a message. */
export type FailedMessage = {
  readonly message: string;
  readonly because: string;
  /** It was no fault of the message: the model was away, or may not be paid. This try does not count. */
  readonly outage?: true;
};

/** What a turn came to for the messages it took. */
export type InboxOutcome = {
  readonly agent: string;
  readonly turn: string;
  readonly replies: readonly { readonly message: string; readonly body: string }[];
  readonly failures: readonly FailedMessage[];
  /** Changes of the agent's state to be recorded along with it. */
  readonly changes?: readonly StateChange[];
};

/** The replies that were posted, and the ids of messages the turn no longer held. */
export type FinishedMessages = { readonly replies: readonly OutboxReply[]; readonly refused: readonly string[] };

const maxTries = 3;

/** All that a turn came to, within a transaction. Messages it no longer holds are left alone. */
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
    const row = await db.one<InboxRow>(sql`select * from inbox where agent = ${agent} and id = ${message}
      and status = 'taken' and turn = ${turn}`);
    if (row) await giveUpTry(db, at, row, because, outage);
    else refused.push(message);
  }
  for (const message of refused) await recordLost(db, at, { agent, turn, message });
  await recordChanges(db, agent, changes);
  return { replies: posted, refused };
}

/** An id is the sender's word: it is told in their scope, and of one who was erased it is not told. */
async function recordLost(
  db: Database,
  at: string,
  { agent, turn, message }: { readonly agent: string; readonly turn: string; readonly message: string },
): Promise<void> {
  const row = await db.one<InboxRow>(sql`select * from inbox where agent = ${agent} and id = ${message}`);
  const scope = row ? { agent, user: row.user_id } : { agent };
  await recordEvent(db, at, { scope, kind: "message-lost", turn, detail: row ? { message } : {} });
}

/** The reply of a turn to one message. */
export type InboxAnswer = {
  readonly agent: string;
  readonly message: string;
  readonly reply: string;
  readonly turn: string;
};

/** Consumes the message, posts the reply and keeps the exchange; nothing, if the turn does not hold the message. */
export async function answerMessage(
  db: Database,
  { now, newId }: Pick<StoreDeps, "now" | "newId">,
  { agent, message: id, reply, turn }: InboxAnswer,
  limits: ConversationLimits,
): Promise<OutboxReply | undefined> {
  const at = now();
  const message =
    await db.one<InboxRow>(sql`update inbox set status = 'answered', leased_until = ${null}, draft = ${null}
    where agent = ${agent} and id = ${id} and status = 'taken' and turn = ${turn} returning *`);
  if (!message) return undefined;
  const { user_id: user, body } = message;
  const row = await db.one<OutboxRow>(sql`insert into outbox (id, agent, user_id, body, at, turn, message)
    values (${newId()}, ${agent}, ${user}, ${reply}, ${at}, ${turn}, ${id}) returning *`);
  const posted = replyOf(row as OutboxRow);
  await appendExchange(db, { agent, address: user, at, message: id, body, reply, turn }, limits);
  const detail = { message: id, reply: posted.id };
  await recordEvent(db, at, { scope: { agent, user }, kind: "message-answered", turn, detail });
  return posted;
}

/**
 * Gives up this try: the message waits again, a round later, so that it is another's turn first; after the third it is
 * dead. An outage may last: it costs no try, and the same reason over and over is told once, unless the turn called a tool:
 * the next try has to know what was done.
 */
export async function giveUpTry(
  db: Database,
  at: string,
  row: InboxRow,
  because: string,
  outage = false,
): Promise<void> {
  const before = failuresOf(row);
  const again = outage && before.at(-1)?.because === because && !(await usedTools(db, row.turn));
  const failures = again ? before : [...before, { at, turn: row.turn, because }];
  await setTries(db, at, row, { tries: outage ? row.tries - 1 : row.tries, failures });
}

async function usedTools(db: Database, turn: string | null): Promise<boolean> {
  return (await db.one(sql`select 1 as there from turns where id = ${turn} and tools = 1`)) !== undefined;
}

/**
 * The try of a turn counts after all, within a transaction: it had cost its messages none, and the model turned out to be
 * there.
 */
export async function countTries(db: Database, at: string, agent: string, turn: string): Promise<void> {
  const rows = await db.all<InboxRow>(sql`select * from inbox where agent = ${agent} and turn = ${turn}
    and status = 'waiting' order by at, id`);
  for (const row of rows) {
    const before = failuresOf(row);
    const last = before.at(-1);
    // A reason that was told before stands there once, with its first turn.
    const failures = last && last.turn !== turn ? [...before, { ...last, at, turn }] : before;
    await setTries(db, at, row, { tries: row.tries + 1, failures });
  }
}

type Tried = { readonly tries: number; readonly failures: readonly InboxFailure[] };

async function setTries(db: Database, at: string, row: InboxRow, { tries, failures }: Tried): Promise<void> {
  const { agent, user_id: user, id, turn } = row;
  const dead = tries >= maxTries;
  await db.run(sql`update inbox set failures = ${JSON.stringify(failures)}, leased_until = ${null}, draft = ${null},
    tries = ${tries}, round = round + 1, status = ${dead ? "dead" : "waiting"} where agent = ${agent} and id = ${id}`);
  if (!dead && row.channel === "chain") await withdrawIfOrphaned(db, agent, id);
  const detail = { message: id, tries, because: failures.at(-1)?.because };
  if (dead) await recordEvent(db, at, { scope: { agent, user }, turn, detail, kind: "message-dead" });
}
