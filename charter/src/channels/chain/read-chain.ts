import { rethrowUnlessProblem } from "../../prompt/problem.ts";
import {
  type BlockName,
  type ChainCursor,
  type ChainPlace,
  type ChainPost,
  unprovenSender,
} from "../../store/chain/chain-message.ts";
import type { TakenBatch } from "../../store/chain/take-posts.ts";
import type { Store } from "../../store/store.ts";
import type { ChainSettings } from "./chain-config.ts";
import { type ChainView, checkNode, garbage, readFrom } from "./chain-view.ts";
import { findBlock, hexOf } from "./node-answer.ts";
import type { PostedLogs, PostProofs } from "./posts.ts";
import { RpcError, type RpcNode } from "./rpc-client.ts";

/** The surroundings of one reading of a chain. */
export type ChainReading = {
  readonly store: Store;
  readonly place: ChainPlace;
  readonly settings: ChainSettings;
  readonly runner: string;
  readonly logs: PostedLogs;
  readonly proofs: PostProofs;
  /** Number of blocks that a node reports at once, as far as is known. */
  readonly spans: Map<RpcNode, number>;
  /** Marks a node to be checked again before it is asked anything else. */
  readonly doubt: (node: RpcNode) => void;
  readonly clock: () => Date;
  readonly log: (kind: string, about?: Readonly<Record<string, unknown>>) => void;
};

/** The result of a reading: the number of newly waiting messages, and whether there is more to read at once. */
export type ReadResult = { readonly posted: number; readonly again: boolean };

const nothing: ReadResult = { posted: 0, again: false };

/** Milliseconds between notes that a chain without news was checked. */
const noteMs = 60_000;

/** Reads on from the cursor, by the first of these nodes that can answer; or goes back, where blocks that were read are gone. */
export async function readChain(
  reading: ChainReading,
  cursor: ChainCursor,
  views: readonly ChainView[],
  signal: AbortSignal,
): Promise<ReadResult> {
  let last: RpcError | undefined;
  for (const view of views)
    try {
      const result = await readBy(reading, cursor, { view, others: views.filter((one) => one !== view) }, signal);
      if (result) return result;
    } catch (error) {
      if (!(error instanceof RpcError) || signal.aborted) throw error;
      last = error;
    }
  if (last) throw last;
  const head = views[0]?.head ?? 0;
  const problem = `The addresses of the chain are at block ${head}; block ${cursor.last?.block} was read already.`;
  await reading.store.chain.note(reading.place, { head, problem });
  return nothing;
}

type Seen = { readonly view: ChainView; readonly others: readonly ChainView[] };

/** Reads by one node; undefined, where it is behind what was read already. */
async function readBy(
  reading: ChainReading,
  cursor: ChainCursor,
  seen: Seen,
  signal: AbortSignal,
): Promise<ReadResult | undefined> {
  const { view } = seen;
  const { node } = view;
  const { store, place, settings, runner } = reading;
  const { last, start } = cursor;
  const span = reading.spans.get(node) ?? firstSpan;
  const plan = planRead({ last, start, from: settings.from, confirmed: view.confirmed, span });
  if (last && view.head < last.block) return goBackIfGone(reading, cursor, seen, signal);
  if (plan.kind === "wait") {
    if (last && !(await isSame(node, last, signal))) return goBackIfGone(reading, cursor, seen, signal);
    const age = Math.abs(reading.clock().getTime() - Date.parse(cursor.readAt ?? "1970-01-01"));
    if (cursor.head !== view.head || cursor.problem !== null || age >= noteMs) {
      const unconfirmed = await countUnconfirmed(reading, view, signal);
      await store.chain.note(place, { head: view.head, unconfirmed: unconfirmed ?? cursor.unconfirmed, problem: null });
    }
    return nothing;
  }
  if (plan.kind === "begin") {
    const anchor = await blockAt(node, plan.anchor, signal);
    const batch = { runner, before: last, to: anchor, head: view.head, unconfirmed: 0, posts: [] };
    const taken = await store.chain.take(place, { ...batch, start: { block: plan.start, anchor } });
    return { posted: 0, again: taken.moved };
  }
  const read = await readPosts(reading, seen, { ...plan, last: last as BlockName }, signal);
  if (read === "gone") return goBackIfGone(reading, cursor, seen, signal);
  const unconfirmed = read.to.block === view.confirmed ? await countUnconfirmed(reading, view, signal) : undefined;
  const taken = await store.chain.take(place, {
    ...{ runner, before: last, to: read.to, head: view.head, unconfirmed: unconfirmed ?? 0, posts: read.posts },
  });
  if (!taken.moved || read.posts.length > 0) reading.log(taken.moved ? "posted" : "cursor-lost", counts(taken));
  return { posted: taken.posted + taken.again, again: taken.moved && read.to.block < view.confirmed };
}

