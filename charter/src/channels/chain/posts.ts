import { loadPackage } from "../../packages/load-package.ts";
import { createBoundedMap } from "../../prompt/bounds.ts";
import type { ChainPost } from "../../store/chain/chain-message.ts";
import type { ChainSettings } from "./chain-config.ts";
import { countOf, isHash, isHex, readCount, readHex, readObject, readQuantity } from "./node-answer.ts";

/** The contract's event for a posted message. */
const postedEvent = {
  type: "event",
  name: "Posted",
  inputs: [
    { name: "id", type: "bytes32", indexed: true },
    { name: "agent", type: "address", indexed: true },
    { name: "sender", type: "address", indexed: true },
    { name: "value", type: "uint256", indexed: false },
    { name: "body", type: "bytes", indexed: false },
  ],
} as const;

/** The event's fields that are not topics. */
const contents = [{ type: "uint256" }, { type: "bytes" }] as const;

type Hex = `0x${string}`;

/** An event as a node reports it. */
type Log = {
  readonly block: number;
  readonly blockHash: string;
  readonly tx: string;
  readonly index: number;
  readonly topics: readonly `0x${string}`[];
  readonly data: `0x${string}`;
};

/** Reads the contract's events. */
export type PostedLogs = {
  /** Topics of the requested events: posts to this agent. */
  readonly topics: readonly (string | null)[];
  /** Converts reported events to posts in the order of the chain, or says which of them is no such event. */
  readonly read: (told: readonly unknown[], range: BlockRange) => ChainPost[] | { readonly fault: string };
};

type BlockRange = { readonly from: number; readonly to: number };

const viemPurpose = { purpose: "An inbox on a chain" };

/**
 * Objection to a post from the agent's own address: whoever has its key could otherwise let it answer itself, and pay for each
 * reply.
 */
const ownPost = "It came from the agent's own address.";

export async function loadPostedLogs({
  contract,
  address,
}: Pick<ChainSettings, "contract" | "address">): Promise<PostedLogs> {
  const { decodeAbiParameters, encodeEventTopics } = await loadPackage("viem", viemPurpose);
  const abi = [postedEvent];
  const topics = encodeEventTopics({ abi, eventName: "Posted", args: { agent: address } }) as (string | null)[];
  const postOf = (log: Log, place: number): ChainPost => {
    // Reads topics by hand: viem would make a checksum of every address, which takes longer than all the rest.
    const [, id, , from] = log.topics as [Hex, Hex, Hex, Hex];
    const [value, body] = decodeAbiParameters(contents, log.data);
    const sender = `0x${from.slice(-40)}`.toLowerCase();
    const { body: words, dead = undefined } = postBody(body);
    const because = sender === address.toLowerCase() ? ownPost : dead;
    return {
      ...{ onChain: id.toLowerCase(), tx: log.tx, place, block: log.block, blockHash: log.blockHash, sender },
      ...{ value: value.toString(), body: words, ...(because === undefined ? {} : { dead: because }) },
    };
  };
  return {
    topics,
    read: (reported, range) => {
      const logs: Log[] = [];
      for (const one of reported) {
        const log = logOf(one, contract, topics);
        if (!log || log.block < range.from || log.block > range.to) return { fault: faultOf(one, range) };
        logs.push(log);
      }
      const posts: ChainPost[] = [];
      for (const [log, place] of placed(logs))
        try {
          posts.push(postOf(log, place));
        } catch {
          return { fault: faultOf({ blockNumber: log.block }, range) };
        }
      return posts;
    },
  };
}

/** Names a wrong event by its block, so that another node can be compared. */
function faultOf(reported: unknown, { from, to }: BlockRange): string {
  const { blockNumber } = Object(reported) as { readonly blockNumber?: unknown };
  const block = typeof blockNumber === "number" ? blockNumber : countOf(blockNumber);
  const isAsked = block !== undefined && block >= from && block <= to;
  const where = isAsked || from === to ? `block ${block ?? from}` : `the blocks ${from} to ${to}`;
  return `what it tells of ${where} is no event of the contract.`;
}

/** Lists each event once, in the order of the chain, with its index in its transaction. */
function placed(logs: readonly Log[]): [Log, number][] {
  const each = [...new Map(logs.map((log) => [`${log.block} ${log.index}`, log])).values()];
  const counts = new Map<string, number>();
  return each
    .sort((one, other) => one.block - other.block || one.index - other.index)
    .map((log) => {
      const place = counts.get(log.tx) ?? 0;
      counts.set(log.tx, place + 1);
      return [log, place];
    });
}

