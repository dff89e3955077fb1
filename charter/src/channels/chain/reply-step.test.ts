import { expect, test } from "vitest";
import { nextStep, type ReplyFacts, type ReplyProgress, type ReplyStep } from "./reply-step.ts";

const now = new Date("2026-02-18T15:04:00.000Z");
const justNow = "2026-02-18T15:03:50.000Z";
const longAgo = "2026-02-18T15:00:00.000Z";
const ether = 10n ** 18n;
const limits = { perReply: ether / 1000n, perDay: ether / 50n, stuckMs: 60_000 };

const waiting: ReplyProgress = {
  ...{ state: "waiting", isOrphaned: false, bytes: 20, places: 0 },
  ...{ tx: null, block: null, blockHash: null, sentAt: null, reason: null },
};
const offer = { nonce: 5, maxFeePerGas: 2_000n, maxPriorityFeePerGas: 100n };
const signed: ReplyProgress = { ...waiting, state: "signed", signed: offer, places: 1, tx: "0x1" };
const sent: ReplyProgress = { ...signed, state: "sent", sentAt: justNow };
const stuck: ReplyProgress = { ...sent, sentAt: longAgo };
const mined: ReplyProgress = { ...sent, state: "mined", block: 100, blockHash: "0xb100" };
const foundAt: ReplyProgress = { ...mined, tx: null, block: 101, blockHash: "0xb101" };

const facts: ReplyFacts = {
  ...{ head: { number: 101, hash: "0xb101" }, confirmed: 90, isReplied: false, nonce: 5, pendingNonce: 5 },
  ...{ place: 5, isBusy: false, spent: 0n, promised: 0n, paid: 0n },
};
const quote = { gas: 50_000n, baseFee: 1_000n, tip: 100n, balance: ether };
const receipt = { tx: "0x1", block: 100, blockHash: "0xb100", isSuccess: true };
const failure = { ...receipt, isSuccess: false };
const dear = { ...quote, baseFee: 20_000_000_000n };
const fee = { gas: 50_000n, maxFeePerGas: 2_100n, maxPriorityFeePerGas: 100n };
const raisedFee = { gas: 50_000n, maxFeePerGas: 2_500n, maxPriorityFeePerGas: 125n };
const where = { tx: "0x1", block: 100, blockHash: "0xb100", cost: 7n };
const wait = (reason?: string): ReplyStep => (reason === undefined ? { do: "wait" } : { do: "wait", reason });
const gone = "The message is in no block any more.";
const taken = "Another transaction of this key has its nonce.";
const refusing = (name: string) => ({ ...facts, quote: { kind: "revert" as const, name } });

