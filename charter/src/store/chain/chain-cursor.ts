import { requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import { listOf, type Query, raw, sql } from "../home/sql.ts";
import { endOfLease, isLeaseFree } from "../lease.ts";
import type { BlockName, ChainPlace } from "./chain-message.ts";

/** How far a chain was read for an agent. */
export type ChainCursor = ChainPlace & {
  /** The last block that was read; nothing, until the first was. */
  readonly last: BlockName | undefined;
  /** The first block that was to be read. */
  readonly start: number | null;
  /** The newest block there was, when it was last read. */
  readonly head: number | null;
  /** How many posts stood in blocks that may still go. */
  readonly unconfirmed: number;
  readonly readAt: string | null;
  /** What keeps it from being read; null while it is. */
  readonly problem: string | null;
  /** The process that reads and sends (“host:pid”), and until when. */
  readonly runner: string | null;
  readonly leasedUntil: string | null;
  /** The agent's address there; null where the chain is not the one it was last started with. */
  readonly address: string | null;
};

/** Who wants to read a chain and send to it, for how long, and which processes are known to be gone. */
export type ChainClaim = {
  readonly runner: string;
  readonly leaseMs: number;
  readonly isGone?: (runner: string) => boolean;
};

type ChainCursorRow = {
  agent: string;
  chain: number;
  contract: string;
  start_block: number | null;
  block: number | null;
  hash: string | null;
  head: number | null;
  unconfirmed: number;
  read_at: string | null;
  problem: string | null;
  runner: string | null;
  leased_until: string | null;
  address: string | null;
};

function cursorOf(row: ChainCursorRow): ChainCursor {
  const { agent, chain, contract, block, hash, head, unconfirmed, problem, runner, address } = row;
  return {
    ...{
      agent,
      chain,
      contract,
      start: row.start_block,
      head,
      unconfirmed,
      readAt: row.read_at,
      problem,
      runner,
      address,
    },
    last: block === null || hash === null ? undefined : { block, hash },
    leasedUntil: row.leased_until,
  };
}

/** The rows of one contract. */
export const ofPlace = ({ agent, chain, contract }: ChainPlace): Query =>
  sql`agent = ${agent} and chain = ${chain} and contract = ${contract.toLowerCase()}`;

export async function findCursor(db: Database, place: ChainPlace): Promise<ChainCursor | undefined> {
  const row = await db.one<ChainCursorRow>(sql`select * from chain_cursors where ${ofPlace(place)}`);
  return row && cursorOf(row);
}

export async function listCursors(db: Database, agent: string): Promise<ChainCursor[]> {
  const rows = await db.all<ChainCursorRow>(sql`select * from chain_cursors where agent = ${agent}
    order by chain, contract`);
  return rows.map(cursorOf);
}

/** Takes charge of reading and sending, if nobody else has it. */
export async function claimCursor(
  db: Database,
  { now }: Pick<StoreDeps, "now">,
  place: ChainPlace,
  { runner, leaseMs, isGone }: ChainClaim,
): Promise<ChainCursor | undefined> {
  const { agent, chain } = place;
  const contract = place.contract.toLowerCase();
  await requireAgent(db, agent);
  await lockChain(db, agent);
  await db.run(sql`insert into chain_cursors (agent, chain, contract, unconfirmed)
    values (${agent}, ${chain}, ${contract}, ${0}) on conflict (agent, chain, contract) do nothing`);
  const held = (await findCursor(db, place)) as ChainCursor;
  const at = now();
  if (!isLeaseFree(held, { runner, at, isGone })) return undefined;
  const until = endOfLease(at, leaseMs);
  await db.run(sql`update chain_cursors set runner = ${runner}, leased_until = ${until} where ${ofPlace(place)}`);
  return findCursor(db, place);
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
  await lockChain(db, agent);
  const place = kept && ofPlace({ agent, ...kept });
  const balances = kept && sql`chain = ${kept.chain} and asset in ${listOf(kept.assets)}`;
  await db.run(sql`update chain_cursors set head = ${null}, unconfirmed = ${0}, read_at = ${null}, problem = ${null},
    address = ${null} where agent = ${agent} and not (${place ?? raw("1 = 0")})`);
  if (kept)
    await db.run(sql`insert into chain_cursors (agent, chain, contract, unconfirmed, address)
      select name, ${kept.chain}, ${kept.contract.toLowerCase()}, ${0}, ${kept.address}
        from agents where name = ${agent} and removed_at is null
      on conflict (agent, chain, contract) do update set address = excluded.address`);
  await db.run(sql`delete from chain_balances where agent = ${agent} and not (${balances ?? raw("1 = 0")})`);
}

/** Those who move what is kept of an agent's chain do so one after the other. */
export async function lockChain(db: Database, agent: string): Promise<void> {
  const lock = db.dialect.lock(JSON.stringify(["chain", agent]));
  if (lock) await db.all(lock);
}

/** Where the cursor is, if this process is in charge of it. */
export async function ownCursor(db: Database, place: ChainPlace, runner: string): Promise<ChainCursor | undefined> {
  const cursor = await findCursor(db, place);
  return cursor?.runner === runner ? cursor : undefined;
}

/** Whether the cursor is where whoever moves it has seen it. */
export function isAt({ last }: Pick<ChainCursor, "last">, seen: BlockName | undefined): boolean {
  return last?.block === seen?.block && last?.hash === seen?.hash;
}

/** A block that a reply was judged by is kept as one of the chain: what a rewind took back is not. */
export function isKept({ block, hash }: BlockName): Query {
  return sql`and exists (select 1 from chain_blocks b where b.agent = chain_replies.agent
    and b.chain = chain_replies.chain and b.contract = chain_replies.contract and b.block = ${block} and b.hash = ${hash})`;
}
