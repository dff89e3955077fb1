import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeErrorResult,
  encodeEventTopics,
  keccak256,
  parseAbiItem,
  parseTransaction,
  recoverTransactionAddress,
  toHex,
} from "viem";
import contract from "../../src/channels/chain/inbox-contract.json" with { type: "json" };
import { type NodeTransaction, relayedTx } from "./scripted-tx.ts";

type Hex = `0x${string}`;
type Signed = {
  readonly tx: Hex;
  readonly raw: Hex;
  readonly nonce: number;
  readonly fee: bigint;
  readonly to: string;
};
type Receipt = {
  readonly tx: Hex;
  readonly ok: boolean;
  readonly id?: Hex;
  readonly body?: string;
  readonly price?: bigint;
};
type Block = {
  readonly number: number;
  readonly hash: Hex;
  readonly receipts: readonly Receipt[];
  readonly at: number;
};
type Fault = "429" | "500" | "garbage" | "late" | undefined;

/** A chain with one account and one inbox contract, of which a test says when there is a block. It speaks JSON-RPC. */
export type ScriptedAccount = {
  readonly url: string;
  readonly ask: (method: string, params: readonly unknown[]) => Promise<unknown>;
  /** Puts what waits into a new block, or nothing. */
  readonly mine: (blocks?: number, how?: "empty") => void;
  /** Takes the newest blocks back; what was in them waits again, or is forgotten. */
  readonly reorganise: (blocks: number, how?: "forget") => void;
  /** Another transaction of the same key gets the next place. */
  readonly takeNonce: () => void;
  readonly forget: () => void;
  readonly post: (id: string) => void;
  /** The same with its words, in a new block, as a node tells of it. */
  readonly postWords: (id: string, words: { readonly sender: Hex; readonly body: string }) => void;
  readonly withdraw: (id: string) => void;
  readonly set: { baseFee: bigint; balance: bigint; tokens: bigint; fault: (method: string) => Fault };
  /** Of the chain as it is: the replies, and how many transactions the key has in blocks. */
  readonly replies: () => readonly (readonly [id: string, body: string])[];
  readonly transactions: () => number;
  readonly head: () => number;
  readonly asked: string[];
  readonly close: () => Promise<void>;
};

export const contractAddress = `0x${"c0".repeat(20)}` as const;
const postedEvent = parseAbiItem(
  "event Posted(bytes32 indexed id, address indexed agent, address indexed sender, uint256 value, bytes body)",
);
const refusal = (message: string, data?: string) => Object.assign(new Error(message), { code: -32000, data });
const quantity = (value: number | bigint) => toHex(value) as string;
const word = (value: bigint) => toHex(value, { size: 32 });

function errorData(errorName: string): string {
  const args = errorName === "TooLong" ? [4097n] : [];
  return encodeErrorResult({ abi: contract.abi, errorName, args } as Parameters<typeof encodeErrorResult>[0]);
}

