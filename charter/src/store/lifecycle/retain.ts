import { Problem } from "../../prompt/problem.ts";
import { forGood, rememberIds } from "../conversations/post-message.ts";
import type { StoreDeps } from "../deps.ts";
import { eventsLetGo, imported, keyIsNew, messagesLetGo, messageTaken, notesVouched, recordEvent } from "../event.ts";
import type { Database } from "../home/database.ts";
import { joinQueries, listOf, type Query, raw, sql } from "../home/sql.ts";
import type { Table } from "../home/table.ts";
import { steps } from "../turns/steps.ts";
import { eraseRows } from "./erase.ts";
import { lockToErase, namedByTurn, type RowSize, sizeOf, sweepTexts } from "./sweep.ts";

/** How many days things are kept. What is not given is kept for good. */
export type Retention = {
  readonly receipts?: number | undefined;
  readonly events?: number | undefined;
  /**
   * Channel messages that are done, dispatches that were sent or given up, runs that ended, codes that expired; and
   * inbox messages that were answered or withdrawn, with their replies. What someone may send again is kept two days.
   */
  readonly deliveries?: number | undefined;
  /** The bytes of pictures and files that came with turns. Which there were, by name, kind and size, stays known. */
  readonly attachments?: number | undefined;
};

/** How much was deleted. */
export type RetainResult = {
  readonly receipts: number;
  readonly events: number;
  readonly deliveries: number;
  readonly attachments: number;
  /** Texts that nothing refers to any more. */
  readonly texts: number;
  /** Their size in the database. */
  readonly bytes: number;
};

/**
 * Lets go of what is older than it has to be. Old receipts keep their place in the chain, without what was sent; the
 * texts only they named are deleted, old events and deliveries altogether.
 */
export async function retain(
  { home, texts, now }: Pick<StoreDeps, "home" | "texts" | "now">,
  { receipts, events, deliveries, attachments }: Retention,
  { dryRun = false } = {},
): Promise<RetainResult> {
  const at = now();
  let went: RetainResult | undefined;
  try {
    await home.write("everything", async (db) => {
      await lockToErase(db);
      const receiptsGone = receipts === undefined ? nothing : await blankReceipts(db, before(at, receipts), at);
      const eventsGone = events === undefined ? nothing : await dropEvents(db, before(at, events), at);
      const delivered =
        deliveries === undefined ? nothing : await dropDeliveries(db, home.schema.tables, at, deliveries);
      const files = attachments === undefined ? nothing : await blankAttachments(db, before(at, attachments), at);
      const swept = await sweepTexts(db, texts);
      went = {
        receipts: receiptsGone.count,
        events: eventsGone.count,
        deliveries: delivered.count,
        attachments: files.count,
        texts: swept.count,
        bytes: [receiptsGone, eventsGone, delivered, files, swept].reduce((sum, { bytes }) => sum + bytes, 0),
      };
      if (dryRun) throw new Error("It was only a trial: nothing of it is kept.");
    });
    await home.vacuum();
  } catch (error) {
    if (!dryRun || went === undefined) throw error;
  }
  return went as RetainResult;
}

const nothing: RowSize = { count: 0, bytes: 0 };

function before(at: string, days: number): string {
  const time = Date.parse(at) - days * 86_400_000;
  if (days >= 0 && Number.isSafeInteger(days) && !Number.isNaN(new Date(time).getTime()))
    return new Date(time).toISOString();
  throw new Problem("usage", `${days} is no number of days.`, "Give a whole number from 0 up.");
}

async function blankReceipts(db: Database, until: string, at: string): Promise<RowSize> {
  const old = sql`erased_at is null and at < ${until}`;
  const gone = await sizeOf(db, "steps", "result", old);
  await eraseRows(db, steps, old, at);
  return gone;
}

async function dropEvents(db: Database, until: string, at: string): Promise<RowSize> {
  // What says whose words a turn worked on stays: without it they could not be erased. So does what says that events went,
  // or that something came from elsewhere: without it that would come again, with those who were erased. And who vouched
  // for notes: it is why they are own words, and can be taken back.
  const kept = [messageTaken, eventsLetGo, messagesLetGo, imported, notesVouched, keyIsNew];
  const old = sql`at < ${until} and kind not in ${listOf(kept)}`;
  const gone = await sizeOf(db, "events", "detail", old);
  const agents = await db.all<{ agent: string }>(sql`select agent from events where ${old} group by agent
    union select name from agents where not exists (select 1 from events where events.agent = agents.name)`);
  await db.run(sql`delete from events where ${old}`);
  for (const { agent } of agents) {
    await db.run(sql`delete from events where agent = ${agent} and kind = ${eventsLetGo}`);
    await recordEvent(db, at, { scope: { agent }, kind: eventsLetGo, detail: { before: until } });
  }
  return gone;
}

