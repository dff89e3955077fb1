import { createHash } from "node:crypto";
import { findAgent, requireAgent } from "../agents.ts";
import type { InboxMessage } from "../conversations/inbox-row.ts";
import { lockInbox } from "../conversations/post-message.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent, recordEvents } from "../event.ts";
import type { Database } from "../home/database.ts";
import { insertInto, lockAgainstErasure, lockNamed, matching, putInto, recordOf } from "../home/query.ts";
import { chunks, listOf, type Query, raw, sql } from "../home/sql.ts";
import {
  code,
  count,
  digest,
  id,
  name,
  oneOf,
  type RecordOf,
  type RowOf,
  table,
  text,
  time,
  truth,
} from "../home/table.ts";
import { counterpart, counterpartOf } from "../scope.ts";
import { type Claimant, takeLease } from "../work.ts";

/** Number of days for which the fees of an erased user's replies stay known: longer than the day whose sum they are part of. */
export const erasedFeesDays = 2;

// Blockchain rows are read and written beside turns: within a scope they do not change.
const cached = { none: "what was learned about models, and what a chain can be asked again" };

/** Cursors: the last block that was read, by number and hash (null until the first), and the process that reads and sends. */
export const chainCursors = table(
  "chain_cursors",
  { of: "agent", key: ["agent", "chain", "contract"], isByKey: true, proof: cached },
  {
    chain: count(),
    contract: name(),
    /** First block that was to be read. */
    start: count().nullable(),
    block: count().nullable(),
    hash: digest().nullable(),
    /** Newest block there was when the chain was last read. */
    head: count().nullable(),
    /** Number of posts in blocks that are not final yet. */
    unconfirmed: count().usual(0),
    readAt: time().nullable(),
    /** Reason why the chain cannot be read; null while it can. */
    problem: text().nullable(),
    /** Process that reads and sends (“host:pid”), and the end of its lease. */
    runner: name().nullable().passing(),
    leasedUntil: time().nullable().passing(),
    /** Address of the agent on this chain; null if the agent was last started with another chain. */
    address: name().nullable(),
  },
);

/** Hashes of blocks that were read: they show the last block that is still part of the chain. */
export const chainBlocks = table(
  "chain_blocks",
  { of: "agent", key: ["agent", "chain", "contract", "block"], isByKey: true, proof: cached },
  { chain: count(), contract: name(), block: count(), hash: digest() },
);

/** Places of inbox messages on the blockchain. Amounts of wei are texts, because they are too large for numbers. */
export const chainMessages = table(
  "chain_messages",
  {
    of: "user",
    key: ["agent", "message"],
    indexes: {
      chain_messages_block: "(agent, chain, contract, block)",
      chain_messages_paid: "(agent, chain, contract, block) where cycles is null and value <> '0'",
      chain_messages_user: "(user_id, agent)",
    },
  },
  {
    message: id().refers("inbox", "its place on the chain is there", { unless: "state = 'erased'" }),
    chain: count(),
    contract: name(),
    /** Id that the contract gave the message. */
    onChain: id(),
    tx: digest(),
    /** Index of the post among those to this agent in its transaction, from 0. */
    place: count(),
    block: count(),
    blockHash: digest(),
    /** Payment in wei. */
    value: code(),
    /** Place of the message. `orphaned`: its block is no longer part of the chain. */
    state: oneOf("included", "orphaned"),
    /** Shows that the message was still waiting when its block was orphaned. */
    withdrawn: truth().usual(0).inner().hidden(),
    at: time(),
    /** Cycles that its payment became, once; null until then. */
    cycles: count().nullable().hidden(),
  },
);

/** Transactions of replies as they were signed, stored before they are sent. */
export const chainReplies = table(
  "chain_replies",
  {
    of: "user",
    key: ["agent", "reply"],
    indexes: {
      chain_replies_message: "(agent, message)",
      chain_replies_state: "(agent, state, at)",
      chain_replies_user: "(user_id, agent)",
    },
    // Fees of erased users' replies count for some days.
    keep: { when: "state = 'erased' and at < {until}", days: erasedFeesDays, just: true, size: "fee" },
  },
  {
    /** Id of the reply in the outbox. */
    reply: id().refers("outbox", "its place on the chain is there", { unless: "state = 'erased'" }),
    message: id(),
    chain: count().hidden(),
    contract: name().hidden(),
    /** Id that the contract gave the message when the transaction was signed: with another id, another transaction is needed. */
    onChain: id(),
    /**
     * State of the reply.
     * - `waiting`: nothing was done yet.
     * - `signed`: its transaction is stored, and may have been sent.
     * - `sent`: a node took it.
     * - `mined`: it is in a block that is not final yet.
     * - `final`: its block is final.
     * - `held`: it would cost more than it may.
     * - `failed`: it will not be sent.
     */
    state: oneOf("waiting", "signed", "sent", "mined", "final", "held", "failed"),
    raw: text().nullable().inner(),
    tx: digest().nullable(),
    nonce: count().nullable(),
    /** Maximum cost in wei; the actual cost once it is mined. */
    fee: code().nullable(),
    at: time(),
    sentAt: time().nullable(),
    block: count().nullable(),
    blockHash: digest().nullable(),
    /** Reason why it is held or has failed, or why it cannot get to the chain for now; that is tried again by itself. */
    reason: text().nullable(),
  },
);

