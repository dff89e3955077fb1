import { findAgent, requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import { insertInto, lockAgainstErasure, lockNamed, matching, putInto, recordOf } from "../home/query.ts";
import { listOf, type Query, raw, sql } from "../home/sql.ts";
import type { RecordOf, RowOf } from "../home/table.ts";
import { type Claimant, takeLease } from "../lease.ts";
import type { BlockName, ChainPlace } from "./chain-message.ts";
import { chainCursors } from "./chain-tables.ts";

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