/** So many days someone may send the same message again: so long it is known. */
const sentAgain = 2;

async function dropDeliveries(db: Database, tables: readonly Table[], at: string, days: number): Promise<RowSize> {
  let { count, bytes } = await dropMessages(db, at, before(at, Math.max(days, sentAgain)));
  for (const { name, keep } of tables) {
    if (!keep) continue;
    const old = doneWith(keep.when, at, before(at, keep.just ? (keep.days ?? 0) : Math.max(days, keep.days ?? 0)));
    const gone = await sizeOf(db, name, keep.size, old);
    await db.run(sql`delete from ${raw(name)} where ${old}`);
    count += gone.count;
    bytes += gone.bytes;
  }
  return { count, bytes };
}

function doneWith(when: string, at: string, until: string): Query {
  const words = when.split(/(\{at\}|\{until\})/);
  return joinQueries(
    words.map((one) => (one === "{at}" ? sql`${at}` : one === "{until}" ? sql`${until}` : raw(one))),
    "",
  );
}

/**
 * Messages that were answered or withdrawn, and the replies. Their events may stay: so it is said that they went. One that
 * may come again, and whose payment became cycles, is kept: it would be paid for twice.
 */
async function dropMessages(db: Database, at: string, until: string): Promise<RowSize> {
  const old = sql`status in ('answered', 'withdrawn') and at < ${until}
    and not exists (select 1 from outbox o where o.agent = inbox.agent and o.message = inbox.id and o.at >= ${until})
    and not exists (select 1 from events e where e.agent = inbox.agent and e.user_id = inbox.user_id
      and e.kind = 'message-dead' and e.at >= ${until})
    and not exists (select 1 from chain_replies r where r.agent = inbox.agent and r.message = inbox.id
      and r.state not in ('final', 'failed'))
    and not exists (select 1 from chain_messages c where c.agent = inbox.agent and c.message = inbox.id
      and c.withdrawn = 1 and c.cycles is not null)`;
  const messages = await sizeOf(db, "inbox", "body", old);
  if (messages.count === 0) return nothing;
  const agents = await db.all<{ agent: string }>(sql`select agent from inbox where ${old} group by agent`);
  const theirs = sql`exists (select 1 from inbox where inbox.agent = outbox.agent and inbox.id = outbox.message
    and ${old})`;
  const replies = await sizeOf(db, "outbox", "body", theirs);
  await dropFromChains(db, old);
  await db.run(sql`delete from outbox where ${theirs}`);
  await db.run(sql`delete from inbox where ${old}`);
  for (const { agent } of agents) {
    await db.run(sql`delete from events where agent = ${agent} and kind = ${messagesLetGo}`);
    await recordEvent(db, at, { scope: { agent }, kind: messagesLetGo, detail: { before: until } });
  }
  return { count: messages.count + replies.count, bytes: messages.bytes + replies.bytes };
}

/** On its chain a message is told for good. What was withdrawn because its block went may come again, and is new then. */
async function dropFromChains(db: Database, old: Query): Promise<void> {
  const theirs = (column: string) => sql`exists (select 1 from inbox where inbox.agent = ${raw(column)}.agent
    and inbox.id = ${raw(column)}.message and ${old})`;
  const told = sql`select agent, message as id from chain_messages where withdrawn = 0 and ${theirs("chain_messages")}`;
  await rememberIds(db, await db.all<{ agent: string; id: string }>(told), forGood);
  for (const table of ["chain_replies", "chain_messages"])
    await db.run(sql`delete from ${raw(table)} where ${theirs(table)}`);
}

/** Lets go of the bytes of those that no turn since then came with. That they were there is still known. */
async function blankAttachments(db: Database, until: string, at: string): Promise<RowSize> {
  const old = sql`erased_at is null and not ${namedByTurn(sql`t.started_at >= ${until}`)}`;
  const gone = await sizeOf(db, "attachments", "body", old);
  await db.run(sql`update attachments set body = ${new Uint8Array()}, erased_at = ${at} where ${old}`);
  return gone;
}
