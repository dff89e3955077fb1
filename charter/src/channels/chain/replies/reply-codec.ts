import { loadPackage } from "../../../packages/load-package.ts";
import type { GasFee } from "./reply-fee.ts";

type Hex = `0x${string}`;

/** A transaction of a reply as it was signed: its bytes, its name, its place among those of the key, what it offers. */
export type SignedTransaction = Pick<GasFee, "maxFeePerGas" | "maxPriorityFeePerGas"> & {
  readonly raw: Hex;
  readonly tx: Hex;
  readonly nonce: number;
};

/** What is signed: a call of the inbox contract. */
type ReplyCall = {
  readonly chain: number;
  readonly contract: Hex;
  readonly data: Hex;
  readonly nonce: number;
  readonly fee: GasFee;
};

/** Signs with one key, which nobody else gets to see. */
export type ReplySigner = { readonly address: Hex; readonly sign: (call: ReplyCall) => Promise<SignedTransaction> };

/** How calls of contracts are written and their answers read, as far as replies, prices and balances need it. */
export type ReplyCodec = {
  /** The signer of a private key; throws where it is none. */
  readonly signer: (key: Hex) => ReplySigner;
  readonly readTransaction: (raw: Hex) => SignedTransaction;
  readonly replyData: (onChain: string, body: string) => Hex;
  readonly repliedData: (onChain: string) => Hex;
  readonly priceData: (agent: Hex) => Hex;
  readonly setPriceData: (wei: bigint) => Hex;
  readonly tokenData: (call: "balanceOf" | "decimals" | "symbol", owner: Hex) => Hex;
  readonly readNumber: (answer: Hex) => bigint;
  /** A token's symbol; some are 32 bytes instead of text. */
  readonly readText: (answer: Hex) => string;
  /** The contract's own name of an error, or its first bytes. */
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

/** What of the inbox contract a sender calls, and how it refuses: see contracts/Inbox.sol. */
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