const steps: [what: string, reply: ReplyProgress, facts: ReplyFacts, step: ReplyStep][] = [
  ["one that waits needs a fee", waiting, facts, { do: "quote" }],
  ["with a fee it is signed", waiting, { ...facts, quote }, { do: "sign", nonce: 5, fee }],
  [
    "one that was held is signed when it may",
    { ...waiting, state: "held" },
    { ...facts, quote },
    { do: "sign", nonce: 5, fee },
  ],
  ["as many as may be are on their way", waiting, { ...facts, isBusy: true }, wait()],
  [
    "others are on their way: the place after them",
    waiting,
    { ...facts, place: 7, pendingNonce: 7, promised: 1n, quote },
    { do: "sign", nonce: 7, fee },
  ],
  [
    "they may take what there is to pay with",
    waiting,
    { ...facts, place: 6, promised: 1n, quote: { ...quote, balance: 50_000n * 2_100n } },
    wait(),
  ],
  [
    "they may take what is left of the day, and cost less than that",
    waiting,
    { ...facts, place: 6, quote, promised: ether / 50n, spent: ether / 50n },
    wait(),
  ],
  [
    "what has been paid already takes what is left of the day",
    waiting,
    { ...facts, place: 6, quote, promised: 1n, spent: ether / 50n },
    {
      do: "hold",
      reason: "It needs 0.00000000006125 ETH, which passes maxFeePerDay (0.02 ETH, 0.02 ETH of it used today).",
    },
  ],
  [
    "a transaction of someone else with this key comes first",
    waiting,
    { ...facts, pendingNonce: 6 },
    wait("A transaction of this key that is not ours waits for a block."),
  ],
  [
    "one of ours that is of no use any more is outbid",
    waiting,
    { ...facts, pendingNonce: 6, outbid: offer, quote },
    { do: "sign", nonce: 5, fee: raisedFee },
  ],
  [
    "the same in the middle of others",
    waiting,
    { ...facts, place: 7, pendingNonce: 9, outbid: offer, quote },
    { do: "sign", nonce: 7, fee: raisedFee },
  ],
  [
    "a gap in the middle: the last takes that place, and what it may cost is not counted twice",
    { ...sent, signed: { ...offer, nonce: 9 } },
    {
      ...facts,
      ...{ place: 7, pendingNonce: 7, isBehindGap: true, isBusy: true },
      spent: ether / 50n - 1n,
      promised: 2n,
      quote: { ...quote, baseFee: 900n },
    },
    { do: "sign", nonce: 7, fee: { gas: 50_000n, maxFeePerGas: 1_900n, maxPriorityFeePerGas: 100n } },
  ],
  [
    "one whose place nobody leads up to any more takes the next one",
    { ...sent, signed: { ...offer, nonce: 7 } },
    { ...facts, isBehindGap: true, isBusy: true, quote },
    { do: "sign", nonce: 5, fee },
  ],
  [
    "while something waits for a block at that place, it is sent as it is",
    { ...sent, signed: { ...offer, nonce: 7 } },
    { ...facts, isBehindGap: true, pendingNonce: 6 },
    { do: "send" },
  ],
  [
    "one that is too long fails, and is not cut",
    { ...waiting, bytes: 4097 },
    facts,
    { do: "fail", reason: "The reply has 4097 bytes; the contract takes 4096." },
  ],
  ["one that just fits does not", { ...waiting, bytes: 4096 }, facts, { do: "quote" }],
  [
    "too much for a reply",
    waiting,
    { ...facts, quote: dear },
    {
      do: "hold",
      reason: "It needs 0.001125000005 ETH, which passes maxFeePerReply (0.001 ETH).",
    },
  ],
  [
    "too much for the day",
    waiting,
    { ...facts, quote, spent: ether / 50n },
    {
      do: "hold",
      reason: "It needs 0.00000000006125 ETH, which passes maxFeePerDay (0.02 ETH, 0.02 ETH of it used today).",
    },
  ],
  [
    "nothing to pay with",
    waiting,
    { ...facts, quote: { kind: "funds", name: "insufficient funds" } },
    { do: "hold", reason: "The agent's address has too little ETH for the fee." },
  ],
  [
    "too little to pay with",
    waiting,
    { ...facts, quote: { ...quote, balance: 50_000n * 2_100n - 1n } },
    { do: "hold", reason: "The agent's address has too little ETH for the fee." },
  ],
  [
    "a message of another agent",
    waiting,
    refusing("NotTheAgent"),
    { do: "fail", reason: "The message is for another agent than the key's." },
  ],
  ["a node that is behind", waiting, refusing("UnknownMessage"), wait("The contract says UnknownMessage.")],
  ["a node that is ahead", waiting, refusing("AlreadyReplied"), wait("The contract says AlreadyReplied.")],
  ["what nobody foresaw", waiting, refusing("0x1234"), { do: "hold", reason: "The contract refuses it: 0x1234." }],
  ["a message that is gone", { ...waiting, isOrphaned: true }, { ...facts, quote }, wait(gone)],
  ["signed, and the message is gone", { ...signed, isOrphaned: true }, facts, wait(gone)],
  ["signed: sent", signed, facts, { do: "send" }],
  [
    "signed, and in a block: it was sent before a crash",
    signed,
    { ...facts, nonce: 6, receipt, paid: 7n },
    { do: "mine", ...where },
  ],
  ["sent: sent again, the same bytes", sent, facts, { do: "send" }],
  ["sent long ago: a fee", stuck, facts, { do: "quote" }],
  [
    "sent long ago: more is offered, at the same place",
    stuck,
    { ...facts, quote },
    { do: "sign", nonce: 5, fee: raisedFee },
  ],
  ["sent long ago, and more would be too much", stuck, { ...facts, quote: { ...quote, gas: ether } }, { do: "send" }],
  [
    "sent long ago, and the day is spent",
    stuck,
    { ...facts, quote, spent: ether / 50n + 100_000_000n },
    { do: "send" },
  ],
  [
    "what it may cost by now is not counted twice",
    stuck,
    { ...facts, quote, spent: ether / 50n - 25_000_000n },
    { do: "sign", nonce: 5, fee: raisedFee },
  ],
  ["sent long ago, behind another", stuck, { ...facts, nonce: 4, quote }, { do: "send" }],
  ["sent long ago, and the node says no", stuck, refusing("UnknownMessage"), { do: "send" }],
  ["in a block", sent, { ...facts, nonce: 6, receipt, paid: 7n }, { do: "mine", ...where }],
  ["in a block, as is known", mined, { ...facts, nonce: 6, receipt }, wait()],
  [
    "in another block",
    mined,
    { ...facts, nonce: 6, receipt: { ...receipt, blockHash: "0xc" }, paid: 7n },
    { do: "mine", ...where, blockHash: "0xc" },
  ],
  ["final", mined, { ...facts, confirmed: 100, nonce: 6, receipt, paid: 7n }, { do: "finish", ...where }],
  [
    "final, though it is only known as signed",
    signed,
    { ...facts, confirmed: 100, receipt, paid: 7n },
    { do: "finish", ...where },
  ],
  [
    "final, though the message is said to be gone",
    { ...mined, isOrphaned: true },
    { ...facts, confirmed: 100, receipt, paid: 7n },
    { do: "finish", ...where },
  ],
  ["out of its block again: the same bytes", mined, facts, { do: "send" }],
  ["out of its block, with its message", { ...mined, isOrphaned: true }, facts, wait(gone)],
  [
    "on the chain, and nobody knows by which transaction",
    waiting,
    { ...facts, isReplied: true },
    { do: "mine", tx: null, block: 101, blockHash: "0xb101" },
  ],
  [
    "the same of one that was sent",
    sent,
    { ...facts, isReplied: true },
    { do: "mine", tx: null, block: 101, blockHash: "0xb101" },
  ],
  ["seen on the chain, not for long", foundAt, { ...facts, isReplied: true }, wait()],
  [
    "seen on the chain for long enough",
    foundAt,
    { ...facts, isReplied: true, confirmed: 101 },
    { do: "finish", tx: null, block: 101, blockHash: "0xb101" },
  ],
  [
    "seen on the chain, then not",
    { ...foundAt, signed: undefined },
    { ...facts, quote },
    { do: "sign", nonce: 5, fee },
  ],
  ["its place is taken, since just now", sent, { ...facts, nonce: 6 }, wait(taken)],
  ["its place is taken, and may be free again", sent, { ...facts, nonce: 6, takenSince: 91 }, wait(taken)],
  ["its place is taken for good", sent, { ...facts, nonce: 6, takenSince: 90 }, { do: "quote" }],
  ["out of its block, and its place is taken for good", mined, { ...facts, nonce: 6, takenSince: 90 }, { do: "quote" }],
  [
    "refused, not for good",
    sent,
    { ...facts, nonce: 6, receipt: failure },
    wait("The contract refused the transaction 0x1."),
  ],
  [
    "what refused transactions cost is part of what a reply may cost",
    waiting,
    { ...facts, quote, paid: ether / 1000n - 61_249_999n },
    {
      do: "hold",
      reason:
        "It needs 0.00000000006125 ETH, which passes maxFeePerReply (0.001 ETH, 0.000999999938750001 ETH of it used).",
    },
  ],
  ["refused for good: once more", sent, { ...facts, nonce: 6, confirmed: 100, receipt: failure }, { do: "quote" }],
  [
    "refused for good, the third time",
    { ...sent, places: 3 },
    { ...facts, nonce: 6, confirmed: 100, receipt: failure },
    { do: "fail", reason: "The contract refused the transaction 0x1, and 3 were tried." },
  ],
  [
    "refused before, and given another place",
    { ...signed, state: "waiting" },
    { ...facts, nonce: 6, pendingNonce: 6, place: 6, receipt: failure, quote },
    { do: "sign", nonce: 6, fee },
  ],
];
for (const [what, reply, read, step] of steps)
  test(what, () => expect(nextStep(reply, read, limits, now)).toEqual(step));
