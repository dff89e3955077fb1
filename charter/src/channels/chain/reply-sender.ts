import { createBoundedMap } from "../../prompt/bounds.ts";
import type { ChainPlace } from "../../store/chain/chain-message.ts";
import type { ChainReply, ChainReplyState } from "../../store/chain/chain-replies.ts";
import type { Store } from "../../store/store.ts";
import type { ChainSettings } from "./chain-config.ts";
import { wordsOf } from "./chain-view.ts";
import { type AskNode, refusalOf } from "./node-answer.ts";
import {
  type AccountFacts,
  nextStep,
  progressOf,
  type ReplyFacts,
  type ReplyStep,
  rawsOf,
  readAccount,
  readQuote,
  readReceipt,
  readReplied,
  transactionsOf,
} from "./reply-step.ts";
import { costOf, type GasFee, type ReplyCodec, type ReplySigner, type SignedTransaction } from "./transaction.ts";

/** Options of `createReplySender`. */
type ReplySenderOptions = {
  readonly store: Pick<Store, "chain">;
  readonly agent: string;
  readonly settings: ChainSettings;
  readonly signer: ReplySigner;
  readonly codec: ReplyCodec;
  readonly ask: AskNode;
  /** Name of this process: it sends while it is in charge of the chain. */
  readonly runner: string;
  readonly clock: () => Date;
  /** Reports to the operator; never anyone's words. */
  readonly log: (kind: string, about?: Readonly<Record<string, unknown>>) => void;
};

/** Checks all replies that are waiting or on their way, and does the next step for each. Returns whether there are none. */
export type SendReplies = (signal: AbortSignal) => Promise<{ readonly isIdle: boolean }>;

const stuckMs = 90_000;
/** Milliseconds before a transaction that is in no block yet is sent again. */
const resendMs = 15_000;
/** Milliseconds before a held or refused reply is checked again; also one in a block, while nothing is wrong with it. */
const retryMs = 30_000;
const pageSize = 50;
const never = Number.POSITIVE_INFINITY;
const followed: readonly ChainReplyState[] = ["signed", "sent", "mined"];
const unsigned: readonly ChainReplyState[] = ["waiting", "held"];

/**
 * Sends the replies to an agent's messages to its chain, several at a time. A transaction is stored before it is sent: whatever
 * happens, the same bytes are sent again, and its replacement has the same nonce.
 */
