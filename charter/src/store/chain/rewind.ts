import { lockInbox } from "../conversations/post-message.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent, recordEvents } from "../event.ts";
import type { Database } from "../home/database.ts";
import { chunks, listOf, sql } from "../home/sql.ts";
import { isAt, lockChain, ofPlace, ownCursor } from "./chain-cursor.ts";
import type { BlockName, ChainPlace } from "./chain-message.ts";

/** A reorganisation that was noticed. */
export type ChainRewind = {
  /** Who has to be in charge. */
  readonly runner: string;
  /** Where the cursor was when it was noticed: if another has moved it since, nothing happens. */
  readonly before: BlockName | undefined;
  /** The last block that is still part of the chain; nothing, where none of those that are kept is. */
  readonly common: BlockName | undefined;
};

/** What came of it, in numbers of messages. `moved`: the cursor was moved back. */
export type RewindResult = { readonly moved: boolean; readonly orphaned: number; readonly withdrawn: number };

/**
 * Goes back, within a transaction, to the last block that is still part of the chain. Messages of later blocks are
 * orphaned, and those of them that wait are withdrawn; whatever is being worked on or was answered stays what it is.
 */
export async function rewindCursor(
  db: Database,
  { now }: Pick<StoreDeps, "now">,
  place: ChainPlace,
  { runner, before, common }: ChainRewind,
): Promise<RewindResult> {
  const { agent } = place;
  await lockInbox(db, agent);
  await lockChain(db, agent);
  const cursor = await ownCursor(db, place, runner);
  if (!cursor || !isAt(cursor, before)) return { moved: false, orphaned: 0, withdrawn: 0 };
  const at = now();
  const after = common?.block ?? -1;
  const gone = sql`${ofPlace(place)} and state = 'included' and block > ${after}`;
  const rows = await db.all<{ message: string; user_id: string }>(
    sql`select message, user_id from chain_messages where ${gone} order by message`,
  );
  const messages = rows.map(({ message }) => message);
  const waiting = await withdrawWaiting(db, agent, messages);
  await db.run(sql`update chain_messages set state = 'orphaned' where ${gone}`);
  // Deeper than was thought possible: what was taken for final is looked after again.
  await db.run(sql`update chain_replies set state = 'mined' where ${ofPlace(place)} and state = 'final'
    and block > ${after}`);
  await db.run(sql`delete from chain_blocks where ${ofPlace(place)} and block > ${after}`);
  await db.run(sql`update chain_cursors set block = ${common?.block ?? null}, hash = ${common?.hash ?? null},
    read_at = ${at} where ${ofPlace(place)}`);
  const events = rows.map(({ message, user_id: user }) => {
    const kind = waiting.has(message) ? "message-withdrawn" : "message-orphaned";
    return { at, scope: { agent, user }, kind, detail: { message, by: "chain" } };
  });
  for (const some of chunks(events)) await recordEvents(db, some);
  const detail = { chain: place.chain, from: before?.block ?? null, to: common?.block ?? null, messages: rows.length };
  await recordEvent(db, at, { scope: { agent }, kind: "chain-reorganised", detail });
  return { moved: true, orphaned: rows.length, withdrawn: waiting.size };
}

/**
 * Those of them that wait. They are named, some at a time: joined by the database, thousands took seconds where it had not
 * yet learned that they are many.
 */
async function withdrawWaiting(db: Database, agent: string, messages: readonly string[]): Promise<ReadonlySet<string>> {
  const waiting = new Set<string>();
  for (const some of chunks(messages)) {
    const rows = await db.all<{ id: string }>(sql`select id from inbox where agent = ${agent} and id in ${listOf(some)}
      and status = 'waiting'`);
    if (rows.length === 0) continue;
    const those = listOf(rows.map(({ id }) => id));
    await db.run(sql`update chain_messages set withdrawn = 1 where agent = ${agent} and message in ${those}`);
    await db.run(sql`update inbox set status = 'withdrawn' where agent = ${agent} and id in ${those}`);
    for (const { id } of rows) waiting.add(id);
  }
  return waiting;
}
