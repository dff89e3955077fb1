import { requireAgent } from "../agents.ts";
import { inbox } from "../conversations/inbox-row.ts";
import { lockInbox, messageDigest, roundsOf } from "../conversations/post-message.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvents } from "../event.ts";
import type { Database } from "../home/database.ts";
import { insertAll } from "../home/query.ts";
import { chunks, listOf, type Query, sql } from "../home/sql.ts";
import { checkCounterpart, counterpartKey, counterpartOf } from "../scope.ts";
import {
  type BlockName,
  type ChainPlace,
  type ChainPost,
  chainBlocks,
  chainMessageId,
  chainMessages,
  fateOf,
  isAt,
  type KnownPost,
  lockChain,
  ofPlace,
  otherMessageId,
  ownCursor,
  placeOf,
} from "./chain-message.ts";

/** Posts that were read of a chain in one go. */
export type ChainBatch = {
  /** Process that has to be in charge. */
  readonly runner: string;
  /** Cursor when the posts were read: if another process has moved it since, nothing is stored. */
  readonly before: BlockName | undefined;
  /** Last block that was read. */
  readonly to: BlockName;
  /** Newest block there is, and the number of posts in blocks that are not final yet. */
  readonly head: number;
  readonly unconfirmed: number;
  /** Posts in the order of the chain. */
  readonly posts: readonly ChainPost[];
  /** First block that was to be read, and the hash of a block before it: given with the first batch. */
  readonly start?: { readonly block: number; readonly anchor: BlockName };
};

/** Result of storing a batch, in numbers of posts. `moved`: it was stored. */
export type TakenBatch = {
  readonly moved: boolean;
  readonly posted: number;
  readonly dead: number;
  /** Number of posts that were there before. */
  readonly again: number;
  /** Number of posts that were erased, or deleted by retention long ago. */
  readonly spent: number;
};

const nothingTaken: TakenBatch = { moved: false, posted: 0, dead: 0, again: 0, spent: 0 };

/** Number of blocks below the cursor whose hashes are kept, besides the block before the first one. */
const maxKeptBlocks = 1024;

/** Stores what was read, in the caller's transaction: messages, the hashes of their blocks, and the cursor. */
export async function takePosts(
  db: Database,
  { now }: Pick<StoreDeps, "now">,
  place: ChainPlace,
  { runner, before, to, head, unconfirmed, posts, start }: ChainBatch,
): Promise<TakenBatch> {
  const { agent } = place;
  await lockInbox(db, agent);
  await lockChain(db, agent);
  await requireAgent(db, agent);
  const cursor = await ownCursor(db, place, runner);
  if (!cursor || !isAt(cursor, before)) return nothingTaken;
  const at = now();
  const sortedPosts = await sorted(db, place, posts);
  const times = await timesAfter(db, agent, at);
  for (const some of chunks(sortedPosts.fresh)) await insertPosts(db, times, place, some);
  for (const some of chunks(sortedPosts.again)) await includeAgain(db, at, place, some);
  const blocks = new Map(posts.map(({ block, blockHash }) => [block, blockHash]));
  for (const { block, hash } of [to, ...(start ? [start.anchor] : [])]) blocks.set(block, hash);
  for (const some of chunks([...blocks])) {
    const rows = some.map(([block, hash]) => ({ ...placeOf(place), block, hash }));
    await db.run(sql`${insertAll(db, chainBlocks, rows)}
      on conflict (agent, chain, contract, block) do update set hash = excluded.hash`);
  }
  await db.run(sql`update chain_cursors set block = ${to.block}, hash = ${to.hash}, head = ${head},
    unconfirmed = ${unconfirmed}, read_at = ${at}, problem = ${null},
    start = coalesce(start, ${start?.block ?? null}) where ${ofPlace(place)}`);
  await db.run(sql`delete from chain_blocks where ${ofPlace(place)} and block < ${to.block - maxKeptBlocks}
    and block > (select min(block) from chain_blocks where ${ofPlace(place)})`);
  const dead = sortedPosts.fresh.filter(({ post }) => post.dead !== undefined).length;
  const posted = sortedPosts.fresh.length - dead;
  return { moved: true, posted, dead, again: sortedPosts.again.length, spent: sortedPosts.spent };
}

/** A post with the id it has in the inbox. */
type NamedPost = { readonly id: string; readonly post: ChainPost };

/** A post with the time that decides when it is answered. */
type TimedPost = NamedPost & { readonly at: string };

type KnownAgain = NamedPost & { readonly waits: boolean };
type SortedPosts = {
  readonly fresh: readonly NamedPost[];
  readonly again: readonly KnownAgain[];
  readonly spent: number;
};

/** Divides posts into new and known ones. A post that is reported twice counts once. */
async function sorted(db: Database, place: ChainPlace, posts: readonly ChainPost[]): Promise<SortedPosts> {
  const byId = new Map(posts.map((post) => [chainMessageId(place, post), post]));
  const known = await findKnown(db, place.agent, [...byId.keys()]);
  const others = new Map<string, ChainPost>();
  for (const [id, post] of byId)
    if (fateOf(post, known.get(id)) === "other") others.set(otherMessageId(place, post), post);
  for (const [id, one] of await findKnown(db, place.agent, [...others.keys()])) known.set(id, one);
  const fresh: NamedPost[] = [];
  const again: KnownAgain[] = [];
  for (const [id, post] of [...byId, ...others]) {
    const fate = fateOf(post, known.get(id));
    if (fate === "new") fresh.push({ id, post });
    else if (fate !== "other") again.push({ id, post, waits: fate === "waits" });
  }
  const spent = await findSpent(db, place.agent, fresh);
  return { fresh: fresh.filter(({ id }) => !spent.has(id)), again, spent: spent.size };
}