export function createReplySender(options: ReplySenderOptions): SendReplies {
  const { store, agent, settings, signer, codec, ask, runner, clock, log } = options;
  const { replies } = store.chain;
  const place: ChainPlace = { agent, chain: settings.id, contract: settings.contract };
  const limits = { perReply: settings.maxFeePerReply, perDay: settings.maxFeePerDay, stuckMs };
  // Caches of this process only: losing them costs a little time, and nothing else.
  const takenSince = createBoundedMap<string, number>(1000);
  const sentLast = createBoundedMap<string, number>(1000);
  const checkedLast = createBoundedMap<string, number>(10_000);
  /** Returns true if a time is less than `ms` ago. A clock that was set back leaves that unknown. */
  const isSince = (then: number | undefined, ms: number) => Math.abs(clock().getTime() - (then ?? never)) < ms;

  const isInCharge = async () => {
    const cursor = await store.chain.cursor(place);
    return cursor?.runner === runner && (cursor.leasedUntil ?? "") >= clock().toISOString();
  };

  const factsOf = async (reply: ChainReply, transactions: readonly SignedTransaction[], round: ReplyRound) => {
    const { account } = round;
    const { receipt, paid } = await readReceipt(ask, reply, transactions);
    const nonce = transactions.find(({ tx }) => tx === reply.tx)?.nonce;
    const isTaken = receipt === undefined && nonce !== undefined && account.nonce > nonce;
    const since = isTaken ? Math.min(takenSince.get(reply.reply) ?? never, account.head.number) : never;
    takenSince.set(reply.reply, since);
    const facts: ReplyFacts = {
      ...{ ...account, receipt, paid },
      isReplied: !receipt?.isSuccess && (await readReplied(ask, codec, settings.contract, reply.onChain)),
      takenSince: isTaken ? since : undefined,
      ...round.factsFor(reply.reply),
      spent: await replies.feesSince(agent, `${clock().toISOString().slice(0, 10)}T00:00:00.000Z`),
    };
    return facts;
  };

  /** Decides on the next step. A fee is requested only where the decision depends on it. */
  const decide = async (reply: ChainReply, transactions: readonly SignedTransaction[], round: ReplyRound) => {
    const facts = await factsOf(reply, transactions, round);
    const progress = progressOf(reply, transactions);
    const { paid } = facts;
    const step = nextStep(progress, facts, limits, clock());
    if (step.do !== "quote") return { step, paid };
    const call = { from: settings.address, to: settings.contract, data: codec.replyData(reply.onChain, reply.body) };
    const quote = await readQuote(ask, codec, round.account.head, call);
    return { step: nextStep(progress, { ...facts, quote }, limits, clock()), paid };
  };

  /** Sends a transaction; returns the node's objection, if it refuses. */
  const send = async (reply: ChainReply, { raw, tx }: SignedTransaction): Promise<string | undefined> => {
    if (reply.state === "sent" && isSince(sentLast.get(reply.reply), resendMs)) return;
    // Skips a reply whose user was erased meanwhile, or whose message is gone.
    const current = await replies.find(agent, reply.reply);
    if (current?.tx !== tx || !current.included) return;
    sentLast.set(reply.reply, clock().getTime());
    try {
      await ask("eth_sendRawTransaction", [raw]);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) throw error;
      // Ignores that the node has it already, or has another with its nonce: the next round finds out.
      if (!/already|known/i.test(refusal.message)) {
        log("reply-refused", { reply: reply.reply });
        return refusal.message;
      }
    }
    await replies.markSent(agent, reply.reply, tx);
    return undefined;
  };

  const sign = async (
    reply: ChainReply,
    {
      before,
      nonce,
      fee,
      paid,
      round,
    }: { before: readonly SignedTransaction[]; nonce: number; fee: GasFee; paid: bigint; round: ReplyRound },
  ) => {
    const data = codec.replyData(reply.onChain, reply.body);
    const signed = await signer.sign({ chain: settings.id, contract: settings.contract, data, nonce, fee });
    const isFirst = unsigned.includes(reply.state);
    const isKept = await replies.sign(place, {
      ...{ reply: reply.reply, runner, onChain: reply.onChain, tx: signed.tx, nonce, fee: String(paid + costOf(fee)) },
      raw: rawsOf([...before, signed]),
      ...(isFirst ? {} : { instead: reply.tx }),
    });
    if (!isKept) return undefined;
    round.signed(reply.reply, signed, costOf(fee));
    return send({ ...reply, state: "signed" }, signed);
  };

  /** Performs a step; returns what prevented it from having an effect. */
  const perform = async (
    reply: ChainReply,
    { step, paid }: { readonly step: ReplyStep; readonly paid: bigint },
    transactions: readonly SignedTransaction[],
    round: ReplyRound,
  ): Promise<string | undefined> => {
    const { reply: id } = reply;
    switch (step.do) {
      case "wait":
        return step.reason;
      case "quote":
        return undefined;
      case "sign":
        return sign(reply, { before: transactions, nonce: step.nonce, fee: step.fee, paid, round });
      case "send": {
        const one = transactions.find(({ tx }) => tx === reply.tx);
        return one ? send(reply, one) : undefined;
      }
      case "hold":
      case "fail":
        if (step.do === "fail") log("reply-failed", { reply: id });
        await replies[step.do](place, id, step.reason);
        return undefined;
      case "mine":
      case "finish": {
        const { tx, block, blockHash, cost } = step;
        round.mined(id);
        const fee = cost === undefined ? null : String(cost);
        const isKnown = reply.state === "mined" && reply.tx === tx && reply.blockHash === blockHash;
        if (!isKnown) await replies.markFound(place, { reply: id, instead: reply.tx, tx, block, blockHash, fee });
        if (step.do === "finish") await replies.markFinal(agent, id, tx, round.account.read);
        return undefined;
      }
    }
  };

  /** Records what delays a reply. A held reply has its reason already. */
  const noteReason = async (reply: ChainReply, reason: string | null) => {
    if (reply.state !== "held" && reply.reason !== reason) await replies.note(place, reply.reply, reason);
  };
  /** Runs work for a reply and records its failure at the reply too, where an operator looks. */
  const noteFailure = async <Done>(reply: ChainReply | undefined, signal: AbortSignal, work: () => Promise<Done>) => {
    try {
      return await work();
    } catch (error) {
      if (reply && !signal.aborted) await noteReason(reply, wordsOf(error));
      throw error;
    }
  };

  const follow = async (reply: ChainReply, round: ReplyRound, transactions = transactionsOf(reply, codec)) => {
    const decided = await decide(reply, transactions, round);
    const trouble = await perform(reply, decided, transactions, round);
    await noteReason(reply, trouble ?? null);
    return decided.step;
  };

  return async (signal) => {
    if (!(await isInCharge())) return { isIdle: true };
    const inFlight = await allOf((page) => replies.listDue(place, { ...page, states: followed }));
    const [next] = await replies.listDue(place, { limit: 1, states: unsigned });
    if (inFlight.length === 0 && next === undefined) return { isIdle: true };
    // Limits finality to what the reader has read: should such a block be lost after all, the reader notices and goes back.
    const read = (await store.chain.cursor(place))?.last;
    const seen = await noteFailure(inFlight[0] ?? next, signal, () => readAccount(ask, settings));
    const account = { ...seen, confirmed: Math.min(seen.confirmed, read?.block ?? -1), read };
    const onTheirWay = inFlight.map((reply) => ({ reply, transactions: transactionsOf(reply, codec) }));
    const round = createReplyRound(account, onTheirWay);
    const isLater = (reply: string) => isSince(checkedLast.get(reply), retryMs);
    for (const { reply, transactions } of onTheirWay) {
      if (signal.aborted || !(await isInCharge())) return { isIdle: false };
      if (isSettling(reply, account) && isLater(reply.reply)) continue;
      await noteFailure(reply, signal, () => follow(reply, round, transactions));
      checkedLast.set(reply.reply, clock().getTime());
    }
    for (let [passed, isMore] = [0, true]; isMore; ) {
      const page = await replies.listDue(place, { limit: pageSize, offset: passed, states: unsigned });
      isMore = page.length === pageSize;
      for (const reply of page) {
        if (signal.aborted || !(await isInCharge())) return { isIdle: false };
        const step = isLater(reply.reply) ? undefined : await noteFailure(reply, signal, () => follow(reply, round));
        // Stops here: this reply waits for those on their way, and so do all after it.
        if (step?.do === "wait" && step.reason === undefined) return { isIdle: false };
        if (step) checkedLast.set(reply.reply, clock().getTime());
        if (step === undefined || step.do === "wait" || step.do === "hold") passed += 1;
      }
    }
    return { isIdle: false };
  };
}

