import { loadPackage } from "../../packages/load-package.ts";
import type { ChainPost } from "../../store/chain/chain-message.ts";
import type { ChainSettings } from "./chain-settings.ts";
import { countOf, isHash } from "./node-answer.ts";
import { postBody } from "./post-body.ts";

/** The contract's event that a message was posted. */
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

/** What of it is in no topic. */
const contents = [{ type: "uint256" }, { type: "bytes" }] as const;

type Hex = `0x${string}`;

/** An event as an address of the chain tells it. */
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
  /** Which events are asked for: posts to this agent. */
  readonly topics: readonly (string | null)[];
  /** Those that were told, as posts in the order of the chain; or which of them is no such event. */
  readonly read: (told: readonly unknown[], range: BlockRange) => ChainPost[] | { readonly fault: string };
};

type BlockRange = { readonly from: number; readonly to: number };

export const viemPurpose = { purpose: "An inbox on a chain" };

/** The agent's own address posts to nobody: whoever has its key could else let it answer itself, and pay for each reply. */
const ownPost = "It came from the agent's own address.";

export async function loadPostedLogs({
  contract,
  address,
}: Pick<ChainSettings, "contract" | "address">): Promise<PostedLogs> {
  const { decodeAbiParameters, encodeEventTopics } = await loadPackage("viem", viemPurpose);
  const abi = [postedEvent];
  const topics = encodeEventTopics({ abi, eventName: "Posted", args: { agent: address } }) as (string | null)[];
  const postOf = (log: Log, place: number): ChainPost => {
    // By hand what is in topics: viem would make a checksum of every address, which takes longer than all the rest.
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
    read: (told, range) => {
      const logs: Log[] = [];
      for (const one of told) {
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

/** By the block it says it is of: that is what to compare with another address. */
function faultOf(told: unknown, { from, to }: BlockRange): string {
  const { blockNumber } = Object(told) as { readonly blockNumber?: unknown };
  const block = typeof blockNumber === "number" ? blockNumber : countOf(blockNumber);
  const isAsked = block !== undefined && block >= from && block <= to;
  const where = isAsked || from === to ? `block ${block ?? from}` : `the blocks ${from} to ${to}`;
  return `what it tells of ${where} is no event of the contract.`;
}

/** Each once, in the order of the chain, and the how-manyth of its transaction it is. */
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

/** Nothing, where it is none of those that were asked for. */
function logOf(told: unknown, contract: string, asked: readonly (string | null)[]): Log | undefined {
  const log = Object(told) as Readonly<Record<string, unknown>>;
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