function counts({ moved: _, ...numbers }: TakenBatch): Readonly<Record<string, number>> {
  return numbers;
}

type ReadRange = { readonly from: number; readonly to: number; readonly last: BlockName };
type ReadPosts = { readonly posts: readonly ChainPost[]; readonly to: BlockName };

/**
 * Reads the posts in some blocks: as many as the node reports at once. The last block is read before and after, and the cursor's
 * block after: so the result is of one chain, which continues from the cursor.
 */
async function readPosts(
  reading: ChainReading,
  { view: { node }, others }: Seen,
  range: ReadRange,
  signal: AbortSignal,
): Promise<ReadPosts | "gone"> {
  const { from, last } = range;
  const { logs, proofs, settings } = reading;
  let span = range.to - from + 1;
  for (;;) {
    const to = await blockAt(node, from + span - 1, signal);
    const reported = await requestLogs(reading, node, { from, to }, signal);
    reading.spans.set(node, nextSpan(span, reported !== undefined));
    if (reported === undefined) {
      span = nextSpan(span, false);
      continue;
    }
    const read = logs.read(reported, { from, to: to.block });
    if ("fault" in read) throw garbage(node, read.fault);
    const posts = await provePosts({ contract: settings.contract, logs, proofs, node, others, signal }, read);
    const [after, current] = await Promise.all([to.block, last.block].map((block) => blockAt(node, block, signal)));
    if (current?.hash !== last.hash) return "gone";
    if (after?.hash !== to.hash || posts.some((one) => one.block === to.block && one.blockHash !== to.hash))
      throw new RpcError("away", node.host, "the chain moved while it was read.");
    return { posts, to };
  }
}

/** Requests the events of some blocks; undefined, where they are too many for the node. */
async function requestLogs(
  { settings, logs }: ChainReading,
  node: RpcNode,
  { from, to }: { readonly from: number; readonly to: BlockName },
  signal: AbortSignal,
): Promise<readonly unknown[] | undefined> {
  // Requests a single block by its hash: only a node that has that very block answers.
  const which = from === to.block ? { blockHash: to.hash } : { fromBlock: hexOf(from), toBlock: hexOf(to.block) };
  try {
    const reported = await node.request(
      "eth_getLogs",
      [{ address: settings.contract, topics: logs.topics, ...which }],
      signal,
    );
    return reported as readonly unknown[];
  } catch (error) {
    if (error instanceof RpcError && error.fault === "too-large" && from < to.block) return undefined;
    throw error;
  }
}

/** Counts the posts in blocks that are not lasting yet; undefined, where the node does not answer. */
async function countUnconfirmed(
  { settings, logs }: ChainReading,
  { node, head, confirmed }: ChainView,
  signal: AbortSignal,
): Promise<number | undefined> {
  const from = Math.max(0, confirmed + 1);
  if (from > head) return 0;
  const which = { fromBlock: hexOf(from), toBlock: hexOf(head) };
  try {
    const reported = await node.request(
      "eth_getLogs",
      [{ address: settings.contract, topics: logs.topics, ...which }],
      signal,
    );
    const posts = logs.read(reported as readonly unknown[], { from, to: head });
    return "fault" in posts ? undefined : posts.length;
  } catch (error) {
    if (error instanceof RpcError) return undefined;
    throw error;
  }
}