/** Balances of an agent's address on a chain, as they were last read. */
export const chainBalances = table(
  "chain_balances",
  { of: "agent", key: ["agent", "chain", "asset"], isByKey: true, proof: cached },
  {
    chain: count().hidden(),
    /** “ETH”, or a token's address. */
    asset: name(),
    /** Amount in the smallest unit. */
    amount: code(),
    decimals: count(),
    symbol: text(),
    block: count(),
    readAt: time(),
  },
);

/** The contract that is an agent's inbox on a chain, by the chain's number and the contract's address. */
export type ChainPlace = { readonly agent: string; readonly chain: number; readonly contract: string };

/** A block, by its number and hash. */
export type BlockName = { readonly block: number; readonly hash: string };

/** Place of an inbox message on its chain. */
export type ChainMessage = Omit<RecordOf<typeof chainMessages>, "scope"> & { readonly sender: string };

/** Post to an agent on a chain, as the contract's event tells it. */
export type ChainPost = Omit<ChainMessage, "message" | "chain" | "contract" | "state" | "at"> & {
  readonly body: string;
  /** Reason why it gets no turn. */
  readonly dead?: string;
};

export function chainMessageOf(row: RowOf<typeof chainMessages>): ChainMessage {
  const { scope: _, ...message } = recordOf(chainMessages, row);
  return { ...message, sender: counterpartOf(row.user_id) };
}

const wordOfNode = "node's word/";

/**
 * Returns the counterpart of a post that only one node vouches for: it is not the same as the one who has proven the address. No
 * token has such a name.
 */
export function unprovenSender(address: string): string {
  return `${wordOfNode}${address}`;
}

/** Tells whether only one node vouches for a sender. */
export function isUnproven(sender: string): boolean {
  return sender.startsWith(wordOfNode);
}

/** Returns the address of a sender, proven or not. */
function addressIn(sender: string): string {
  return counterpart(isUnproven(sender) ? sender.slice(wordOfNode.length) : sender);
}

/** Returns the inbox id of a post: it is the same, whichever block its transaction is in. */
export function chainMessageId(
  { chain, contract }: ChainPlace,
  { tx, place }: Pick<ChainPost, "tx" | "place">,
): string {
  return `chain:${chain}:${contract.toLowerCase()}:${tx.toLowerCase()}:${place}`;
}

/**
 * Returns the id of a post whose transaction had other contents in another block: a contract may post what depends on the block.
 * The first post stays as it was.
 */
export function otherMessageId(place: ChainPlace, post: Pick<ChainPost, "tx" | "place" | "sender" | "body">): string {
  const contents = JSON.stringify([addressIn(post.sender), post.body]);
  const digest = createHash("sha256").update(contents).digest("hex");
  return `${chainMessageId(place, post)}:${digest.slice(0, 16)}`;
}

/** Row that is stored under the id of a post. */
export type KnownPost = {
  readonly status: InboxMessage["status"];
  readonly sender: string;
  readonly body: string;
  /** State on the chain; null if nothing of the chain is known of it. */
  readonly state: ChainMessage["state"] | null;
  /** Flag, 1 if the message was waiting when its block was orphaned. */
  readonly withdrawn: number | null;
};

/**
 * Result of comparing a post with the store: it is `new`; it is included `again`, and `waits` again if it did before; or another
 * post, which stays, is stored under its id (`other`).
 */
type PostFate = "new" | "again" | "waits" | "other";

export function fateOf(post: Pick<ChainPost, "sender" | "body">, known: KnownPost | undefined): PostFate {
  if (!known) return "new";
  if (known.state === null || addressIn(known.sender) !== addressIn(post.sender) || known.body !== post.body)
    return "other";
  return known.withdrawn === 1 && known.status === "withdrawn" ? "waits" : "again";
}

/** Position up to which a chain was read for an agent. */
export type ChainCursor = Omit<RecordOf<typeof chainCursors>, "block" | "hash"> & {
  /** Last block that was read; undefined before the first. */
  readonly last: BlockName | undefined;
};

/** Returns the key of a contract's rows: its address is stored in lower case. */
export function placeOf({ agent, chain, contract }: ChainPlace): ChainPlace {
  return { agent, chain, contract: contract.toLowerCase() };
}