export async function newScriptedAccount(about: {
  readonly id: number;
  readonly address: string;
}): Promise<ScriptedAccount> {
  const address = about.address.toLowerCase();
  let blocks: Block[] = [];
  let fork = 0;
  let foreign = 0;
  let pool = new Map<number, Signed>();
  const posted = new Map<string, { readonly block: number; readonly log: (hash: Hex) => object } | undefined>();
  const signed = new Map<string, Signed>();
  const relayed = new Map<string, NodeTransaction>();
  const asked: string[] = [];
  const set: ScriptedAccount["set"] = {
    baseFee: 1_000_000_000n,
    balance: 10n ** 18n,
    tokens: 0n,
    fault: () => undefined,
  };
  const all = () => blocks.flatMap(({ receipts }) => receipts);
  const head = () => blocks.at(-1) as Block;
  const isReplied = (id: string) => all().some((one) => one.ok && one.id === id);
  const add = (receipts: readonly Receipt[]) => {
    const number = blocks.length;
    blocks = [...blocks, { number, hash: keccak256(toHex(`${number}:${fork}`)), receipts, at: number }];
  };
  add([]);
  const pending = () => {
    let nonce = all().length;
    while (pool.has(nonce)) nonce += 1;
    return nonce;
  };
  const callOf = (data: Hex) => {
    const { functionName, args } = decodeFunctionData({ abi: contract.abi as never, data }) as {
      functionName: string;
      args: readonly [Hex, Hex];
    };
    return { functionName, id: args[0], body: args[1] };
  };
  const errorOf = (id: string, body: Hex): string | undefined => {
    if (!posted.has(id)) return "UnknownMessage";
    if (isReplied(id)) return "AlreadyReplied";
    return (body.length - 2) / 2 > 4096 ? "TooLong" : undefined;
  };
  const run = ({ tx, raw }: Signed, before: readonly Receipt[]): Receipt => {
    const { functionName, id, body } = callOf(parseTransaction(raw).data as Hex);
    if (functionName === "setPrice") return { tx, ok: true, price: BigInt(id) };
    const ok = errorOf(id, body) === undefined && !before.some((one) => one.ok && one.id === id);
    return ok ? { tx, ok, id, body: Buffer.from(body.slice(2), "hex").toString() } : { tx, ok };
  };
  const mine: ScriptedAccount["mine"] = (count = 1, how) => {
    for (let left = count; left > 0; left--) {
      const receipts: Receipt[] = [];
      for (let nonce = all().length; how !== "empty" && pool.has(nonce); nonce++) {
        const one = pool.get(nonce) as Signed;
        if (one.fee < set.baseFee) break;
        receipts.push(run(one, receipts));
        pool.delete(nonce);
      }
      add(receipts);
    }
  };
  const send = async (raw: Hex) => {
    const { nonce = 0, maxFeePerGas = 0n, to, chainId } = parseTransaction(raw);
    const one = { tx: keccak256(raw), raw, nonce, fee: maxFeePerGas, to: String(to) };
    const from = await recoverTransactionAddress({ serializedTransaction: raw as never });
    if (from.toLowerCase() !== address || chainId !== about.id) throw refusal("invalid sender");
    signed.set(one.tx, one);
    if (nonce < all().length) throw refusal("nonce too low");
    const before = pool.get(nonce);
    if (before?.tx === one.tx) throw refusal("already known");
    if (before && one.fee < (before.fee * 110n) / 100n) throw refusal("replacement transaction underpriced");
    pool.set(nonce, one);
    return one.tx;
  };
  const methods: Readonly<Record<string, (params: never) => unknown>> = {
    eth_chainId: () => quantity(about.id),
    eth_blockNumber: () => quantity(head().number),
    eth_getBlockByNumber: ([tag]: readonly [string]) => {
      const block =
        tag === "latest" ? head() : tag === "finalized" ? blocks[Math.max(0, blocks.length - 4)] : blocks[Number(tag)];
      return block
        ? {
            number: quantity(block.number),
            hash: block.hash,
            parentHash: blocks[block.number - 1]?.hash ?? word(0n),
            baseFeePerGas: quantity(set.baseFee),
          }
        : null;
    },
    eth_getTransactionCount: ([, tag]: readonly [string, string]) =>
      quantity(tag === "pending" ? pending() : all().length),
    eth_maxPriorityFeePerGas: () => quantity(1_000_000),
    eth_getBalance: () => quantity(set.balance),
    eth_getCode: () => "0x6000",
    eth_getLogs: ([filter]: readonly [Readonly<Record<string, string>>]) =>
      [...posted.values()].flatMap((one) => {
        const block = one && blocks[one.block];
        if (!one || !block) return [];
        const isAsked = filter.blockHash
          ? filter.blockHash === block.hash
          : one.block >= Number(filter.fromBlock) && one.block <= Number(filter.toBlock);
        return isAsked ? [one.log(block.hash)] : [];
      }),
    eth_estimateGas: ([{ data }]: readonly [{ data: Hex }]) => {
      const { functionName, id, body } = callOf(data);
      if (functionName === "setPrice") return quantity(45_000);
      const error = errorOf(id, body);
      if (error === undefined) return quantity(60_000);
      throw refusal("execution reverted", errorData(error));
    },
    eth_call: ([{ to, data }]: readonly [{ to: string; data: Hex }]) => {
      if (String(to).endsWith("70ce")) {
        if (data.startsWith("0x70a08231")) return word(set.tokens);
        return data.startsWith("0x313ce567")
          ? word(6n)
          : `${word(32n)}${word(4n).slice(2)}${"55534443".padEnd(64, "0")}`;
      }
      const { functionName, id } = callOf(data);
      if (functionName === "price") return word(all().findLast(({ price }) => price !== undefined)?.price ?? 0n);
      return word(functionName === "replied" && isReplied(id) ? 1n : 0n);
    },
    eth_sendRawTransaction: ([raw]: readonly [Hex]) => send(raw),
    eth_getTransactionByHash: ([tx]: readonly [Hex]) => relayed.get(tx) ?? null,
    eth_getTransactionReceipt: ([tx]: readonly [Hex]) => {
      const block = blocks.find(({ receipts }) => receipts.some((one) => one.tx === tx));
      const receipt = block?.receipts.find((one) => one.tx === tx);
      return block && receipt
        ? {
            blockNumber: quantity(block.number),
            blockHash: block.hash,
            status: receipt.ok ? "0x1" : "0x0",
            gasUsed: quantity(50_000),
            effectiveGasPrice: quantity(set.baseFee),
          }
        : null;
    },
  };
  const ask: ScriptedAccount["ask"] = async (method, params) => {
    asked.push(method);
    const answer = methods[method];
    if (!answer) throw Object.assign(new Error(`the method ${method} does not exist`), { code: -32601 });
    return answer(params as never);
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { id, method, params = [] } = JSON.parse(Buffer.concat(chunks).toString());
    const fault = set.fault(method);
    if (fault === "429" || fault === "500") return response.writeHead(Number(fault)).end("no");
    if (fault === "garbage") return response.writeHead(200).end("<html>what?</html>");
    if (fault === "late") return;
    const body = await ask(method, params).then(
      (result) => ({ jsonrpc: "2.0", id, result }),
      ({ code, message, data }) => ({ jsonrpc: "2.0", id, error: { code: code ?? -32603, message, data } }),
    );
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ ask, mine, set, asked },
    reorganise: (count, how) => {
      const gone = blocks.slice(-count).flatMap(({ receipts }) => receipts);
      blocks = blocks.slice(0, -count);
      fork += 1;
      for (const { tx } of how === "forget" ? [] : gone) {
        const one = signed.get(tx);
        if (one) pool.set(one.nonce, one);
      }
    },
    takeNonce: () => {
      pool.delete(all().length);
      add([{ tx: keccak256(toHex(`foreign ${++foreign}`)), ok: true }]);
    },
    forget: () => {
      pool = new Map();
    },
    post: (id) => void posted.set(id, undefined),
    postWords: (id, { sender, body }) => {
      const block = blocks.length;
      const told = relayedTx(about.id);
      const tx = told.hash;
      relayed.set(tx, told);
      const topics = encodeEventTopics({ abi: [postedEvent], args: { id: id as Hex, agent: address as Hex, sender } });
      const data = encodeAbiParameters([{ type: "uint256" }, { type: "bytes" }], [7n, toHex(body)]);
      posted.set(id, {
        block,
        log: (blockHash) => ({
          ...{ address: contractAddress, topics, data, blockNumber: quantity(block), blockHash },
          ...{ transactionHash: tx, transactionIndex: "0x0", logIndex: "0x0", removed: false },
        }),
      });
      add([]);
    },
    withdraw: (id) => void posted.delete(id),
    replies: () => all().flatMap((one) => (one.ok && one.id !== undefined ? [[one.id, one.body ?? ""] as const] : [])),
    transactions: () => all().length,
    head: () => head().number,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
