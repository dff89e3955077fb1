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

/** How far a reply is on its way onto the chain. */
export type ReplyProgress = {
  readonly state: "waiting" | "signed" | "sent" | "mined" | "held";
  /** Its message is in no block just now. */
  readonly isOrphaned: boolean;
  /** How long its words are. */
  readonly bytes: number;
  /** What its transaction offers, and where it stands among those of the key; nothing before the first. */
  readonly signed?: (Pick<GasFee, "maxFeePerGas" | "maxPriorityFeePerGas"> & { readonly nonce: number }) | undefined;
  /** The contract has another name for the message since it was signed. */
  readonly isStale?: boolean;
  /** How many places among the key's transactions it has had. */
  readonly places: number;
  readonly tx: string | null;
  readonly block: number | null;
  readonly blockHash: string | null;
  readonly sentAt: string | null;
  readonly reason: string | null;
};

/** What one of its transactions came to. */
type ReplyReceipt = {
  readonly tx: string;
  readonly block: number;
  readonly blockHash: string;
  readonly isSuccess: boolean;
};

/** Why the chain would not take it as it is, by what it says when it is asked for the gas. */
type ReplyObstacle = { readonly kind: "revert" | "funds"; readonly name: string };

/** What the chain asks just now, and what the address has. */
type ReplyQuote = FeeQuote & { readonly balance: bigint };

/** What was read of the chain for one reply. */
export type ReplyFacts = {
  readonly head: { readonly number: number; readonly hash: string };
  /** Up to this block nothing changes any more. */
  readonly confirmed: number;
  /** The contract has a reply to this message. */
  readonly isReplied: boolean;
  readonly receipt?: ReplyReceipt | undefined;
  /** What its transactions that are in blocks have cost, in wei: those too that did nothing. */
  readonly paid: bigint;
  /** The next place among the key's transactions: by those in blocks, and with those that wait. */
  readonly nonce: number;
  readonly pendingNonce: number;
  /** The head when it was first seen that another transaction has its place. */
  readonly takenSince?: number | undefined;
  /** The first place among the key's transactions that no reply on its way has. */
  readonly place: number;
  /** As many as may be are on their way and in no block yet. */
  readonly isBusy: boolean;
  /** That place is before others that are on their way, and this is the last of those. */
  readonly isBehindGap?: boolean;
  /** The most that a transaction of ours at that place offers which is of no use any more: to be outbid. */
  readonly outbid?: Pick<GasFee, "maxFeePerGas" | "maxPriorityFeePerGas"> | undefined;
  /** Asked for where a step says so. */
  readonly quote?: ReplyQuote | ReplyObstacle | undefined;
  /** What the replies of this day have cost, or may. */
  readonly spent: bigint;
  /** The most that those on their way may cost: it is among what was spent, and still part of the balance. */
  readonly promised: bigint;
};

/** What a sender keeps to. */
type ReplyLimits = FeeLimits & {
  /** So long after it was sent a transaction that is in no block is offered more for. */
  readonly stuckMs: number;
};

/** What to do with a reply next. */
export type ReplyStep =
  | { readonly do: "wait"; readonly reason?: string }
  /** Ask for the fee, then decide again. */
  | { readonly do: "quote" }
  | { readonly do: "sign"; readonly nonce: number; readonly fee: GasFee }
  | { readonly do: "send" }
  /** It is in a block; with null, by a transaction that is not on record. */
  | {
      readonly do: "mine" | "finish";
      readonly tx: string | null;
      readonly block: number;
      readonly blockHash: string;
      readonly cost?: bigint;
    }
  | { readonly do: "hold" | "fail"; readonly reason: string };

/** No contract of ours takes longer ones. */
const maxBytes = 4096;
/** A transaction of a reply that did nothing costs all the same: after so many it is left. */
const maxPlaces = 3;

