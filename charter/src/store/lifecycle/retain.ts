import { Problem } from "../../prompt/problem.ts";
import { erasedFeesDays } from "../chain/chain-fees.ts";
import { forGood, rememberIds } from "../conversations/message-ids.ts";
import type { StoreDeps } from "../deps.ts";
import { eventsLetGo, imported, keyIsNew, messagesLetGo, messageTaken, notesVouched, recordEvent } from "../event.ts";
import type { Database } from "../home/database.ts";
import { listOf, type Query, raw, sql } from "../home/sql.ts";
import { sweepTexts } from "./sweep.ts";
import { letGoAttachments } from "./sweep-attachments.ts";

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
      const alone = db.dialect.lockTable("texts");
      if (alone) await db.run(alone);
      const steps = receipts === undefined ? nothing : await blankReceipts(db, before(at, receipts), at);
      const old = events === undefined ? nothing : await dropEvents(db, before(at, events), at);
      const delivered = deliveries === undefined ? nothing : await dropDeliveries(db, at, deliveries);
      const files = attachments === undefined ? nothing : await letGoAttachments(db, before(at, attachments), at);
      const swept = await sweepTexts(db, texts);
      const bytes = steps.bytes + old.bytes + delivered.bytes + files.bytes + swept.bytes;
      const counts = { receipts: steps.count, events: old.count, deliveries: delivered.count };
      went = { ...counts, attachments: files.count, texts: swept.texts, bytes };
      if (dryRun) throw new Error("It was only a trial: nothing of it is kept.");
    });
    await home.vacuum();
  } catch (error) {
    if (!dryRun || went === undefined) throw error;
  }
  return went as RetainResult;
}

type DroppedRows = { readonly count: number; readonly bytes: number };
const nothing: DroppedRows = { count: 0, bytes: 0 };

function before(at: string, days: number): string {
  const time = Date.parse(at) - days * 86_400_000;
  if (days >= 0 && Number.isSafeInteger(days) && !Number.isNaN(new Date(time).getTime()))
    return new Date(time).toISOString();
  throw new Problem("usage", `${days} is no number of days.`, "Give a whole number from 0 up.");
}

async function blankReceipts(db: Database, until: string, at: string): Promise<DroppedRows> {
  const old = sql`erased_at is null and at < ${until}`;
  const gone = await measured(db, "steps", "came", old);
  await db.run(sql`update steps set erased_at = ${at}, came = ${null}, came_digest = ${at} where ${old}`);
  return gone;
}

async function dropEvents(db: Database, until: string, at: string): Promise<DroppedRows> {
  // What says whose words a turn worked on stays: without it they could not be erased. So does what says that events went,
  // or that something came from elsewhere: without it that would come again, with those who were erased. And who vouched
  // for notes: it is why they are own words, and can be taken back.
  const kept = [messageTaken, eventsLetGo, messagesLetGo, imported, notesVouched, keyIsNew];
  const old = sql`at < ${until} and kind not in ${listOf(kept)}`;
  const gone = await measured(db, "events", "detail", old);
  const agents = await db.all<{ agent: string }>(sql`select agent from events where ${old} group by agent
    union select name from agents where not exists (select 1 from events where events.agent = agents.name)`);
  await db.run(sql`delete from events where ${old}`);
  for (const { agent } of agents) {
    await db.run(sql`delete from events where agent = ${agent} and kind = ${eventsLetGo}`);
    await recordEvent(db, at, { scope: { agent }, kind: eventsLetGo, detail: { before: until } });
  }
  return gone;
}

/** So many days a channel may tell of the same update again: so long it is known. */
const toldAgain = 2;

async function dropDeliveries(db: Database, at: string, days: number): Promise<DroppedRows> {
  const until = before(at, days);
  const rows = [
    ["updates", "body", sql`state in ('done', 'dead') and at < ${before(at, Math.max(days, toldAgain))}`],
    ["dispatches", "body", sql`state in ('sent', 'dead') and at < ${until}`],
    ["runs", "because", sql`ended_at < ${until}`],
    ["link_codes", "digest", sql`expires_at < ${until}`],
    ["chain_replies", "fee", sql`state = 'erased' and at < ${before(at, erasedFeesDays)}`],
    ["message_ids", "digest", sql`until < ${at}`],
  ] as const;
  let { count, bytes } = await dropMessages(db, at, before(at, Math.max(days, toldAgain)));
  for (const [table, column, old] of rows) {
    const gone = await measured(db, table, column, old);
    await db.run(sql`delete from ${raw(table)} where ${old}`);
    count += gone.count;
    bytes += gone.bytes;
  }
  return { count, bytes };
}

/**
 * Messages that were answered or withdrawn, and the replies. Their events may stay: so it is said that they went. One that
 * may come again, and whose payment became cycles, is kept: it would be paid for twice.
 */
async function dropMessages(db: Database, at: string, until: string): Promise<DroppedRows> {
  const old = sql`status in ('answered', 'withdrawn') and at < ${until}
    and not exists (select 1 from outbox o where o.agent = inbox.agent and o.message = inbox.id and o.at >= ${until})
    and not exists (select 1 from events e where e.agent = inbox.agent and e.user_id = inbox.user_id
      and e.kind = 'message-dead' and e.at >= ${until})
    and not exists (select 1 from chain_replies r where r.agent = inbox.agent and r.message = inbox.id
      and r.state not in ('final', 'failed'))
    and not exists (select 1 from chain_messages c where c.agent = inbox.agent and c.message = inbox.id
      and c.withdrawn = 1 and c.cycles is not null)`;
  const messages = await measured(db, "inbox", "body", old);
  if (messages.count === 0) return nothing;
  const agents = await db.all<{ agent: string }>(sql`select agent from inbox where ${old} group by agent`);
  const theirs = sql`exists (select 1 from inbox where inbox.agent = outbox.agent and inbox.id = outbox.message
    and ${old})`;
  const replies = await measured(db, "outbox", "body", theirs);
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

async function measured(
  db: Database,
  table: string,
  column: string,
  where: ReturnType<typeof sql>,
): Promise<DroppedRows> {
  const row =
    await db.one<DroppedRows>(sql`select count(*) as count, coalesce(sum(octet_length(${raw(column)})), 0) as bytes
    from ${raw(table)} where ${where}`);
  return { count: Number(row?.count), bytes: Number(row?.bytes) };
}
