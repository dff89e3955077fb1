import { etherText } from "../../charters/ether.ts";
import type { BlockName } from "../../store/chain/chain-message.ts";
import type { ChainReply } from "../../store/chain/chain-replies.ts";
import type { ChainSettings } from "./chain-config.ts";
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
} from "./node-answer.ts";
import {
  chooseFee,
  costOf,
  type FeeLimits,
  type FeeQuote,
  type GasFee,
  type ReplyCodec,
  type SignedTransaction,
} from "./transaction.ts";

/** The progress of a reply on its way to the chain. */
export type ReplyProgress = {
  readonly state: "waiting" | "signed" | "sent" | "mined" | "held";
  /** Shows that its message is in no block at the moment. */
  readonly isOrphaned: boolean;
  /** Length of its text in bytes. */
  readonly bytes: number;
  /** The offer and nonce of its transaction; undefined before the first. */
  readonly signed?: (Pick<GasFee, "maxFeePerGas" | "maxPriorityFeePerGas"> & { readonly nonce: number }) | undefined;
  /** Shows that the contract's id of the message has changed since it was signed. */
  readonly isStale?: boolean;
  /** Number of nonces it has had. */
  readonly places: number;
  readonly tx: string | null;
  readonly block: number | null;
  readonly blockHash: string | null;
  readonly sentAt: string | null;
  readonly reason: string | null;
};

/** The result of one of its transactions. */
type ReplyReceipt = {
  readonly tx: string;
  readonly block: number;
  readonly blockHash: string;
  readonly isSuccess: boolean;
};

/** The reason why the chain would refuse it, from the estimate of its gas. */
type ReplyObstacle = { readonly kind: "revert" | "funds"; readonly name: string };

/** The chain's current fees, and the address's balance. */
type ReplyQuote = FeeQuote & { readonly balance: bigint };

/** Facts about one reply, read from the chain. */
export type ReplyFacts = {
  readonly head: { readonly number: number; readonly hash: string };
  /** The last block that counts as lasting. */
  readonly confirmed: number;
  /** Shows that the contract has a reply to this message. */
  readonly isReplied: boolean;
  readonly receipt?: ReplyReceipt | undefined;
  /** Cost of its transactions in blocks, in wei, including those that did nothing. */
  readonly paid: bigint;
  /** The key's next nonce: by transactions in blocks, and including waiting ones. */
  readonly nonce: number;
  readonly pendingNonce: number;
  /** The head when its nonce was first seen to be taken by another transaction. */
  readonly takenSince?: number | undefined;
  /** The key's first nonce that no reply on its way has. */
  readonly place: number;
  /** Shows that the maximum number of replies is on its way and in no block yet. */
  readonly isBusy: boolean;
  /** Shows that this nonce is before others on their way, and that this reply is the last of them. */
  readonly isBehindGap?: boolean;
  /** The highest offer of a useless transaction of ours at that nonce, which has to be outbid. */
  readonly outbid?: Pick<GasFee, "maxFeePerGas" | "maxPriorityFeePerGas"> | undefined;
  /** The quote; read only where a step asks for it. */
  readonly quote?: ReplyQuote | ReplyObstacle | undefined;
  /** Cost of today's replies, including what those on their way may cost. */
  readonly spent: bigint;
  /** Maximum cost of the replies on their way: part of `spent`, and still part of the balance. */
  readonly promised: bigint;
};

/** Limits of a sender. */
type ReplyLimits = FeeLimits & {
  /** Milliseconds before a transaction that is in no block gets a higher offer. */
  readonly stuckMs: number;
};

/** The next step for a reply. */
export type ReplyStep =
  | { readonly do: "wait"; readonly reason?: string }
  /** Read the fee, then decide again. */
  | { readonly do: "quote" }
  | { readonly do: "sign"; readonly nonce: number; readonly fee: GasFee }
  | { readonly do: "send" }
  /** Record that it is in a block; `tx` is null for a transaction that is not on record. */
  | {
      readonly do: "mine" | "finish";
      readonly tx: string | null;
      readonly block: number;
      readonly blockHash: string;
      readonly cost?: bigint;
    }
  | { readonly do: "hold" | "fail"; readonly reason: string };

/** Maximum bytes of a reply: no inbox contract takes longer ones. */
const maxBytes = 4096;
/** Maximum number of nonces for a reply: a transaction that does nothing costs all the same. */
const maxPlaces = 3;

