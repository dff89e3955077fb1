import type { BlockName } from "../../../store/chain/chain-message.ts";
import type { ChainReply } from "../../../store/chain/chain-reply.ts";
import type { ChainSettings } from "../chain-settings.ts";
import {
  type AskNode,
  isRevert,
  type NodeBlock,
  readConfirmed,
  readCount,
  readHash,
  readHead,
  readHex,
  readObject,
  readQuantity,
  refusalOf,
} from "../node-answer.ts";
import type { ReplyCodec, SignedTransaction } from "./reply-codec.ts";
import type { ReplyFacts, ReplyObstacle, ReplyProgress, ReplyQuote, ReplyReceipt } from "./reply-step.ts";

/** How the chain and the key's account are just now. */
export type AccountFacts = {
  readonly head: NodeBlock;
  readonly confirmed: number;
  readonly nonce: number;
  readonly pendingNonce: number;
  /** How far the chain was read before. */
  readonly read?: BlockName | undefined;
};

export async function readAccount(ask: AskNode, { address, confirmations }: ChainSettings): Promise<AccountFacts> {
  const [head, latest, pending] = await Promise.all([
    readHead(ask),
    ask("eth_getTransactionCount", [address, "latest"]),
    ask("eth_getTransactionCount", [address, "pending"]),
  ]);
  const nonce = readCount("the nonce", latest);
  return {
    head,
    confirmed: await readConfirmed(ask, head.number, confirmations),
    nonce,
    pendingNonce: Math.max(nonce, readCount("the nonce", pending)),
  };
}

/** All transactions that were ever signed for a reply, oldest first. */
export function transactionsOf({ raw }: Pick<ChainReply, "raw">, codec: ReplyCodec): readonly SignedTransaction[] {
  return raw === null ? [] : raw.split(",").map((one) => codec.readTransaction(one as `0x${string}`));
}

/** How they are kept: all of them, so that whichever gets into a block is known. */
export function rawsOf(transactions: readonly SignedTransaction[]): string {
  return transactions.map(({ raw }) => raw).join(",");
}

/** Which of its transactions is to be followed: the one on record. */
export function progressOf(reply: ChainReply, transactions: readonly SignedTransaction[]): ReplyProgress {
  const { state, included, body, tx, block, blockHash, sentAt, reason, onChain, signedFor } = reply;
  if (state === "final" || state === "failed") throw new Error(`A reply that is ${state} is followed.`);
  return {
    ...{ state, tx, block, blockHash, sentAt, reason, isOrphaned: !included },
    bytes: Buffer.byteLength(body),
    signed: transactions.find((one) => one.tx === tx),
    isStale: signedFor !== null && signedFor !== onChain,
    places: new Set(transactions.map(({ nonce }) => nonce)).size,
  };
}

/**
 * What came of its transactions: the one that did it; or that of the one that is followed, if it did nothing. What all of
 * them cost, also those that did nothing.
 */
export async function readReceipt(
  ask: AskNode,
  { tx }: Pick<ChainReply, "tx">,
  transactions: readonly SignedTransaction[],
): Promise<Pick<ReplyFacts, "receipt" | "paid">> {
  const nonce = transactions.find((one) => one.tx === tx)?.nonce;
  let done: ReplyReceipt | undefined;
  let refused: ReplyReceipt | undefined;
  let paid = 0n;
  for (const one of [...transactions].reverse()) {
    const answer = await ask("eth_getTransactionReceipt", [one.tx]);
    // Some nodes have one for what is in no block yet.
    if (answer === null || answer === undefined || Object(answer).blockHash === null) continue;
    const { cost, ...receipt } = receiptOf(one.tx, answer);
    paid += cost;
    if (receipt.isSuccess) done ??= receipt;
    else if (one.nonce === nonce) refused ??= receipt;
  }
  return { receipt: done ?? refused, paid };
}

function receiptOf(tx: string, answer: unknown): ReplyReceipt & { readonly cost: bigint } {
  const { blockNumber, blockHash, status, gasUsed, effectiveGasPrice, l1Fee } = readObject("a receipt", answer);
  const gas = readQuantity("the gas used", gasUsed) * readQuantity("the gas price", effectiveGasPrice ?? "0x0");
  return {
    tx,
    block: readCount("a receipt's block", blockNumber),
    blockHash: readHash("a receipt's block", blockHash),
    isSuccess: readQuantity("a receipt's status", status) === 1n,
    // What chains on top of another ask besides.
    cost: gas + (l1Fee === undefined || l1Fee === null ? 0n : readQuantity("the fee below", l1Fee)),
  };
}

/** Whether the contract has a reply to a message. */
export async function readReplied(
  ask: AskNode,
  codec: ReplyCodec,
  contract: string,
  onChain: string,
): Promise<boolean> {
  const answer = await ask("eth_call", [{ to: contract, data: codec.repliedData(onChain) }, "latest"]);
  const hex = readHex("whether there is a reply", answer);
  if (hex.length !== 66)
    throw new Error("The contract does not say whether there is a reply: is it the inbox contract?");
  return codec.readNumber(hex) === 1n;
}

/** A gwei: where a node has no idea of a tip. */
const usualTip = 1_000_000_000n;

/** What it would cost now, or why the contract would not take it. */
export async function readQuote(
  ask: AskNode,
  codec: ReplyCodec,
  { baseFee }: NodeBlock,
  call: { readonly from: string; readonly to: string; readonly data: string },
): Promise<ReplyQuote | ReplyObstacle> {
  const [gas, tip, balance] = await Promise.all([
    ask("eth_estimateGas", [call]).catch((error) => obstacleOf(error, codec)),
    ask("eth_maxPriorityFeePerGas", []).catch((error) => {
      if (refusalOf(error) === undefined) throw error;
      return undefined;
    }),
    ask("eth_getBalance", [call.from, "latest"]),
  ]);
  if (typeof gas === "object" && gas !== null && "kind" in gas) return gas as ReplyObstacle;
  const estimate = readQuantity("the gas", gas);
  return {
    // A quarter more than it needs just now: what is not used is not paid.
    gas: estimate + estimate / 4n,
    baseFee,
    tip: tip === undefined ? usualTip : readQuantity("the tip", tip),
    balance: readQuantity("the balance", balance),
  };
}

/** A node that is asked for the gas of a call that does not work says why; anything else it says is trouble. */
function obstacleOf(error: unknown, codec: ReplyCodec): ReplyObstacle {
  const refusal = refusalOf(error);
  if (refusal && /insufficient funds|enough funds/i.test(refusal.message)) return { kind: "funds", name: "funds" };
  if (!refusal || !isRevert(refusal)) throw error;
  const { data = "0x" } = refusal;
  return { kind: "revert", name: data.length >= 10 ? codec.errorName(data) : "it gives no reason" };
}
