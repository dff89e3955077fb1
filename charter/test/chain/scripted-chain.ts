import { createHash } from "node:crypto";
import { encodeAbiParameters, encodeEventTopics, type Hex, keccak256, parseAbiItem } from "viem";
import { type NodeTransaction, postIdOf, postTx, relayedTx } from "./scripted-tx.ts";

export const contract = `0x${"c0".repeat(20)}` as const;
/** The agent's address. */
export const agentAddress = `0x${"a9".repeat(20)}` as const;
export const chainId = 31_337;

const posted = parseAbiItem(
  "event Posted(bytes32 indexed id, address indexed agent, address indexed sender, uint256 value, bytes body)",
);

export type ScriptedPost = {
  readonly sender: Hex;
  readonly body: string | Uint8Array;
  readonly value?: bigint;
  readonly agent?: Hex;
};
export type ScriptedTx = {
  readonly hash: Hex;
  readonly posts: readonly ScriptedPost[];
  /** What the contract calls each of them. */
  readonly ids: readonly Hex[];
  readonly told: NodeTransaction;
};
type Log = Readonly<Record<string, unknown>> & { readonly topics: readonly Hex[] };
export type ScriptedBlock = {
  readonly number: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly txs: readonly ScriptedTx[];
  readonly logs: readonly Log[];
};

export const hashOf = (...words: readonly unknown[]): Hex =>
  `0x${createHash("sha256").update(JSON.stringify(words)).digest("hex")}`;
const hex = (number: number): Hex => `0x${number.toString(16)}`;

const bytesOf = (body: ScriptedPost["body"]): Hex => `0x${Buffer.from(body).toString("hex")}`;
const counts = new Map<string, number>();
/** The contract's own count of a sender's posts, by its place in the storage. */
const storage = new Map<string, number>();

/** Counts a sender's posts on, as if they had posted so many to other agents. */
export function postElsewhere(sender: Hex, posts: number): void {
  const count = (counts.get(sender) ?? 0) + posts;
  counts.set(sender, count);
  storage.set(keccak256(encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [sender, 3n])), count);
}

/** What the contract calls a post, by how many its sender has posted before. */
export function idOf({ sender, body, agent = agentAddress }: ScriptedPost, count: number): Hex {
  return postIdOf({ contract, chainId }, { sender, agent, body: bytesOf(body), count });
}

/** A transaction that posts: one post is signed by its sender, several are made by a contract that somebody calls. */
export function tx(...posts: readonly ScriptedPost[]): ScriptedTx {
  const whole = posts.map(({ value = 1000n, agent = agentAddress, ...post }) => ({
    ...{ ...post, value, agent, body: bytesOf(post.body) },
  }));
  const ids = posts.map((post) => {
    const count = counts.get(post.sender) ?? 0;
    postElsewhere(post.sender, 1);
    return idOf(post, count);
  });
  const [only] = whole;
  const told = only && whole.length === 1 ? postTx({ contract, chainId }, only) : relayedTx(chainId);
  return { hash: told.hash, posts, ids, told };
}

/** A chain that grows and is reorganised as a test says. */
export type ScriptedChain = {
  readonly blocks: ScriptedBlock[];
  readonly head: () => number;
  /** Adds a block with these transactions, and so many more without. */
  readonly mine: (txs?: readonly ScriptedTx[], more?: number) => ScriptedBlock;
  /** Takes so many blocks away and puts these in their place; gives back what was in them. */
  readonly reorganise: (depth: number, blocks: readonly (readonly ScriptedTx[])[]) => readonly ScriptedTx[];
  /** What an address says, that sees it up to a block. */
  readonly answer: (method: string, params: readonly unknown[], upTo?: number) => unknown;
};