/** Decides by the record and the chain. A signed transaction is followed until it can have no effect any more. */
export function nextStep(reply: ReplyProgress, facts: ReplyFacts, limits: ReplyLimits, now: Date): ReplyStep {
  const { state, isOrphaned, signed } = reply;
  const { receipt, isReplied, nonce } = facts;
  if (receipt?.isSuccess) return included(reply, receipt, facts);
  if (isReplied) return repliedElsewhere(reply, facts);
  if (isOrphaned) return { do: "wait", reason: "The message is in no block any more." };
  // Ignores abandoned transactions, which are still on record but say nothing about the next one.
  if (state === "waiting" || state === "held") return unsigned(reply, facts, limits);
  if (receipt) return reverted(reply, receipt, facts, limits);
  if (!signed) return unsigned(reply, facts, limits);
  if (nonce > signed.nonce) return displaced(reply, facts, limits);
  if (reply.isStale) return unsigned(reply, facts, limits);
  // Moves the reply to the first free nonce: the transaction before it was lost with its block and its message, and no block
  // takes this one until that gap is filled.
  if (facts.isBehindGap && facts.pendingNonce === facts.place) return moved(reply, signed, facts, limits);
  // Sends it, if it was signed and never sent, as far as is known, or was in a block and is no longer.
  return state === "sent" ? pending(reply, signed, facts, limits, now) : { do: "send" };
}

function included(
  reply: ReplyProgress,
  { tx, block, blockHash }: ReplyReceipt,
  { confirmed, paid }: ReplyFacts,
): ReplyStep {
  const where = { tx, block, blockHash, cost: paid };
  if (block <= confirmed) return { do: "finish", ...where };
  const isKnown = reply.state === "mined" && reply.blockHash === blockHash && reply.tx === tx;
  return isKnown ? { do: "wait" } : { do: "mine", ...where };
}

/**
 * Handles a reply in the contract that no transaction on record made: when it was made is unknown, so the time it was seen
 * counts.
 */
function repliedElsewhere({ state, tx, block, blockHash }: ReplyProgress, { head, confirmed }: ReplyFacts): ReplyStep {
  if (state !== "mined" || tx !== null || block === null || blockHash === null)
    return { do: "mine", tx: null, block: head.number, blockHash: head.hash };
  return block <= confirmed ? { do: "finish", tx, block, blockHash } : { do: "wait" };
}

function reverted(
  reply: ReplyProgress,
  { tx, block }: ReplyReceipt,
  facts: ReplyFacts,
  limits: ReplyLimits,
): ReplyStep {
  if (block > facts.confirmed) return { do: "wait", reason: `The contract refused the transaction ${tx}.` };
  if (reply.places >= maxPlaces)
    return { do: "fail", reason: `The contract refused the transaction ${tx}, and ${reply.places} were tried.` };
  return unsigned(reply, facts, limits);
}

/** Waits until nothing can return its nonce, before it is signed for another. */
function displaced(reply: ReplyProgress, facts: ReplyFacts, limits: ReplyLimits): ReplyStep {
  if (facts.takenSince === undefined || facts.takenSince > facts.confirmed)
    return { do: "wait", reason: "Another transaction of this key has its nonce." };
  return unsigned(reply, facts, limits);
}

/** Moves a reply to an earlier nonce. It is on its way already, so its possible cost is part of `spent`. */
function moved(
  reply: ReplyProgress,
  signed: NonNullable<ReplyProgress["signed"]>,
  facts: ReplyFacts,
  limits: ReplyLimits,
): ReplyStep {
  const spent = withoutIts(signed, facts);
  return unsigned(reply, { ...facts, isBusy: false, promised: 0n, spent }, limits);
}

function withoutIts({ maxFeePerGas }: Pick<GasFee, "maxFeePerGas">, { quote, spent }: ReplyFacts): bigint {
  if (quote === undefined || "kind" in quote) return spent;
  const before = quote.gas * maxFeePerGas;
  return spent > before ? spent - before : 0n;
}

function pending(
  { sentAt }: ReplyProgress,
  signed: NonNullable<ReplyProgress["signed"]>,
  facts: ReplyFacts,
  limits: ReplyLimits,
  now: Date,
): ReplyStep {
  const { quote, nonce } = facts;
  const age = sentAt === null ? 0 : now.getTime() - Date.parse(sentAt);
  // A transaction that waits for an earlier one is not stuck by its own fee.
  if (age < limits.stuckMs || nonce < signed.nonce) return { do: "send" };
  if (quote === undefined) return { do: "quote" };
  if ("kind" in quote) return { do: "send" };
  // Replaces the earlier cost, which is part of `spent`, instead of adding to it.
  const choice = chooseFee(quote, { ...leftOf(limits, facts), spent: withoutIts(signed, facts) }, signed);
  return choice.kind === "fee" ? { do: "sign", nonce: signed.nonce, fee: choice.fee } : { do: "send" };
}

/**
 * Signs a reply, for the first time or for another nonce. Only one that was never signed can be held. Waiting without a reason
 * means waiting for those on their way, which any other would have to do too.
 */
function unsigned(reply: ReplyProgress, facts: ReplyFacts, limits: ReplyLimits): ReplyStep {
  const step = signAnew(reply, facts, limits);
  const isFollowed = reply.state !== "waiting" && reply.state !== "held";
  return step.do === "hold" && isFollowed ? { do: "wait", reason: step.reason } : step;
}