async function findKnown(db: Database, agent: string, ids: readonly string[]): Promise<Map<string, KnownPost>> {
  const known = new Map<string, KnownPost>();
  for (const some of chunks(ids)) {
    const rows = await db.all<
      KnownPost & { id: string }
    >(sql`select i.id, i.status, i.sender, i.body, c.state, c.withdrawn
      from inbox i left join chain_messages c on c.agent = i.agent and c.message = i.id
      where i.agent = ${agent} and i.id in ${listOf(some)}`);
    for (const { id, ...one } of rows) known.set(id, one);
  }
  return known;
}

/** Finds the posts that were erased or deleted: nothing brings them back. */
async function findSpent(db: Database, agent: string, posts: readonly NamedPost[]): Promise<ReadonlySet<string>> {
  const spent = new Set<string>();
  for (const some of chunks(posts)) {
    const digests = new Map(some.map(({ id }) => [messageDigest(agent, id), id]));
    const rows = await db.all<{ digest: string }>(
      sql`select digest from message_ids where agent = ${agent} and digest in ${listOf([...digests.keys()])}`,
    );
    for (const { digest } of rows) spent.add(digests.get(digest) as string);
  }
  return spent;
}

/**
 * Returns a clock for new messages. Messages are answered by their times, so each gets its own, in the order of the chain, after
 * all that wait.
 */
async function timesAfter(db: Database, agent: string, now: string): Promise<() => string> {
  const row = await db.one<{ last: string | null }>(sql`select max(at) as last from inbox where agent = ${agent}
    and status = 'waiting' and lane = 'chain'`);
  let next = Math.max(Date.parse(now), row?.last ? Date.parse(row.last) + 1 : 0);
  return () => new Date(next++).toISOString();
}

/** Inserts new posts. No inbox limits apply: each post was paid for, and cannot be refused any more. Rounds keep it fair. */
async function insertPosts(
  db: Database,
  nextTime: () => string,
  place: ChainPlace,
  named: readonly NamedPost[],
): Promise<void> {
  const posts = named.map((one) => ({ ...one, at: nextTime() }));
  for (const { post } of posts) checkCounterpart(post.sender);
  await db.run(await insertMessages(db, place.agent, posts));
  await db.run(insertPlaces(db, place, posts));
  recordEvents(
    db,
    posts.map(({ id, at, post: { sender, dead } }) => {
      const scope = { agent: place.agent, user: counterpartKey(sender) };
      return dead === undefined
        ? { at, scope, kind: "message-posted", detail: { message: id } }
        : { at, scope, kind: "message-dead", detail: { message: id, tries: 0, because: dead } };
    }),
  );
}

/**
 * Updates posts that are in other blocks now. Answered messages stay answered; those that were withdrawn with their block wait
 * again.
 */
async function includeAgain(db: Database, at: string, place: ChainPlace, known: readonly KnownAgain[]): Promise<void> {
  const { agent } = place;
  const posts = known.map((one) => ({ ...one, at }));
  await db.run(sql`${insertPlaces(db, place, posts)} on conflict (agent, message) do update set state = 'included', withdrawn = 0,
    on_chain = excluded.on_chain, block = excluded.block, block_hash = excluded.block_hash, value = excluded.value`);
  const waiting = posts.filter(({ waits }) => waits);
  if (waiting.length === 0) return;
  await db.run(sql`${await insertMessages(db, agent, waiting)} on conflict (agent, id) do update
    set status = 'waiting', round = excluded.round where inbox.status = 'withdrawn'`);
  recordEvents(
    db,
    waiting.map(({ id, post }) => {
      const scope = { agent, user: counterpartKey(post.sender) };
      return { at, scope, kind: "message-posted", detail: { message: id, again: true } };
    }),
  );
}

/** Puts posts into the inbox, each in its round. A post that cannot get a turn is dead at once. */
async function insertMessages(db: Database, agent: string, posts: readonly TimedPost[]): Promise<Query> {
  const waiting = posts.filter(({ post }) => post.dead === undefined);
  const senders = waiting.map(({ post }) => counterpartKey(post.sender));
  const rounds = await roundsOf(db, agent, "chain", senders);
  const rows = posts.map(({ id, at, post: { sender, body, dead } }) => {
    const user = counterpartKey(sender);
    const about =
      dead === undefined
        ? { status: "waiting" as const, round: rounds.next(user), failures: [] }
        : { status: "dead" as const, round: 0, failures: [{ at, turn: null, because: dead }] };
    const given = { scope: { agent, user }, id, sender: counterpartOf(user), body, at, tries: 0 };
    return { ...given, ...about, channel: "chain", lane: "chain" };
  });
  return insertAll(db, inbox, rows);
}

/** Stores the places of posts on the chain. */
function insertPlaces(db: Database, place: ChainPlace, posts: readonly TimedPost[]): Query {
  const { agent, ...contract } = placeOf(place);
  const rows = posts.map(({ id, at, post: { sender, body: _, dead: __, ...post } }) => {
    const scope = { agent, user: counterpartKey(sender) };
    return { ...post, scope, message: id, ...contract, state: "included" as const, at };
  });
  return insertAll(db, chainMessages, rows);
}