async function blockAt(node: RpcNode, block: number, signal: AbortSignal): Promise<BlockName> {
  const header = await readFrom(node, (ask) => findBlock(ask, block), signal);
  if (!header) throw garbage(node, `it does not have block ${block}.`);
  return { block: header.number, hash: header.hash };
}

/** Returns true if a node has this block. A node without any block at this height throws instead. */
async function isSame(node: RpcNode, { block, hash }: BlockName, signal: AbortSignal): Promise<boolean> {
  return (await blockAt(node, block, signal)).hash === hash;
}

/**
 * Goes back to the last common block, where this node has another block at the cursor. It does not, where another node that is as
 * far still has the cursor's block, or where this node is merely behind.
 */
async function goBackIfGone(
  reading: ChainReading,
  cursor: ChainCursor,
  { view, others }: Seen,
  signal: AbortSignal,
): Promise<ReadResult | undefined> {
  const { store, place, runner } = reading;
  const before = cursor.last as BlockName;
  for (const other of others.filter(({ head }) => head >= Math.max(view.head, before.block)))
    try {
      if (await isSame(other.node, before, signal)) return undefined;
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
    }
  const kept = (await store.chain.blocks(place)).filter(({ block }) => block <= view.head);
  const newest = kept[0];
  if (!newest || (newest.block < before.block && (await isSame(view.node, newest, signal)))) return undefined;
  const common = await findCommon(kept, (block) => isSame(view.node, block, signal));
  // The node has returned to the cursor's block meanwhile.
  if (common?.block === before.block) return undefined;
  await checkAgain(reading, view.node, signal);
  const { moved, orphaned, withdrawn } = await store.chain.rewind(place, { runner, before, common });
  const about = { from: before.block, to: common?.block ?? null, orphaned, withdrawn };
  reading.log(moved ? "reorganised" : "cursor-lost", about);
  return { posted: 0, again: moved };
}

/** Checks a node again before blocks are taken back: since the last check it may have moved to another chain. */
async function checkAgain({ settings, doubt }: ChainReading, node: RpcNode, signal: AbortSignal): Promise<void> {
  try {
    await checkNode(node, settings, signal);
  } catch (error) {
    rethrowUnlessProblem(error);
    doubt(node);
    throw garbage(node, error.message);
  }
}

/** The means of proving posts. */
type Proving = {
  readonly contract: string;
  readonly logs: PostedLogs;
  readonly proofs: PostProofs;
  /** The node that reported them, and the views of the others. */
  readonly node: RpcNode;
  readonly others: readonly ChainView[];
  readonly signal: AbortSignal;
};

/** Maximum number of concurrent requests for transactions. */
const maxRequests = 8;

/**
 * Marks posts whose sender is not proven: by a signature, or because a second node reports the same. Such a post gets a sender
 * name of its own. A node that contradicts a signature is not believed at all.
 */
async function provePosts(proving: Proving, posts: readonly ChainPost[]): Promise<readonly ChainPost[]> {
  const { node, proofs, signal } = proving;
  const storage = (slot: string) => storageAt(proving, slot);
  const unproven = new Set<ChainPost>();
  const transactions = [...Map.groupBy(posts, ({ tx }) => tx)];
  const proveNext = async (): Promise<void> => {
    for (let next = transactions.shift(); next; next = transactions.shift()) {
      const [tx, own] = next;
      const transaction = await node.request("eth_getTransactionByHash", [tx], signal);
      const proof = await proofs(own, transaction, storage);
      if ("fault" in proof) throw garbage(node, proof.fault);
      for (const post of own) if (post !== proof.signed) unproven.add(post);
    }
  };
  await Promise.all(Array.from({ length: maxRequests }, proveNext));
  if (unproven.size === 0) return posts;
  const agreed = await agreedPosts(proving, [...unproven]);
  return posts.map((post) =>
    unproven.has(post) && !agreed.has(post) ? { ...post, sender: unprovenSender(post.sender) } : post,
  );
}