/** Reads an event; undefined, where it is none of the requested ones. */
function logOf(reported: unknown, contract: string, asked: readonly (string | null)[]): Log | undefined {
  const log = Object(reported) as Readonly<Record<string, unknown>>;
  const [block, index] = [countOf(log.blockNumber), countOf(log.logIndex)];
  const { blockHash, transactionHash, topics, data } = log;
  const sound =
    log.removed !== true &&
    typeof log.address === "string" &&
    log.address.toLowerCase() === contract.toLowerCase() &&
    isHash(blockHash) &&
    isHash(transactionHash) &&
    Array.isArray(topics) &&
    topics.length === 4 &&
    topics.every(isHash) &&
    asked.every((topic, at) => topic === null || topic.toLowerCase() === (topics[at] as string).toLowerCase()) &&
    typeof data === "string";
  if (!sound || block === undefined || index === undefined) return undefined;
  return {
    ...{ block, index, blockHash: blockHash.toLowerCase(), tx: transactionHash.toLowerCase() },
    ...{ topics, data: data as `0x${string}` },
  };
}

/** The text of a post, and why it gets no turn, if it does not. */
type PostBody = { readonly body: string; readonly dead?: string };

const maxBytes = 4096;

/** Decodes a post's bytes: text, if they are UTF-8 that can be stored; else the bytes in hex, and what is wrong with them. */
export function postBody(hex: string): PostBody {
  const bytes = Buffer.from(hex.slice(2), "hex");
  const dead = (because: string) => ({
    body: `0x${bytes.subarray(0, maxBytes / 2 - 1).toString("hex")}`,
    dead: because,
  });
  if (bytes.length === 0) return dead("It has no words.");
  if (bytes.length > maxBytes) return dead(`It has ${bytes.length} bytes, and may have ${maxBytes}.`);
  try {
    const body = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return body.includes("\0") ? dead("It has a NUL character, which cannot be kept.") : { body };
  } catch {
    return dead("It is no UTF-8.");
  }
}

/** The post that a transaction's sender has signed, if any; or the fault that the reported posts are not what was signed. */
type PostProof = { readonly signed: ChainPost | undefined } | { readonly fault: string };

/** Reads a word of the contract's storage; undefined, where the node does not say. */
type ReadStorage = (slot: Hex) => Promise<unknown>;

/** Compares reported posts with their transaction, as a node reports it. */
export type PostProofs = (posts: readonly ChainPost[], told: unknown, storage: ReadStorage) => Promise<PostProof>;

const abi = [
  {
    type: "function",
    name: "post",
    inputs: [
      { name: "agent", type: "address" },
      { name: "body", type: "bytes" },
    ],
    outputs: [{ name: "id", type: "bytes32" }],
    stateMutability: "payable",
  },
] as const;

/** Maximum numbers of counts that are tried for a post: each is a hash of some 0.05 ms, and anybody may post. */
const [maxNear, maxBelow] = [200, 300];

/** The place of `posted` among the contract's variables, which says how many messages a sender has posted so far. */
const postedSlot = 3n;

/**
 * Makes proofs of posts. A post that somebody sends to the contract directly is a transaction with their signature over text,
 * money, agent and contract, so no node can put other words into their mouth. A post through another contract is signed by the
 * caller of that contract, and proves nothing.
 */
export async function loadPostProofs({ id, contract, address }: ChainSettings): Promise<PostProofs> {
  const viem = await loadPackage("viem", viemPurpose);
  const { decodeFunctionData, keccak256, recoverTransactionAddress, serializeTransaction } = viem;
  const counts = createBoundedMap<string, number>(1000);
  const word = (value: bigint | string) =>
    (typeof value === "string" ? value.slice(2).toLowerCase() : value.toString(16)).padStart(64, "0");

  /**
   * Returns true if an id is made of this text, its sender and a count of the sender's earlier posts, as the contract makes it.
   * The count is looked for near the sender's last one. A sender may have posted to others meanwhile: then the contract's own
   * count says where to look. The node may lie about it, since only the id proves a count.
   */
  const isItsId = async (onChain: string, sender: string, body: Hex, storage: ReadStorage): Promise<boolean> => {
    const before = [BigInt(id), contract, address, sender].map(word).join("");
    const words = word(keccak256(body));
    const isCount = (count: number) => keccak256(`0x${before}${word(BigInt(count))}${words}`) === onChain;
    let count = countsNear(counts.get(sender) ?? 0).find(isCount);
    if (count === undefined) {
      const posted = wordCount(await storage(keccak256(`0x${word(sender)}${word(postedSlot)}`)));
      count = countsBelow(posted ?? 0).find(isCount);
    }
    if (count !== undefined) counts.set(sender, count);
    return count !== undefined;
  };

  /** Returns the text of a call that posts to the agent; undefined, where it is another call, or oddly encoded. */
  const wordsOf = (data: Hex): Hex | undefined => {
    try {
      const [agent, body] = decodeFunctionData({ abi, data }).args;
      return agent.toLowerCase() === address.toLowerCase() ? body : undefined;
    } catch {
      return undefined;
    }
  };

  /** Rebuilds a transaction as it was signed; undefined, where its kind is not known. */
  const rebuilt = (reported: unknown): SignedCall | undefined => {
    const transaction = readObject("a transaction", reported);
    const fields = fieldsOf(transaction);
    const signature = fields && signatureOf(transaction);
    if (!fields || !signature) return undefined;
    const raw = serializeTransaction(fields as never, signature as never) as Hex;
    return { ...fields, raw, chain: chainOf(fields, signature) };
  };

  return async (posts, reported, storage) => {
    const fault = { fault: `what it tells of block ${posts[0]?.block} is not what was signed.` };
    try {
      const call = rebuilt(reported);
      if (!call) return unproven;
      if (keccak256(call.raw) !== posts[0]?.tx) return fault;
      const isDirect = call.to?.toLowerCase() === contract.toLowerCase() && call.chain === BigInt(id);
      const body = isDirect ? wordsOf(call.data) : undefined;
      if (body === undefined) return unproven;
      const sender = (await recoverTransactionAddress({ serializedTransaction: call.raw as never })).toLowerCase();
      const [value, words] = [call.value.toString(), postBody(body).body];
      const signed = posts.find((one) => one.sender === sender && one.value === value && one.body === words);
      if (!signed) return fault;
      return (await isItsId(signed.onChain, sender, body, storage)) ? { signed } : unproven;
    } catch {
      return fault;
    }
  };
}