function signAnew(reply: ReplyProgress, facts: ReplyFacts, limits: ReplyLimits): ReplyStep {
  if (reply.bytes > maxBytes)
    return { do: "fail", reason: `The reply has ${reply.bytes} bytes; the contract takes ${maxBytes}.` };
  if (facts.isBusy) return { do: "wait" };
  if (facts.pendingNonce > facts.place && facts.outbid === undefined)
    return { do: "wait", reason: "A transaction of this key that is not ours waits for a block." };
  const { quote } = facts;
  if (quote === undefined) return { do: "quote" };
  if ("kind" in quote) return refused(quote);
  const { spent, promised, paid } = facts;
  const choice = chooseFee(quote, { ...leftOf(limits, facts), spent }, facts.outbid);
  if (choice.kind === "fee") {
    const cost = costOf(choice.fee);
    if (cost > quote.balance) return { do: "hold", reason: tooLittle };
    return cost + promised > quote.balance ? { do: "wait" } : { do: "sign", nonce: facts.place, fee: choice.fee };
  }
  // Waits: those on their way may cost less, and what is left of the day is known when they are in a block.
  if (choice.limit === "perDay" && choice.needed <= limits.perDay - (spent - promised)) return { do: "wait" };
  const setting = choice.limit === "perReply" ? "maxFeePerReply" : "maxFeePerDay";
  const text = `It needs ${etherText(choice.needed)} ETH, which passes ${setting} (${etherText(limits[choice.limit])} ETH`;
  const today = choice.limit === "perDay" ? `, ${etherText(spent)} ETH of it used today)` : ")";
  const before = choice.limit === "perReply" && paid > 0n ? `, ${etherText(paid)} ETH of it used)` : today;
  return { do: "hold", reason: `${text}${before}.` };
}

/** Reduces the limit of one reply by what it has paid for transactions that did nothing. */
function leftOf(limits: FeeLimits, { paid }: ReplyFacts): FeeLimits {
  return { perReply: limits.perReply - paid, perDay: limits.perDay };
}

const tooLittle = "The agent's address has too little ETH for the fee.";

/** Errors that will not pass; all others may. */
const lastingErrors: Readonly<Record<string, string>> = {
  NotTheAgent: "The message is for another agent than the key's.",
  TooLong: "The contract takes no reply of this length.",
  Empty: "The contract takes no empty reply.",
};

function refused({ kind, name }: ReplyObstacle): ReplyStep {
  if (kind === "funds") return { do: "hold", reason: tooLittle };
  const fault = Object.hasOwn(lastingErrors, name) ? lastingErrors[name] : undefined;
  if (fault !== undefined) return { do: "fail", reason: fault };
  // A node that is behind knows neither the message nor the reply.
  if (name === "UnknownMessage" || name === "AlreadyReplied")
    return { do: "wait", reason: `The contract says ${name}.` };
  return { do: "hold", reason: `The contract refuses it: ${name}.` };
}

/** Facts about the chain and the key's account. */
export type AccountFacts = {
  readonly head: NodeBlock;
  readonly confirmed: number;
  readonly nonce: number;
  readonly pendingNonce: number;
  /** The last block that the reader has read. */
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

/** Lists all transactions that were ever signed for a reply, oldest first. */
export function transactionsOf({ raw }: Pick<ChainReply, "raw">, codec: ReplyCodec): readonly SignedTransaction[] {
  return raw === null ? [] : raw.split(",").map((one) => codec.readTransaction(one as `0x${string}`));
}

/** Joins all transactions for storage, so that whichever gets into a block is recognised. */
export function rawsOf(transactions: readonly SignedTransaction[]): string {
  return transactions.map(({ raw }) => raw).join(",");
}

/** Reads a reply's progress; its followed transaction is the one on record. */
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
 * Reads the receipt of a reply's transactions: of the one that succeeded, else of the followed one, if it failed. `paid` is the
 * cost of all of them, including those that did nothing.
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
    // Some nodes return a receipt for a transaction that is in no block yet.
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
    // Adds the fee of chains that are built on another chain.
    cost: gas + (l1Fee === undefined || l1Fee === null ? 0n : readQuantity("the fee below", l1Fee)),
  };
}

/** Reads whether the contract has a reply to a message. */
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

/** Tip of one gwei, where a node suggests none. */
const usualTip = 1_000_000_000n;

/** Reads the current cost of a call, or why the contract would refuse it. */
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
    // Adds a quarter to the estimate: unused gas is not paid.
    gas: estimate + estimate / 4n,
    baseFee,
    tip: tip === undefined ? usualTip : readQuantity("the tip", tip),
    balance: readQuantity("the balance", balance),
  };
}

/** Reads why a call would fail, from a node's refusal to estimate its gas; any other error is thrown. */
function obstacleOf(error: unknown, codec: ReplyCodec): ReplyObstacle {
  const refusal = refusalOf(error);
  if (refusal && /insufficient funds|enough funds/i.test(refusal.message)) return { kind: "funds", name: "funds" };
  if (!refusal || !isRevert(refusal)) throw error;
  const { data = "0x" } = refusal;
  return { kind: "revert", name: data.length >= 10 ? codec.errorName(data) : "it gives no reason" };
}
