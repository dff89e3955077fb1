import { decodeErrorResult, decodeEventLog, encodeEventTopics, encodeFunctionData, parseAbi } from "viem";
import artifact from "../charter/src/channels/chain/inbox-contract.json" with { type: "json" };
import { type ChainRefusal, connectChain, type Hex, type LocalChain } from "./local-chain.ts";

/** The contract on a local chain, whose accounts need no key to send from. */
export type LocalInbox = {
  readonly chain: LocalChain;
  readonly contract: Hex;
  /** The agent's account; others post to it. */
  readonly agent: Hex;
  /** Sends without waiting for a block: the hash of the transaction. */
  readonly send: (posting: Posting) => Promise<Hex>;
  /** Sends and is in a block; a refusal is an error with the contract's own word for it. */
  readonly post: (posting: Posting) => Promise<Posted>;
  readonly reply: (id: Hex, body: string | Uint8Array, from?: Hex) => Promise<Hex>;
  readonly setPrice: (wei: bigint, from?: Hex) => Promise<Hex>;
  readonly posted: () => Promise<Posted[]>;
  readonly replies: () => Promise<Replied[]>;
  /** What the contract has; nothing, or it is broken. */
  readonly kept: () => Promise<bigint>;
};
export type Posting = {
  readonly body: string | Uint8Array;
  /** The third account, unless it is said. */
  readonly from?: Hex;
  readonly value?: bigint;
  readonly agent?: Hex;
  readonly gas?: bigint;
};
export type Posted = {
  readonly id: Hex;
  readonly tx: Hex;
  readonly block: number;
  readonly agent: Hex;
  readonly sender: Hex;
  readonly value: bigint;
  readonly body: Uint8Array;
};
export type Replied = {
  readonly id: Hex;
  readonly tx: Hex;
  readonly block: number;
  readonly agent: Hex;
  readonly body: string;
};

const abi = parseAbi([
  "function post(address agent, bytes body) payable returns (bytes32 id)",
  "function reply(bytes32 id, bytes body)",
  "function setPrice(uint256 wei_)",
  "event Posted(bytes32 indexed id, address indexed agent, address indexed sender, uint256 value, bytes body)",
  "event Replied(bytes32 indexed id, address indexed agent, bytes body)",
  "error PriceNotPaid(uint256 price)",
  "error TooLong(uint256 bytes_)",
  "error Empty()",
  "error NotTheAgent()",
  "error AlreadyReplied()",
  "error UnknownMessage()",
  "error NotForwarded()",
]);

/** Puts the contract on a chain that has none yet. Its address is the same each time: the deployer's first transaction. */
export async function deployInbox(url: string): Promise<LocalInbox> {
  const chain = connectChain(url);
  const [agent, deployer] = (await chain.accounts()) as [Hex, Hex];
  const tx = await chain.request<Hex>("eth_sendTransaction", { from: deployer, data: artifact.bytecode });
  const { contractAddress } = await receiptOf(chain, tx);
  return openInbox(chain, { contract: contractAddress as Hex, agent });
}

/** The contract where `deployInbox` puts it. */
export const usualContract: Hex = "0x8464135c8f25da09e49bc8782676a84730c318bc";

export function openInbox(chain: LocalChain, { contract, agent }: { contract: Hex; agent: Hex }): LocalInbox {
  const transact = async (from: Hex, data: Hex, value = 0n, gas?: bigint): Promise<Hex> => {
    const limit = gas === undefined ? {} : { gas: hex(gas) };
    try {
      return await chain.request<Hex>("eth_sendTransaction", { from, to: contract, data, value: hex(value), ...limit });
    } catch (error) {
      throw named(error as ChainRefusal);
    }
  };
  const send = async ({ body, from, value, agent: to = agent, gas }: Posting) => {
    const data = encodeFunctionData({ abi, functionName: "post", args: [to, bytes(body)] });
    return transact(from ?? ((await chain.accounts())[2] as Hex), data, value, gas);
  };
  const logs = (topic: Hex | undefined) =>
    chain.request<Log[]>("eth_getLogs", { address: contract, fromBlock: "0x0", toBlock: "latest", topics: [topic] });
  return {
    chain,
    contract,
    agent,
    send,
    post: async (posting) => {
      const { logs: found } = await receiptOf(chain, await send(posting));
      return posted(found.find(({ address }) => address === contract) as Log);
    },
    reply: (id, body, from = agent) =>
      transact(from, encodeFunctionData({ abi, functionName: "reply", args: [id, bytes(body)] })),
    setPrice: (wei, from = agent) => transact(from, encodeFunctionData({ abi, functionName: "setPrice", args: [wei] })),
    posted: async () => (await logs(topicOf("Posted"))).map(posted),
    replies: async () => (await logs(topicOf("Replied"))).map(replied),
    kept: () => chain.balance(contract),
  };
}

const topicOf = (eventName: "Posted" | "Replied") => encodeEventTopics({ abi, eventName })[0];

type Log = {
  readonly address: Hex;
  readonly topics: [Hex, ...Hex[]];
  readonly data: Hex;
  readonly transactionHash: Hex;
  readonly blockNumber: Hex;
};
type Receipt = { readonly contractAddress: Hex | null; readonly logs: readonly Log[] };

async function receiptOf(chain: LocalChain, tx: Hex): Promise<Receipt> {
  for (;;) {
    const found = await chain.request<Receipt | null>("eth_getTransactionReceipt", tx);
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function posted(log: Log): Posted {
  const { args } = decodeEventLog({ abi, eventName: "Posted", topics: log.topics, data: log.data });
  return { ...args, ...place(log), body: Buffer.from(args.body.slice(2), "hex") };
}

function replied(log: Log): Replied {
  const { args } = decodeEventLog({ abi, eventName: "Replied", topics: log.topics, data: log.data });
  return { ...args, ...place(log), body: Buffer.from(args.body.slice(2), "hex").toString() };
}

function place({ transactionHash, blockNumber }: Log) {
  return { tx: transactionHash, block: Number(blockNumber) };
}

function named(error: ChainRefusal): Error {
  if (!error.data || error.data === "0x") return error;
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi, data: error.data });
    return new Error(`${errorName}(${args.join(", ")})`);
  } catch {
    return error;
  }
}

function bytes(body: string | Uint8Array): Hex {
  return `0x${Buffer.from(body).toString("hex")}`;
}

function hex(value: bigint): Hex {
  return `0x${value.toString(16)}`;
}
