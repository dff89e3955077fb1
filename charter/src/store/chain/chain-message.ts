import { createHash } from "node:crypto";
import { findAgent, requireAgent } from "../agents.ts";
import { counterpart, counterpartOf, type InboxMessage } from "../conversations/inbox-row.ts";
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
import { type Claimant, takeLease } from "../work.ts";

/** So many days it stays known what an erased user's replies have cost: more than the one whose sum it is part of. */
export const erasedFeesDays = 2;

// The chain is read, and written to, beside turns: in a scope nothing of it is changed.
const asked = { none: "what was learned about models, and what a chain can be asked again" };

/** The last block that was read, by number and hash; nothing until the first was. Who reads and sends, and until when. */
export const chainCursors = table(
  "chain_cursors",
  { of: "agent", key: ["agent", "chain", "contract"], isByKey: true, proof: asked },
  {
    chain: count(),
    contract: name(),
    /** The first block that was to be read. */
    start: count().nullable(),
    block: count().nullable(),
    hash: digest().nullable(),
    /** The newest block there was, when it was last read. */
    head: count().nullable(),
    /** How many posts stood in blocks that may still go. */
    unconfirmed: count().usual(0),
    readAt: time().nullable(),
    /** What keeps it from being read; null while it is. */
    problem: text().nullable(),
    /** The process that reads and sends (“host:pid”), and until when. */
    runner: name().nullable().passing(),
    leasedUntil: time().nullable().passing(),
    /** The agent's address there; null where the chain is not the one it was last started with. */
    address: name().nullable(),
  },
);

/** Hashes of blocks that were read: by them the last block is found that is still part of the chain. */
export const chainBlocks = table(
  "chain_blocks",
  { of: "agent", key: ["agent", "chain", "contract", "block"], isByKey: true, proof: asked },
  { chain: count(), contract: name(), block: count(), hash: digest() },
);

/** Where a message of the inbox stands on the chain. Amounts of wei are texts: no number holds them. */
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
    /** What the contract calls it. */
    onChain: id(),
    tx: digest(),
    /** The how-manyth post to this agent in its transaction, from 0. */
    place: count(),
    block: count(),
    blockHash: digest(),
    /** What was paid, in wei. */
    value: code(),
    /** `orphaned`: its block is no part of the chain any more. */
    state: oneOf("included", "orphaned"),
    /** It waited when its block went. */
    withdrawn: truth().usual(0).inner().hidden(),
    at: time(),
    /** How many cycles what it paid became, once; null until then. */
    cycles: count().nullable().hidden(),
  },
);

/** The transaction of a reply as it was signed, kept before it is sent. */
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
    // Of those who were erased, what their replies cost counts for so many days.
    keep: { when: "state = 'erased' and at < {until}", days: erasedFeesDays, just: true, size: "fee" },
  },
  {
    /** The id of the reply in the outbox. */
    reply: id().refers("outbox", "its place on the chain is there", { unless: "state = 'erased'" }),
    message: id(),
    chain: count().hidden(),
    contract: name().hidden(),
    /** What the contract called the message when the transaction was signed: another name, another transaction. */
    onChain: id(),
    /**
     * `waiting`: nothing was done yet. `signed`: its transaction is kept, and may have been sent. `sent`: an address of the
     * chain took it. `mined`: it stands in a block that may still go. `final`: it does not go any more. `held`: it would
     * cost more than it may. `failed`: it will not be sent.
     */
    state: oneOf("waiting", "signed", "sent", "mined", "final", "held", "failed"),
    raw: text().nullable().inner(),
    tx: digest().nullable(),
    nonce: count().nullable(),
    /** The most it may cost, in wei; what it did cost, once it is mined. */
    fee: code().nullable(),
    at: time(),
    sentAt: time().nullable(),
    block: count().nullable(),
    blockHash: digest().nullable(),
    /** Why it is held or has failed; or what keeps one from getting to the chain that is tried again by itself. */
    reason: text().nullable(),
  },
);

/** What an agent's address has on a chain, as it was last read. */
export const chainBalances = table(
  "chain_balances",
  { of: "agent", key: ["agent", "chain", "asset"], isByKey: true, proof: asked },
  {
    chain: count().hidden(),
    /** “ETH”, or a token's address. */
    asset: name(),
    /** In the smallest unit. */
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

/** Where a message of the inbox stands on its chain. */
export type ChainMessage = Omit<RecordOf<typeof chainMessages>, "scope"> & { readonly sender: string };

/** What was posted to an agent on a chain, as the contract's event tells it. */
export type ChainPost = Omit<ChainMessage, "message" | "chain" | "contract" | "state" | "at"> & {
  readonly body: string;
  /** Why it gets no turn. */
  readonly dead?: string;
};

export function chainMessageOf(row: RowOf<typeof chainMessages>): ChainMessage {
  const { scope: _, ...message } = recordOf(chainMessages, row);
  return { ...message, sender: counterpartOf(row.user_id) };
}

const wordOfNode = "node's word/";

/**
 * The counterpart of a post that nothing proves but what one node says: not the same as whoever has proven the address. No
 * token has such a name.
 */
export function unprovenSender(address: string): string {
  return `${wordOfNode}${address}`;
}

/** Only one node says that it is from there. */
export function isUnproven(sender: string): boolean {
  return sender.startsWith(wordOfNode);
}

/** The address of a sender, proven or not. */
function addressIn(sender: string): string {
  return counterpart(isUnproven(sender) ? sender.slice(wordOfNode.length) : sender);
}

/** The id a post has in the inbox: the same, whichever block its transaction is in. */
export function chainMessageId(
  { chain, contract }: ChainPlace,
  { tx, place }: Pick<ChainPost, "tx" | "place">,
): string {
  return `chain:${chain}:${contract.toLowerCase()}:${tx.toLowerCase()}:${place}`;
}

/**
 * The id of a post whose transaction said something else when it was in another block: a contract may post what depends
 * on the block. What was said there stays what it was.
 */
export function otherMessageId(place: ChainPlace, post: Pick<ChainPost, "tx" | "place" | "sender" | "body">): string {
  const contents = JSON.stringify([addressIn(post.sender), post.body]);
  const digest = createHash("sha256").update(contents).digest("hex");
  return `${chainMessageId(place, post)}:${digest.slice(0, 16)}`;
}

/** What is kept under the id of a post. */
export type KnownPost = {
  readonly status: InboxMessage["status"];
  readonly sender: string;
  readonly body: string;
  /** Null where nothing of the chain is known of it. */
  readonly state: ChainMessage["state"] | null;
  /** 1: it waited when its block went. */
  readonly withdrawn: number | null;
};

/**
 * What becomes of a post: it is `new`; it is included `again`, and `waits` again if it did before; what is kept under
 * its id is `other`, and stays.
 */
type PostFate = "new" | "again" | "waits" | "other";

export function fateOf(post: Pick<ChainPost, "sender" | "body">, known: KnownPost | undefined): PostFate {
  if (!known) return "new";
  if (known.state === null || addressIn(known.sender) !== addressIn(post.sender) || known.body !== post.body)
    return "other";
  return known.withdrawn === 1 && known.status === "withdrawn" ? "waits" : "again";
}

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