const unproven: PostProof = { signed: undefined };

/** Counts around a sender's last one, the nearest first. */
function countsNear(last: number): number[] {
  const near = Array.from({ length: maxNear }, (_, step) => last + (step % 2 === 0 ? -step / 2 : (step + 1) / 2));
  return near.filter((count) => count >= 0);
}

/** Counts of the newest posts of somebody who has posted so many. */
function countsBelow(posted: number): number[] {
  return Array.from({ length: Math.min(posted, maxBelow) }, (_, step) => posted - 1 - step);
}

/** Reads a word of storage as a count. */
function wordCount(answer: unknown): number | undefined {
  return typeof answer === "string" ? countOf(answer.replace(/^0x0*(?=[0-9a-f])/i, "0x")) : undefined;
}

type ReportedFields = Readonly<Record<string, unknown>>;
type Signature = { readonly r: Hex; readonly s: Hex; readonly v: bigint; readonly yParity: number };
type SignedCall = Fields & { readonly raw: Hex; readonly chain: bigint };
type Fields = {
  readonly type: string;
  readonly to: Hex | undefined;
  readonly value: bigint;
  readonly data: Hex;
  readonly chainId?: number;
};

/** Returns everything that was signed; undefined for a kind of transaction that is not known, or that nobody signs. */
function fieldsOf(transaction: ReportedFields): Fields | undefined {
  const amount = (name: string) => readQuantity(name, transaction[name]);
  const usual = {
    nonce: readCount("a nonce", transaction.nonce),
    gas: amount("gas"),
    to: isHex(transaction.to) ? transaction.to : undefined,
    value: amount("value"),
    data: readHex("the data of a transaction", transaction.input ?? transaction.data),
  };
  const typed = () => ({
    ...usual,
    chainId: readCount("a chain", transaction.chainId),
    accessList: transaction.accessList ?? [],
  });
  const fees = () => ({ maxFeePerGas: amount("maxFeePerGas"), maxPriorityFeePerGas: amount("maxPriorityFeePerGas") });
  switch (Number(transaction.type ?? "0x0")) {
    case 0:
      return { ...usual, type: "legacy", gasPrice: amount("gasPrice") } as Fields;
    case 1:
      return { ...typed(), type: "eip2930", gasPrice: amount("gasPrice") } as Fields;
    case 2:
      return { ...typed(), type: "eip1559", ...fees() } as Fields;
    case 3:
      return {
        ...{ ...typed(), type: "eip4844", ...fees(), maxFeePerBlobGas: amount("maxFeePerBlobGas") },
        blobVersionedHashes: listOf(transaction.blobVersionedHashes).filter(isHash),
      } as Fields;
    case 4:
      return {
        ...{ ...typed(), type: "eip7702", ...fees() },
        authorizationList: listOf(transaction.authorizationList).map(authorizationOf),
      } as Fields;
    default:
      return undefined;
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function authorizationOf(value: unknown): object {
  const one = readObject("an authorization", value);
  return {
    ...{ address: one.address, chainId: readCount("a chain", one.chainId), nonce: readCount("a nonce", one.nonce) },
    ...signatureOf(one),
  };
}

function signatureOf(fields: ReportedFields): Signature {
  const whole = (name: "r" | "s"): Hex => `0x${readQuantity(name, fields[name]).toString(16).padStart(64, "0")}`;
  const v = readQuantity("v", fields.v ?? fields.yParity);
  const yParity = readCount("a parity", fields.yParity ?? fields.v);
  return { r: whole("r"), s: whole("s"), v, yParity };
}

/** Returns the chain of a transaction. One of the first kind has it in its signature, or has none and is valid on every chain. */
function chainOf({ type, chainId }: Fields, { v }: Signature): bigint {
  if (type !== "legacy") return BigInt(chainId ?? 0);
  return v >= 35n ? (v - 35n) / 2n : 0n;
}