/** Decides by what is on record and what the chain says. Whatever was signed is followed until it can do nothing any more. */
export function nextStep(reply: ReplyProgress, facts: ReplyFacts, limits: ReplyLimits, now: Date): ReplyStep {
  const { state, isOrphaned, signed } = reply;
  const { receipt, isReplied, nonce } = facts;
  if (receipt?.isSuccess) return included(reply, receipt, facts);
  if (isReplied) return found(reply, facts);
  if (isOrphaned) return { do: "wait", reason: "The message is in no block any more." };
  // What was given up before is on record still, and says nothing of what comes next.
  if (state === "waiting" || state === "held") return unsigned(reply, facts, limits);
  if (receipt) return reverted(reply, receipt, facts, limits);
  if (!signed) return unsigned(reply, facts, limits);
  if (nonce > signed.nonce) return displaced(reply, facts, limits);
  if (reply.isStale) return unsigned(reply, facts, limits);
  // What was before it went with a block, and its message too: no block takes this one until that place is filled.
  if (facts.isBehindGap && facts.pendingNonce === facts.place) return moved(reply, signed, facts, limits);
  // Signed and never sent, as far as is known; or it was in a block, and is not any more.
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

/** The contract has a reply, and none of the transactions on record made it: since when is not known, only since when it is seen. */
function found({ state, tx, block, blockHash }: ReplyProgress, { head, confirmed }: ReplyFacts): ReplyStep {
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

/** Before it is signed for another place, nothing may give this one back. */
function displaced(reply: ReplyProgress, facts: ReplyFacts, limits: ReplyLimits): ReplyStep {
  if (facts.takenSince === undefined || facts.takenSince > facts.confirmed)
    return { do: "wait", reason: "Another transaction of this key has its nonce." };
  return unsigned(reply, facts, limits);
}

/** To a place before its own. It is on its way already: what it may cost is among what was spent. */
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
  // One that waits for another before it is not stuck by its own fee.
  if (age < limits.stuckMs || nonce < signed.nonce) return { do: "send" };
  if (quote === undefined) return { do: "quote" };
  if ("kind" in quote) return { do: "send" };
  // What it may cost by now is among what was spent: it is replaced, not added to.
  const choice = chooseFee(quote, { ...leftOf(limits, facts), spent: withoutIts(signed, facts) }, signed);
  return choice.kind === "fee" ? { do: "sign", nonce: signed.nonce, fee: choice.fee } : { do: "send" };
}

/**
 * It is signed, for the first time or for another place. Only what was never signed can be held. Where it waits without a
 * reason, it waits for those on their way, and so would any other.
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
  // Those on their way cost less than they may: what is left of the day is known when they are in a block.
  if (choice.limit === "perDay" && choice.needed <= limits.perDay - (spent - promised)) return { do: "wait" };
  const setting = choice.limit === "perReply" ? "maxFeePerReply" : "maxFeePerDay";
  const said = `It needs ${etherText(choice.needed)} ETH, which passes ${setting} (${etherText(limits[choice.limit])} ETH`;
  const today = choice.limit === "perDay" ? `, ${etherText(spent)} ETH of it used today)` : ")";
  const before = choice.limit === "perReply" && paid > 0n ? `, ${etherText(paid)} ETH of it used)` : today;
  return { do: "hold", reason: `${said}${before}.` };
}

/** A reply may cost so much in all: what it has paid for transactions that did nothing is part of that. */
function leftOf(limits: FeeLimits, { paid }: ReplyFacts): FeeLimits {
  return { perReply: limits.perReply - paid, perDay: limits.perDay };
}

const tooLittle = "The agent's address has too little ETH for the fee.";

/** Mistakes that no waiting mends; all others may pass. */
const lasting: Readonly<Record<string, string>> = {
  NotTheAgent: "The message is for another agent than the key's.",
  TooLong: "The contract takes no reply of this length.",
  Empty: "The contract takes no empty reply.",
};

function refused({ kind, name }: ReplyObstacle): ReplyStep {
  if (kind === "funds") return { do: "hold", reason: tooLittle };
  const fault = Object.hasOwn(lasting, name) ? lasting[name] : undefined;
  if (fault !== undefined) return { do: "fail", reason: fault };
  // A node that is behind knows neither the message nor the reply.
  if (name === "UnknownMessage" || name === "AlreadyReplied")
    return { do: "wait", reason: `The contract says ${name}.` };
  return { do: "hold", reason: `The contract refuses it: ${name}.` };
}

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