/** Returns true for a reply in a block that is not lasting yet, as far as the account reveals. */
function isSettling({ state, block, nonce }: ChainReply, account: AccountFacts): boolean {
  return state === "mined" && (block ?? 0) > account.confirmed && nonce !== null && nonce < account.nonce;
}

async function allOf(list: (page: { limit: number; offset: number }) => Promise<ChainReply[]>): Promise<ChainReply[]> {
  const all: ChainReply[] = [];
  for (;;) {
    const page = await list({ limit: pageSize, offset: all.length });
    all.push(...page);
    if (page.length < pageSize) return all;
  }
}

/** A reply that was signed, with all transactions that were signed for it. */
type FollowedReply = {
  readonly reply: Pick<ChainReply, "reply" | "included" | "signedFor" | "onChain" | "tx" | "fee">;
  readonly transactions: readonly SignedTransaction[];
};

/** The state that all replies of a round share: which nonces of the key are taken by which reply. */
type ReplyRound = {
  readonly account: AccountFacts;
  /** Returns the facts about one reply that depend on the others. */
  readonly factsFor: (reply: string) => Pick<ReplyFacts, "place" | "isBusy" | "isBehindGap" | "outbid" | "promised">;
  /** Records a stored transaction: its nonce is taken. */
  readonly signed: (reply: string, transaction: SignedTransaction, cost: bigint) => void;
  /** Records that a reply is in a block. Its nonce stays taken: the account was read before. */
  readonly mined: (reply: string) => void;
};

