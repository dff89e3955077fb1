import { expect, test } from "vitest";
import { createReplyRound } from "./reply-sender.ts";
import type { SignedTransaction } from "./transaction.ts";

const account = { head: { number: 9, hash: "0x9", baseFee: 1n }, confirmed: 5, nonce: 5, pendingNonce: 5 };
const transaction = (tx: string, nonce: number, fee = 100n): SignedTransaction => ({
  ...{ raw: "0x", tx: tx as `0x${string}`, nonce, maxFeePerGas: fee, maxPriorityFeePerGas: fee / 10n },
});
const followed = (reply: string, transactions: readonly SignedTransaction[], about: object = {}) => ({
  reply: {
    reply,
    included: true,
    signedFor: "0xm",
    onChain: "0xm",
    tx: transactions.at(-1)?.tx ?? null,
    fee: "7",
    ...about,
  },
  transactions,
});
const none = { isBusy: false, isBehindGap: false, outbid: undefined };

test("the next place is after those on their way; what is in a block has none", () => {
  const all = [followed("a", [transaction("0xa", 4)]), followed("b", [transaction("0xb", 5)])];
  expect(createReplyRound(account, all).factsFor("c")).toEqual({ ...none, place: 6, promised: 7n });
});

test("places are given one after the other, and one in a block since keeps its own", () => {
  const round = createReplyRound(account, [followed("a", [transaction("0xa", 5)])]);
  round.signed("b", transaction("0xb", 6), 9n);
  expect(round.factsFor("c")).toEqual({ ...none, place: 7, promised: 16n });
  round.mined("a");
  expect(round.factsFor("c")).toEqual({ ...none, place: 7, promised: 9n });
});

test("sixteen are as many as may be, and each of them may go on", () => {
  const many = Array.from({ length: 16 }, (_, index) => followed(`r${index}`, [transaction(`0x${index}`, 5 + index)]));
  const round = createReplyRound(account, many);
  expect([round.factsFor("c").isBusy, round.factsFor("r3").isBusy]).toEqual([true, false]);
  round.mined("r0");
  expect(round.factsFor("c")).toMatchObject({ isBusy: false, place: 21 });
});

test("what goes with its message, or has another name by now, leaves a gap: only the last moves there, once", () => {
  for (const about of [{ included: false }, { onChain: "0xother" }]) {
    const gone = followed("a", [transaction("0xa", 5, 300n), transaction("0xa2", 5, 200n)], about);
    const behind = [followed("b", [transaction("0xb", 6)]), followed("c", [transaction("0xc", 7)])];
    const round = createReplyRound(account, [gone, ...behind]);
    const outbid = { maxFeePerGas: 300n, maxPriorityFeePerGas: 30n };
    expect(round.factsFor("b")).toEqual({ ...none, place: 5, outbid, promised: 14n });
    expect(round.factsFor("c")).toEqual({ ...none, place: 5, outbid, promised: 14n, isBehindGap: true });
    round.signed("c", transaction("0xc2", 5, 400n), 8n);
    const old = { maxFeePerGas: 100n, maxPriorityFeePerGas: 10n };
    expect(round.factsFor("b")).toEqual({ ...none, place: 7, outbid: old, promised: 15n });
  }
});

test("two at one place: one of them gets in, and the place after it is the next", () => {
  const round = createReplyRound(account, [
    followed("a", [transaction("0xa", 5)]),
    followed("b", [transaction("0xb", 5)]),
  ]);
  expect(round.factsFor("c")).toMatchObject({ place: 6 });
});
