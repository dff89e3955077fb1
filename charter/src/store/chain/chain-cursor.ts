import { findAgent, requireAgent } from "../agents.ts";
import { lockInbox } from "../conversations/post-message.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent, recordEvents } from "../event.ts";
import type { Database } from "../home/database.ts";
import { insertInto, lockAgainstErasure, lockNamed, matching, putInto, recordOf } from "../home/query.ts";
import { chunks, listOf, type Query, raw, sql } from "../home/sql.ts";
import type { RecordOf, RowOf } from "../home/table.ts";
import { type Claimant, takeLease } from "../work.ts";
import { type BlockName, type ChainPlace, chainCursors } from "./chain-message.ts";

/** How far a chain was read for an agent. */
export type ChainCursor = Omit<RecordOf<typeof chainCursors>, "block" | "hash"> & {
  /** The last block that was read; nothing, until the first was. */
  readonly last: BlockName | undefined;
};

/** Where rows of one contract stand: its address is kept without capitals. */
export function placeOf({ agent, chain, contract }: ChainPlace): ChainPlace {
  return { agent, chain, contract: contract.toLowerCase() };
}

/** The rows of one contract. */
export const ofPlace = (place: ChainPlace): Query => matching(placeOf(place));

/** All of an agent's, or the one of a contract. */
export async function listCursors(db: Database, where: Query): Promise<ChainCursor[]> {
  const rows = await db.all<RowOf<typeof chainCursors>>(sql`select * from chain_cursors where ${where}
    order by chain, contract`);
  return rows.map((row) => {
    const { block, hash, ...cursor } = recordOf(chainCursors, row);
    return { ...cursor, last: block === null || hash === null ? undefined : { block, hash } };
  });
}

export async function findCursor(db: Database, place: ChainPlace): Promise<ChainCursor | undefined> {
  return (await listCursors(db, ofPlace(place)))[0];
}

/** Takes charge of reading and sending, if nobody else has it. */
export async function claimCursor(
  db: Database,
  { now }: Pick<StoreDeps, "now">,
  place: ChainPlace,
  about: Claimant,
): Promise<ChainCursor | undefined> {
  await requireAgent(db, place.agent);
  await lockChain(db, place.agent);
  await db.run(sql`${insertInto(chainCursors, placeOf(place))} on conflict (agent, chain, contract) do nothing`);
  const taken = await takeLease(db, "chain_cursors", ofPlace(place), now(), about);
  return taken ? findCursor(db, place) : undefined;
}

/** The contract that is an agent's inbox now, its own address there, and of what it has there it is told. */
export type KeptChain = Omit<ChainPlace, "agent"> & {
  readonly address: string;
  readonly assets: readonly string[];
};

/**
 * What was read of an agent's other chains says nothing any more: how far they were, and what it had there. Where each
 * was left stays known, so that it goes on from there if it is the agent's again.
 */
export async function leaveOthers(db: Database, agent: string, kept: KeptChain | undefined): Promise<void> {
  const isThere = await isInUse(db, agent);
  await lockChain(db, agent);
  const place = kept && ofPlace({ agent, ...kept });
  const balances = kept && sql`chain = ${kept.chain} and asset in ${listOf(kept.assets)}`;
  await db.run(sql`update chain_cursors set head = ${null}, unconfirmed = ${0}, read_at = ${null}, problem = ${null},
    address = ${null} where agent = ${agent} and not (${place ?? raw("1 = 0")})`);
  if (kept && isThere) await db.run(putInto(chainCursors, { ...placeOf({ agent, ...kept }), address: kept.address }));
  await db.run(sql`delete from chain_balances where agent = ${agent} and not (${balances ?? raw("1 = 0")})`);
}

/** Whether an agent is there and was not removed; while this transaction goes on, nothing of it is erased. */
export async function isInUse(db: Database, agent: string): Promise<boolean> {
  await lockAgainstErasure(db);
  const found = await findAgent(db, agent);
  return found !== undefined && found.removedAt === undefined;
}

/** Those who move what is kept of an agent's chain do so one after the other. */
export const lockChain = (db: Database, agent: string): Promise<void> => lockNamed(db, ["chain", agent]);

/** Where the cursor is, if this process is in charge of it. */
export async function ownCursor(db: Database, place: ChainPlace, runner: string): Promise<ChainCursor | undefined> {
  const cursor = await findCursor(db, place);
  return cursor?.runner === runner ? cursor : undefined;
}

/** Whether the cursor is where whoever moves it has seen it. */
export function isAt({ last }: Pick<ChainCursor, "last">, seen: BlockName | undefined): boolean {
  return last?.block === seen?.block && last?.hash === seen?.hash;
}

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