/** Maximum number of replies in no block yet: nodes accept no more than 16 to 64 transactions of one key. */
const maxInFlight = 16;

/**
 * Assigns nonces without a gap. A gap, left by a useless transaction, is filled by the next reply, or by moving the last one
 * behind it, because nothing behind a gap gets into a block.
 */
export function createReplyRound(account: AccountFacts, followed: readonly FollowedReply[]): ReplyRound {
  const flights = new Map<string, { readonly current: SignedTransaction; readonly cost: bigint }>();
  const taken = new Map<number, string>();
  const useless: SignedTransaction[] = [];
  for (const { reply, transactions } of followed) {
    const isUseful = reply.included && (reply.signedFor === null || reply.signedFor === reply.onChain);
    const current = isUseful ? transactions.find(({ tx }) => tx === reply.tx) : undefined;
    useless.push(...transactions.filter((one) => one !== current));
    if (current === undefined || current.nonce < account.nonce) continue;
    flights.set(reply.reply, { current, cost: BigInt(reply.fee ?? 0) });
    taken.set(current.nonce, reply.reply);
  }
  const place = () => {
    let free = account.nonce;
    while (taken.has(free)) free += 1;
    return free;
  };
  return {
    account,
    factsFor: (reply) => {
      const free = place();
      const last = Math.max(-1, ...taken.keys());
      return {
        place: free,
        isBusy: flights.size - (flights.has(reply) ? 1 : 0) >= maxInFlight,
        isBehindGap: last > free && taken.get(last) === reply && flights.has(reply),
        outbid: highestOf(useless.filter(({ nonce }) => nonce === free)),
        promised: [...flights.values()].reduce((sum, { cost }) => sum + cost, 0n),
      };
    },
    signed: (reply, transaction, cost) => {
      const before = flights.get(reply)?.current;
      if (before) {
        useless.push(before);
        if (taken.get(before.nonce) === reply) taken.delete(before.nonce);
      }
      flights.set(reply, { current: transaction, cost });
      taken.set(transaction.nonce, reply);
    },
    mined: (reply) => void flights.delete(reply),
  };
}

type Offer = Pick<GasFee, "maxFeePerGas" | "maxPriorityFeePerGas">;

/** Returns the highest offers of all: a replacement has to exceed both. */
function highestOf(offers: readonly Offer[]): Offer | undefined {
  return offers.reduce<Offer | undefined>(
    (best, { maxFeePerGas, maxPriorityFeePerGas }) => ({
      maxFeePerGas: larger(maxFeePerGas, best?.maxFeePerGas),
      maxPriorityFeePerGas: larger(maxPriorityFeePerGas, best?.maxPriorityFeePerGas),
    }),
    undefined,
  );
}

function larger(one: bigint, other = 0n): bigint {
  return one > other ? one : other;
}