/** Reads a word of the contract's storage; undefined, where the node does not say. */
async function storageAt({ contract, node, signal }: Proving, slot: string): Promise<unknown> {
  try {
    return await node.request("eth_getStorageAt", [contract, slot, "latest"], signal);
  } catch (error) {
    if (error instanceof RpcError && !signal.aborted) return undefined;
    throw error;
  }
}

/** Returns the posts that another node reports too. Where another node contradicts, nobody knows which one lies. */
async function agreedPosts(proving: Proving, posts: readonly ChainPost[]): Promise<Set<ChainPost>> {
  const agreed = new Set<ChainPost>();
  for (const [blockHash, group] of Map.groupBy(posts, (one) => one.blockHash))
    for (const { node, head } of proving.others) {
      const block = group[0]?.block ?? 0;
      const reported = head < block ? undefined : await postsIn(proving, node, { block, blockHash });
      if (!reported) continue;
      const known = new Set(reported.map((one) => JSON.stringify(one)));
      if (!group.every((one) => known.has(JSON.stringify(one))))
        throw new RpcError("away", proving.node.host, `${node.host} tells something else of block ${block}.`);
      for (const one of group) agreed.add(one);
      break;
    }
  return agreed;
}

type AskedBlock = { readonly block: number; readonly blockHash: string };

/** Requests another node's posts of a block; undefined, where it has none. */
async function postsIn(
  { contract, logs, signal }: Proving,
  node: RpcNode,
  { block, blockHash }: AskedBlock,
): Promise<readonly ChainPost[] | undefined> {
  try {
    const reported = await node.request("eth_getLogs", [{ address: contract, topics: logs.topics, blockHash }], signal);
    const posts = logs.read(reported as readonly unknown[], { from: block, to: block });
    return "fault" in posts ? undefined : posts;
  } catch (error) {
    if (error instanceof RpcError && !signal.aborted) return undefined;
    throw error;
  }
}

/** The progress of reading a chain, and how far it could be read. */
type ReadState = {
  readonly last: BlockName | undefined;
  /** The first block to read, as decided at the beginning. */
  readonly start: number | null;
  /** The first block in the settings. */
  readonly from?: number | undefined;
  readonly confirmed: number;
  /** Number of blocks to read at once. */
  readonly span: number;
};

/**
 * The next action. `begin` stores the hash of the block before the first, so that a chain that was replaced altogether is
 * recognised later.
 */
type ReadPlan =
  | { readonly kind: "wait" }
  | { readonly kind: "begin"; readonly start: number; readonly anchor: number }
  | { readonly kind: "read"; readonly from: number; readonly to: number };

export function planRead({ last, start, from, confirmed, span }: ReadState): ReadPlan {
  if (last) {
    const to = Math.min(confirmed, last.block + span);
    return to > last.block ? { kind: "read", from: last.block + 1, to } : { kind: "wait" };
  }
  // Starts at block 1 at the earliest, since the first block of a chain has no transactions. Without a setting, reading starts
  // after the current block.
  const first = Math.max(1, from ?? Math.min(start ?? confirmed + 1, confirmed + 1));
  return first - 1 > confirmed ? { kind: "wait" } : { kind: "begin", start: first, anchor: first - 1 };
}

/** Number of blocks that are read at once, at first and at most. */
export const [firstSpan, maxSpan] = [2000, 10_000];

/** Returns the next number of blocks, after a node has reported this many, or refused to. */
export function nextSpan(span: number, succeeded: boolean): number {
  return succeeded ? Math.min(maxSpan, span + Math.ceil(span / 8)) : Math.max(1, Math.floor(span / 2));
}

/** Finds the newest of these blocks that is still part of the chain, by binary search: if one is, all before it are. */
export async function findCommon(
  newestFirst: readonly BlockName[],
  isSame: (block: BlockName) => Promise<boolean>,
): Promise<BlockName | undefined> {
  let [low, high] = [0, newestFirst.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await isSame(newestFirst[middle] as BlockName)) high = middle;
    else low = middle + 1;
  }
  return newestFirst[low];
}
