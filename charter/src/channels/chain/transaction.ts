import { loadPackage } from "../../packages/load-package.ts";
import { Problem } from "../../prompt/problem.ts";
import { chainKeyVariable, readKeyFile, takeFromEnvironment } from "../../sources/core-memory/key-source.ts";

type Hex = `0x${string}`;

/** A signed transaction of a reply: its bytes, its hash, its nonce and its offer. */
export type SignedTransaction = Pick<GasFee, "maxFeePerGas" | "maxPriorityFeePerGas"> & {
  readonly raw: Hex;
  readonly tx: Hex;
  readonly nonce: number;
};

/** A call of the inbox contract that is to be signed. */
type ReplyCall = {
  readonly chain: number;
  readonly contract: Hex;
  readonly data: Hex;
  readonly nonce: number;
  readonly fee: GasFee;
};

/** A signer with one key, which stays inside it. */
export type ReplySigner = { readonly address: Hex; readonly sign: (call: ReplyCall) => Promise<SignedTransaction> };

/** Encodes calls of contracts and decodes their answers, as far as replies, prices and balances need it. */
export type ReplyCodec = {
  /** Makes the signer of a private key; throws where it is none. */
  readonly signer: (key: Hex) => ReplySigner;
  readonly readTransaction: (raw: Hex) => SignedTransaction;
  readonly replyData: (onChain: string, body: string) => Hex;
  readonly repliedData: (onChain: string) => Hex;
  readonly priceData: (agent: Hex) => Hex;
  readonly setPriceData: (wei: bigint) => Hex;
  readonly tokenData: (call: "balanceOf" | "decimals" | "symbol", owner: Hex) => Hex;
  readonly readNumber: (answer: Hex) => bigint;
  /** Decodes a token's symbol; some are 32 bytes instead of text. */
  readonly readText: (answer: Hex) => string;
  /** Returns the contract's own name of an error, or its first bytes. */
  readonly errorName: (data: Hex) => string;
};

