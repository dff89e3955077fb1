import type { ChainReply } from "../../../store/chain/chain-reply.ts";
import type { SignedTransaction } from "./reply-codec.ts";
import type { AccountFacts } from "./reply-facts.ts";
import type { GasFee } from "./reply-fee.ts";
import type { ReplyFacts } from "./reply-step.ts";

/** A reply that was signed, and all transactions that were signed for it. */
type FollowedReply = {
  readonly reply: Pick<ChainReply, "reply" | "included" | "signedFor" | "onChain" | "tx" | "fee">;
  readonly transactions: readonly SignedTransaction[];
};

/** What one look at all replies shares: which places among the key's transactions are whose. */
export type ReplyRound = {
  readonly account: AccountFacts;
  /** What is decided for one reply by where the others are. */
  readonly factsFor: (reply: string) => Pick<ReplyFacts, "place" | "isBusy" | "isBehindGap" | "outbid" | "promised">;
  /** Its transaction is kept: the place is its own. */
  readonly signed: (reply: string, transaction: SignedTransaction, cost: bigint) => void;
  /** It is in a block. Its place stays taken: the account was read before. */
  readonly mined: (reply: string) => void;
};

/** So many replies may be on their way and in no block. Nodes take no more than 16 to 64 of one key. */
const maxInFlight = 16;

/**
 * Places are given without a gap. Where one is left, as what stood there is of no use any more, the next reply gets it; or
 * the last of those behind it, for nothing behind a gap gets into a block.
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

/** As much as all of them: what replaces one has to be more in both. */
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
