import { Problem } from "../../prompt/problem.ts";
import { neverExpires, rememberIds } from "../conversations/post-message.ts";
import type { StoreDeps } from "../deps.ts";
import {
  eventsLetGo,
  imported,
  keyIsNew,
  messagesLetGo,
  messageTaken,
  notesVouched,
  pictureClaimed,
  recordEvent,
} from "../event.ts";
import type { Database } from "../home/database.ts";
import { joinQueries, listOf, type Query, raw, sql } from "../home/sql.ts";
import type { Table } from "../home/table.ts";
import { checkAllKnown } from "../schema.ts";
import { steps } from "../turns/steps.ts";

import { eraseRows, lockToErase, namedByTurn, type RowSize, sizeOf, sweepTexts } from "./sweep.ts";

/** Number of days to keep things; what is not given is kept for good. */
export type Retention = {
  readonly receipts?: number | undefined;
  readonly events?: number | undefined;
  /**
   * Days for channel messages that are done, dispatches that were sent or given up, runs that ended, and codes that expired; and
   * for inbox messages that were answered or withdrawn, with their replies. Messages that could be sent again are kept at least
   * two days.
   */
  readonly deliveries?: number | undefined;
  /** Days for the bytes of pictures and files that came with turns. Their names, kinds and sizes stay known. */
  readonly attachments?: number | undefined;
};

/** Amounts that were deleted. */
export type RetainResult = {
  readonly receipts: number;
  readonly events: number;
  readonly deliveries: number;
  readonly attachments: number;
  /** Number of texts that nothing referred to any more. */
  readonly texts: number;
  /** Size of everything deleted, in bytes of the database. */
  readonly bytes: number;
};

/**
 * Deletes what is older than the retention allows. Old receipts keep their place in the hash chain, without what was sent; texts
 * that only they named, old events and old deliveries are deleted completely.
 */
export async function retain(
  { home, texts, now }: Pick<StoreDeps, "home" | "texts" | "now">,
  { receipts, events, deliveries, attachments }: Retention,
  { dryRun = false } = {},
): Promise<RetainResult> {
  const at = now();
  let result: RetainResult | undefined;
  try {
    await home.write("everything", async (db) => {
      await checkAllKnown(db, home);
      await lockToErase(db);
      const receiptsGone = receipts === undefined ? nothing : await blankReceipts(db, before(at, receipts), at);
      const eventsGone = events === undefined ? nothing : await dropEvents(db, before(at, events), at);
      const delivered =
        deliveries === undefined ? nothing : await dropDeliveries(db, home.schema.tables, at, deliveries);
      const files = attachments === undefined ? nothing : await blankAttachments(db, before(at, attachments), at);
      const swept = await sweepTexts(db, texts);
      result = {
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
    if (!dryRun || result === undefined) throw error;
  }
  return result as RetainResult;
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
  const size = await sizeOf(db, "steps", "result", old);
  await eraseRows(db, steps, old, at);
  return size;
}

async function dropEvents(db: Database, until: string, at: string): Promise<RowSize> {
  // Kept forever are the events that say whose text a turn worked on, without which it could not be erased; that events were
  // deleted, or that something was imported, without which it would be imported again, with users who were erased; and who
  // vouched for notes, which is why they are own and can be disowned.
  const kept = [messageTaken, eventsLetGo, messagesLetGo, imported, notesVouched, pictureClaimed, keyIsNew];
  const old = sql`at < ${until} and kind not in ${listOf(kept)}`;
  const size = await sizeOf(db, "events", "detail", old);
  const agents = await db.all<{ agent: string }>(sql`select agent from events where ${old} group by agent
    union select name from agents where not exists (select 1 from events where events.agent = agents.name)`);
  await db.run(sql`delete from events where ${old}`);
  for (const { agent } of agents) {
    await db.run(sql`delete from events where agent = ${agent} and kind = ${eventsLetGo}`);
    recordEvent(db, at, { scope: { agent }, kind: eventsLetGo, detail: { before: until } });
  }
  return size;
}

/** Days for which the same message may be sent again, so its id is kept that long. */
const minRepeatDays = 2;

async function dropDeliveries(db: Database, tables: readonly Table[], at: string, days: number): Promise<RowSize> {
  let { count, bytes } = await dropMessages(db, at, before(at, Math.max(days, minRepeatDays)));
  for (const { name, keep } of tables) {
    if (!keep) continue;
    const old = doneWith(keep.when, at, before(at, keep.just ? (keep.days ?? 0) : Math.max(days, keep.days ?? 0)));
    const size = await sizeOf(db, name, keep.size, old);
    await db.run(sql`delete from ${raw(name)} where ${old}`);
    count += size.count;
    bytes += size.bytes;
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
 * Deletes messages that were answered or withdrawn, with their replies. Their events may stay, so an event says that they were
 * deleted. A message that may be posted again, and whose payment became cycles, is kept: it would be credited twice.
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
  const repliesOf = sql`exists (select 1 from inbox where inbox.agent = outbox.agent and inbox.id = outbox.message
    and ${old})`;
  const replies = await sizeOf(db, "outbox", "body", repliesOf);
  await dropFromChains(db, old);
  await db.run(sql`delete from outbox where ${repliesOf}`);
  await db.run(sql`delete from inbox where ${old}`);
  for (const { agent } of agents) {
    await db.run(sql`delete from events where agent = ${agent} and kind = ${messagesLetGo}`);
    recordEvent(db, at, { scope: { agent }, kind: messagesLetGo, detail: { before: until } });
  }
  return { count: messages.count + replies.count, bytes: messages.bytes + replies.bytes };
}

/**
 * Deletes the rows of messages on blockchains. Their ids are remembered, because a blockchain keeps them for good; but a message
 * that was withdrawn with its block may be posted again, and is new then.
 */
async function dropFromChains(db: Database, old: Query): Promise<void> {
  const ofMessages = (column: string) => sql`exists (select 1 from inbox where inbox.agent = ${raw(column)}.agent
    and inbox.id = ${raw(column)}.message and ${old})`;
  const included = sql`select agent, message as id from chain_messages where withdrawn = 0 and ${ofMessages("chain_messages")}`;
  await rememberIds(db, await db.all<{ agent: string; id: string }>(included), neverExpires);
  for (const table of ["chain_replies", "chain_messages"])
    await db.run(sql`delete from ${raw(table)} where ${ofMessages(table)}`);
}

/** Deletes the bytes of attachments that no turn since then came with. Their rows stay. */
async function blankAttachments(db: Database, until: string, at: string): Promise<RowSize> {
  const old = sql`erased_at is null and not ${namedByTurn(sql`t.started_at >= ${until}`)}`;
  const size = await sizeOf(db, "attachments", "body", old);
  await db.run(sql`update attachments set body = ${new Uint8Array()}, erased_at = ${at} where ${old}`);
  return size;
}