export async function loadReplyCodec(): Promise<ReplyCodec> {
  const purpose = { purpose: "The chain" };
  const [{ privateKeyToAccount }, utils] = await Promise.all([
    loadPackage("viem/accounts", purpose),
    loadPackage("viem/utils", purpose),
  ]);
  const { decodeErrorResult, encodeFunctionData, hexToString, keccak256, parseTransaction, stringToHex } = utils;
  const { decodeAbiParameters } = utils;
  const readTransaction = (raw: Hex): SignedTransaction => {
    const { nonce = 0, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(raw);
    return { raw, tx: keccak256(raw), nonce, maxFeePerGas, maxPriorityFeePerGas };
  };
  return {
    readTransaction,
    signer: (key) => {
      const { address, signTransaction } = privateKeyToAccount(key);
      return {
        address,
        sign: async ({ chain, contract, data, nonce, fee }) =>
          readTransaction(
            await signTransaction({ type: "eip1559", chainId: chain, to: contract, data, nonce, value: 0n, ...fee }),
          ),
      };
    },
    replyData: (onChain, body) =>
      encodeFunctionData({ abi: replyAbi, functionName: "reply", args: [onChain as Hex, stringToHex(body)] }),
    repliedData: (onChain) => encodeFunctionData({ abi: replyAbi, functionName: "replied", args: [onChain as Hex] }),
    priceData: (agent) => encodeFunctionData({ abi: replyAbi, functionName: "price", args: [agent] }),
    setPriceData: (wei) => encodeFunctionData({ abi: replyAbi, functionName: "setPrice", args: [wei] }),
    tokenData: (call, owner) =>
      call === "balanceOf"
        ? encodeFunctionData({ abi: tokenAbi, functionName: call, args: [owner] })
        : encodeFunctionData({ abi: tokenAbi, functionName: call }),
    readNumber: (answer) => decodeAbiParameters([{ type: "uint256" }], answer)[0],
    readText: (answer) =>
      answer.length === 66 ? hexToString(answer, { size: 32 }) : decodeAbiParameters([{ type: "string" }], answer)[0],
    errorName: (data) => {
      try {
        return decodeErrorResult({ abi: replyAbi, data }).errorName;
      } catch {
        return data.slice(0, 10);
      }
    },
  };
}

const message = { name: "id", type: "bytes32" } as const;
const error = <Name extends string>(name: Name) => ({ type: "error", name, inputs: [] }) as const;

/** The functions of the inbox contract that a sender calls, and its errors: see contracts/Inbox.sol. */
const replyAbi = [
  {
    ...{ type: "function", name: "reply", stateMutability: "nonpayable", outputs: [] },
    inputs: [message, { name: "body", type: "bytes" }],
  },
  {
    ...{ type: "function", name: "replied", stateMutability: "view" },
    inputs: [message],
    outputs: [{ name: "", type: "bool" }],
  },
  {
    ...{ type: "function", name: "price", stateMutability: "view" },
    inputs: [{ name: "agent", type: "address" }],
    outputs: [{ name: "", type: "uint256" }],
  },
  {
    ...{ type: "function", name: "setPrice", stateMutability: "nonpayable", outputs: [] },
    inputs: [{ name: "wei_", type: "uint256" }],
  },
  error("NotTheAgent"),
  error("AlreadyReplied"),
  error("UnknownMessage"),
  error("Empty"),
  { type: "error", name: "TooLong", inputs: [{ name: "bytes_", type: "uint256" }] },
] as const;

const view = { type: "function", stateMutability: "view" } as const;

const tokenAbi = [
  {
    ...view,
    ...{ name: "balanceOf", inputs: [{ name: "owner", type: "address" }], outputs: [{ name: "", type: "uint256" }] },
  },
  { ...view, name: "decimals", inputs: [], outputs: [{ name: "", type: "uint8" }] },
  { ...view, name: "symbol", inputs: [], outputs: [{ name: "", type: "string" }] },
] as const;

/** The offer of a transaction for its gas, in wei. */
export type GasFee = {
  readonly gas: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
};

/** The chain's current demand: the gas the call needs, the base fee of the next block, and the usual tip. */
export type FeeQuote = { readonly gas: bigint; readonly baseFee: bigint; readonly tip: bigint };

/** Maximum cost of a transaction, and of all transactions of a day. */
export type FeeLimits = { readonly perReply: bigint; readonly perDay: bigint };

/** A fee, or the limit it would exceed, with the least that is needed. */
export type FeeChoice =
  | { readonly kind: "fee"; readonly fee: GasFee }
  | { readonly kind: "over"; readonly limit: keyof FeeLimits; readonly needed: bigint };

/**
 * Chooses an offer. A base fee rises by an eighth per block at most: an offer below that might wait, and twice the base fee lasts
 * for five blocks. The limits decide between the two. A replacement has to offer a quarter more.
 */
export function chooseFee(
  { gas, baseFee, tip }: FeeQuote,
  limits: FeeLimits & { readonly spent: bigint },
  replaced?: Pick<GasFee, "maxFeePerGas" | "maxPriorityFeePerGas">,
): FeeChoice {
  const priority = larger(tip, raised(replaced?.maxPriorityFeePerGas));
  const minFeePerGas = larger(baseFee + baseFee / 8n + priority, raised(replaced?.maxFeePerGas));
  const left = limits.perDay - limits.spent;
  const needed = gas * minFeePerGas;
  if (needed > limits.perReply) return { kind: "over", limit: "perReply", needed };
  if (needed > left) return { kind: "over", limit: "perDay", needed };
  const preferred = larger(minFeePerGas, 2n * baseFee + priority);
  const allowed = (limits.perReply < left ? limits.perReply : left) / gas;
  const maxFeePerGas = preferred < allowed ? preferred : larger(allowed, minFeePerGas);
  return { kind: "fee", fee: { gas, maxFeePerGas, maxPriorityFeePerGas: priority } };
}

/** Computes the maximum cost of an offer. */
export function costOf({ gas, maxFeePerGas }: Pick<GasFee, "gas" | "maxFeePerGas">): bigint {
  return gas * maxFeePerGas;
}

function raised(fee: bigint | undefined): bigint {
  return fee === undefined ? 0n : fee + (fee + 3n) / 4n;
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

/** The place of an agent's key, the address it must belong to, and a function from key to address. */
type ChainKeyOptions = {
  readonly agent: string;
  readonly address: string;
  readonly keyFile?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly addressOf: (key: `0x${string}`) => string;
};

/**
 * Reads the secret key that signs an agent's replies; undefined, where none is set. No Problem contains the text that was read:
 * it may be a key all the same.
 */
export async function readChainKey(options: ChainKeyOptions): Promise<`0x${string}` | undefined> {
  const { agent, address, addressOf } = options;
  const text = await readPlace(options);
  if (text === undefined) return undefined;
  const [, hex] = /^\s*(?:0x)?([0-9a-f]{64})\s*$/i.exec(text) ?? [];
  const key = `0x${hex?.toLowerCase()}` as const;
  const keyAddress = hex === undefined ? undefined : addressIn(addressOf, key);
  if (keyAddress === undefined)
    throw badKey(
      `What was read for the chain key of “${agent}” is no private key.`,
      "Give 64 hex digits, and nothing else.",
    );
  if (keyAddress.toLowerCase() !== address.toLowerCase())
    throw badKey(
      `The chain key of “${agent}” is that of ${keyAddress.toLowerCase()}, and not of ${address.toLowerCase()}, its address.`,
      "Give the key of automaton.chain.address, or that key's address.",
    );
  return key;
}

async function readPlace({ agent, keyFile, env }: ChainKeyOptions): Promise<string | undefined> {
  if (keyFile !== undefined)
    return readKeyFile({
      ...{ called: `chain key of “${agent}”`, path: keyFile },
      hint: "Put the key there, with mode 0600, or leave keyFile out and set CHARTER_CHAIN_KEY.",
    });
  try {
    return takeFromEnvironment(`chain:${agent}`, chainKeyVariable, env);
  } catch (error) {
    if (error instanceof Problem && error.code === "key-missing") return undefined;
    throw error;
  }
}

function addressIn(addressOf: ChainKeyOptions["addressOf"], key: `0x${string}`): string | undefined {
  try {
    return addressOf(key);
  } catch {
    // A number that is no key.
    return undefined;
  }
}

function badKey(message: string, hint: string): Problem {
  return new Problem("bad-key", message, hint);
}