export function createScriptedChain(salt = "a"): ScriptedChain {
  const blocks: ScriptedBlock[] = [];
  let made = 0;
  const add = (txs: readonly ScriptedTx[]): ScriptedBlock => {
    const parent = blocks.at(-1);
    const number = (parent?.number ?? -1) + 1;
    const parentHash = parent?.hash ?? hashOf("nothing");
    const hash = hashOf("block", salt, ++made, parentHash);
    // Other contracts have events too: where a post stands in its block is not the same in another.
    let index = made % 5;
    const logs = txs.flatMap((one) =>
      one.posts.map((post, at) => logOf(one.hash, post, { number, hash, index: index++, id: one.ids[at] as Hex })),
    );
    const block = { number, hash, parentHash, txs, logs };
    blocks.push(block);
    return block;
  };
  add([]);
  return {
    blocks,
    head: () => blocks.length - 1,
    mine: (given = [], more = 0) => {
      const block = add(given);
      for (let count = 0; count < more; count++) add([]);
      return block;
    },
    reorganise: (depth, given) => {
      const gone = blocks.splice(blocks.length - depth, depth);
      for (const one of given) add(one);
      return gone.flatMap((block) => block.txs);
    },
    answer: (method, params, upTo = Number.POSITIVE_INFINITY) => {
      const seen = blocks.filter(({ number }) => number <= upTo);
      if (method === "eth_chainId") return hex(chainId);
      if (method === "eth_getCode") return params[0] === contract ? "0x6000" : "0x";
      if (method === "eth_getStorageAt") return hex(storage.get(params[1] as string) ?? 0);
      if (method === "eth_call") return `0x${"0".repeat(64)}`;
      if (method === "eth_getBlockByNumber") return blockOf(seen, params[0] as string);
      if (method === "eth_getTransactionByHash")
        return seen.flatMap(({ txs }) => txs).find(({ hash }) => hash === params[0])?.told ?? null;
      if (method === "eth_getLogs") return logsOf(seen, params[0] as LogFilter);
      throw new Error(`Nobody answers ${method}.`);
    },
  };
}

function logOf(
  tx: Hex,
  { sender, body, value = 1000n, agent = agentAddress }: ScriptedPost,
  {
    number,
    hash,
    index,
    id,
  }: { readonly number: number; readonly hash: Hex; readonly index: number; readonly id: Hex },
): Log {
  const topics = encodeEventTopics({ abi: [posted], args: { id, agent, sender } }) as Hex[];
  const data = encodeAbiParameters([{ type: "uint256" }, { type: "bytes" }], [value, bytesOf(body)]);
  return {
    ...{ address: contract, topics, data, blockNumber: hex(number), blockHash: hash, transactionHash: tx },
    ...{ transactionIndex: "0x0", logIndex: hex(index), removed: false },
  };
}

function blockOf(blocks: readonly ScriptedBlock[], tag: string): unknown {
  const head = blocks.at(-1)?.number ?? 0;
  const number = tag === "latest" ? head : tag === "finalized" ? Math.max(0, head - 20) : Number(tag);
  const block = blocks[number];
  return block ? { number: hex(block.number), hash: block.hash, parentHash: block.parentHash } : null;
}

export type LogFilter = {
  readonly address: string;
  readonly topics: readonly (string | null)[];
  readonly blockHash?: string;
  readonly fromBlock?: string;
  readonly toBlock?: string;
};

function logsOf(blocks: readonly ScriptedBlock[], filter: LogFilter): unknown {
  const { blockHash, fromBlock, toBlock } = filter;
  const found =
    blockHash === undefined
      ? blocks.filter(({ number }) => number >= Number(fromBlock) && number <= Number(toBlock))
      : blocks.filter(({ hash }) => hash === blockHash);
  if (blockHash !== undefined && found.length === 0) throw new Error("unknown block");
  return found
    .flatMap(({ logs }) => logs)
    .filter(
      (log) =>
        log.address === filter.address &&
        filter.topics.every((topic, at) => topic === null || topic === log.topics[at]),
    );
}