/** Returns the condition for the rows of one contract. */
export const ofPlace = (place: ChainPlace): Query => matching(placeOf(place));

/** Lists an agent's cursors, or the one of a contract. */
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

/** Takes charge of reading and sending, if no other process has it. */
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

/** The contract that is an agent's inbox now, the agent's own address there, and the assets whose balances it is told. */
export type KeptChain = Omit<ChainPlace, "agent"> & {
  readonly address: string;
  readonly assets: readonly string[];
};

/**
 * Clears what was read of an agent's other chains: the newest block, and the balances. The cursors stay, so that reading
 * continues from there if such a chain becomes the agent's again.
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

/** Tells whether an agent is there and not removed, and takes the lock against erasure for this transaction. */
export async function isInUse(db: Database, agent: string): Promise<boolean> {
  await lockAgainstErasure(db);
  const record = await findAgent(db, agent);
  return record !== undefined && record.removedAt === undefined;
}

/** Takes the lock on what is stored of an agent's chain: only one process changes it at a time. */
export const lockChain = (db: Database, agent: string): Promise<void> => lockNamed(db, ["chain", agent]);

/** Returns the cursor, if this process is in charge of it. */
export async function ownCursor(db: Database, place: ChainPlace, runner: string): Promise<ChainCursor | undefined> {
  const cursor = await findCursor(db, place);
  return cursor?.runner === runner ? cursor : undefined;
}

/** Tells whether the cursor is still where the caller saw it. */
export function isAt({ last }: Pick<ChainCursor, "last">, seen: BlockName | undefined): boolean {
  return last?.block === seen?.block && last?.hash === seen?.hash;
}

/** A reorganisation of the chain that was noticed. */
export type ChainRewind = {
  /** Process that has to be in charge. */
  readonly runner: string;
  /** Cursor when the reorganisation was noticed: if another process has moved it since, nothing happens. */
  readonly before: BlockName | undefined;
  /** Last block that is still part of the chain; undefined if none of the stored blocks is. */
  readonly common: BlockName | undefined;
};

/** Result of a rewind, in numbers of messages. `moved`: the cursor was moved back. */
export type RewindResult = { readonly moved: boolean; readonly orphaned: number; readonly withdrawn: number };

/**
 * Goes back to the last block that is still part of the chain, in the caller's transaction. Messages of later blocks are
 * orphaned, and those of them that wait are withdrawn; what is being worked on or was answered stays as it is.
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
  const orphaned = sql`${ofPlace(place)} and state = 'included' and block > ${after}`;
  const rows = await db.all<{ message: string; user_id: string }>(
    sql`select message, user_id from chain_messages where ${orphaned} order by message`,
  );
  const messages = rows.map(({ message }) => message);
  const waiting = await withdrawWaiting(db, agent, messages);
  await db.run(sql`update chain_messages set state = 'orphaned' where ${orphaned}`);
  // A reorganisation deeper than expected: replies that were taken for final are watched again.
  await db.run(sql`update chain_replies set state = 'mined' where ${ofPlace(place)} and state = 'final'
    and block > ${after}`);
  await db.run(sql`delete from chain_blocks where ${ofPlace(place)} and block > ${after}`);
  await db.run(sql`update chain_cursors set block = ${common?.block ?? null}, hash = ${common?.hash ?? null},
    read_at = ${at} where ${ofPlace(place)}`);
  const events = rows.map(({ message, user_id: user }) => {
    const kind = waiting.has(message) ? "message-withdrawn" : "message-orphaned";
    return { at, scope: { agent, user }, kind, detail: { message, by: "chain" } };
  });
  for (const some of chunks(events)) recordEvents(db, some);
  const detail = { chain: place.chain, from: before?.block ?? null, to: common?.block ?? null, messages: rows.length };
  recordEvent(db, at, { scope: { agent }, kind: "chain-reorganised", detail });
  return { moved: true, orphaned: rows.length, withdrawn: waiting.size };
}

/**
 * Withdraws the messages that wait, and returns their ids. The query names them, some at a time: a join of thousands took seconds
 * while the database did not yet know that they are many.
 */
async function withdrawWaiting(db: Database, agent: string, messages: readonly string[]): Promise<ReadonlySet<string>> {
  const waiting = new Set<string>();
  for (const some of chunks(messages)) {
    const rows = await db.all<{ id: string }>(sql`select id from inbox where agent = ${agent} and id in ${listOf(some)}
      and status = 'waiting'`);
    if (rows.length === 0) continue;
    const ids = listOf(rows.map(({ id }) => id));
    await db.run(sql`update chain_messages set withdrawn = 1 where agent = ${agent} and message in ${ids}`);
    await db.run(sql`update inbox set status = 'withdrawn' where agent = ${agent} and id in ${ids}`);
    for (const { id } of rows) waiting.add(id);
  }
  return waiting;
}
