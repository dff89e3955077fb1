import { expect, test } from "vitest";
import { createRpcClient } from "../../src/channels/chain/rpc-client.ts";
import { dieAtMoments, finish } from "./reply-moments.ts";
import { codec, contract, key, onChain, place, stages } from "./reply-stage.ts";

const stage = stages();

test("a reply is sent, mined and final; then the outbox says it was sent, and nothing more is sent", async () => {
  const one = await stage();
  await one.answer(1);
  expect(await finish(one)).toEqual(["sent", "mined", "final"]);
  expect([one.chain.replies(), one.chain.transactions()]).toEqual([[[onChain(1), "Answer 1"]], 1]);
  expect(await one.sentAt(1)).toMatch(/^2026/);
  one.chain.asked.length = 0;
  await one.look();
  expect(one.chain.asked).toEqual([]);
});

test("many go at once, each with the next nonce; the rest when those are in a block", async () => {
  const one = await stage();
  const all = Array.from({ length: 20 }, (_, index) => index + 1);
  for (const count of all) await one.answer(count);
  const generous = one.worker({ settings: { maxFeePerDay: 10n ** 17n } });
  await one.look(generous);
  const states = await Promise.all(all.map(async (count) => (await one.reply(count)).state));
  expect(states).toEqual([...Array(16).fill("sent"), ...Array(4).fill("waiting")]);
  one.chain.mine();
  expect(one.chain.transactions()).toBe(16);
  for (const count of all) await finish(one, count, generous);
  expect(one.chain.replies().map(([id]) => id)).toEqual(all.map(onChain));
  expect(one.chain.transactions()).toBe(20);
});

test("whoever dies at a moment: the next one sends the same transaction, and there is one", async () => {
  expect(await dieAtMoments(await stage(), 17)).toBeGreaterThan(60);
});

test("of two workers only the one in charge sends; when it is gone, the other goes on with its transaction", async () => {
  const one = await stage();
  await one.answer(1);
  const other = one.worker({ runner: "two:2" });
  await one.look(other);
  expect([(await one.reply(1)).state, one.chain.asked]).toEqual(["waiting", []]);
  await one.look();
  const { tx } = await one.reply(1);
  await one.claim("two:2");
  one.chain.forget();
  one.pass(20_000);
  await one.look(other);
  one.chain.mine();
  await one.look();
  expect((await one.reply(1)).state).toBe("sent");
  await one.look(other);
  expect(await one.reply(1)).toEqual({ state: "mined", tx, reason: null });
  expect(one.chain.transactions()).toBe(1);
});

test("fees above what a day may cost: the rest is held till the next day", async () => {
  const one = await stage();
  for (const count of [1, 2, 3]) await one.answer(count);
  const frugal = one.worker({ settings: { maxFeePerDay: 260_000_000_000_000n } });
  await finish(one, 1, frugal);
  await finish(one, 3, frugal);
  await one.answer(4);
  await one.answer(5);
  await finish(one, 4, frugal);
  await one.look(frugal);
  expect(await one.reply(5)).toMatchObject({ state: "held", reason: expect.stringContaining("passes maxFeePerDay") });
  one.pass(9 * 3_600_000);
  await one.claim("one:1");
  expect(await finish(one, 5, frugal)).toEqual(["sent", "mined", "final"]);
});

test("one that no block takes is offered more for, with the same nonce: one gets in", async () => {
  const one = await stage();
  await one.answer(1);
  await one.look();
  const { tx } = await one.reply(1);
  one.chain.set.baseFee = 3_000_000_000n;
  one.chain.mine();
  one.pass(91_000);
  await one.claim("one:1");
  await one.look();
  const replaced = await one.reply(1);
  expect(replaced.tx).not.toBe(tx);
  expect(await finish(one)).toEqual(["sent", "mined", "final"]);
  expect([one.chain.replies().length, one.chain.transactions()]).toEqual([1, 1]);
});

test("the earlier of two gets in after all: that is the one on record", async () => {
  const one = await stage();
  await one.answer(1);
  await one.look();
  const { tx } = await one.reply(1);
  one.pass(91_000);
  await one.claim("one:1");
  const ask = async (method: string, params: readonly unknown[]) =>
    // The new one never arrives.
    method === "eth_sendRawTransaction" ? onChain(0) : one.chain.ask(method, params);
  await one.look(one.worker({ ask }));
  expect((await one.reply(1)).tx).not.toBe(tx);
  one.chain.mine();
  expect(await finish(one)).toEqual(["mined", "final"]);
  expect(await one.reply(1)).toMatchObject({ state: "final", tx });
});

test("someone else's transaction with this key takes its place: it gets another, when that is for good", async () => {
  const one = await stage();
  await one.answer(1);
  await one.look();
  const { tx } = await one.reply(1);
  one.chain.takeNonce();
  await one.look();
  expect((await one.reply(1)).tx).toBe(tx);
  expect(await finish(one)).toEqual(["sent", "mined", "final"]);
  expect((await one.reply(1)).tx).not.toBe(tx);
  expect([one.chain.replies().length, one.chain.transactions()]).toEqual([1, 2]);
});

test("while its block was not read it is not final: when that goes with many others, it is sent again", async () => {
  const one = await stage();
  one.chain.mine(2);
  await one.answer(1);
  await one.look();
  one.chain.mine(9);
  await one.look(undefined, "unread");
  const mined = await one.reply(1);
  one.pass(31_000);
  await one.look(undefined, "unread");
  expect([mined.state, (await one.reply(1)).state]).toEqual(["mined", "mined"]);
  one.chain.reorganise(9, "forget");
  one.chain.mine(9, "empty");
  await one.look();
  expect(await one.reply(1)).toEqual({ ...mined, state: "sent" });
  expect(await finish(one)).toEqual(["sent", "mined", "final"]);
  expect([one.chain.replies().length, one.chain.transactions()]).toEqual([1, 1]);
});

test("a reply that is on the chain already counts as sent, whoever sent it", async () => {
  const one = await stage();
  await one.answer(1);
  const fee = { gas: 100_000n, maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
  const data = codec.replyData(onChain(1), "By hand");
  const { raw } = await codec.signer(key).sign({ chain: 31337, contract, data, nonce: 0, fee });
  await one.chain.ask("eth_sendRawTransaction", [raw]);
  one.chain.mine();
  expect((await one.reply(1)).state).toBe("waiting");
  expect(await finish(one)).toEqual(["mined", "final"]);
  expect([await one.reply(1), one.chain.transactions()]).toEqual([{ state: "final", tx: null, reason: null }, 1]);
});

test("what a transaction cost that did nothing is part of what the reply costs", async () => {
  const one = await stage();
  const fees = () => one.store.chain.replies.feesSince(place.agent, "2026-01-01");
  await one.answer(1);
  await one.look();
  // The contract does not know the message in the block that takes the transaction.
  one.chain.withdraw(onChain(1));
  one.chain.mine();
  one.chain.post(onChain(1));
  one.chain.mine(3);
  await one.look();
  expect([(await one.reply(1)).state, one.chain.transactions(), one.chain.replies()]).toEqual(["sent", 1, []]);
  const onePaid = 50_000n * one.chain.set.baseFee;
  // The second may take 75,000 gas, at twice the base fee and a tip.
  expect(await fees()).toBe(onePaid + 75_000n * (2n * one.chain.set.baseFee + 1_000_000n));
  expect(await finish(one)).toEqual(["sent", "mined", "final"]);
  expect([await fees(), one.chain.transactions(), one.chain.replies().length]).toEqual([2n * onePaid, 2, 1]);
});

test("a message that is gone gets no reply; when it is there again, it gets one", async () => {
  const one = await stage();
  await one.answer(1);
  await one.orphan(0);
  await one.look();
  expect([(await one.reply(1)).state, one.chain.transactions()]).toEqual(["waiting", 0]);
  await one.include(1);
  expect(await finish(one)).toEqual(["sent", "mined", "final"]);
  expect(one.chain.replies().length).toBe(1);
});

test("a message that goes while its reply waits for a block: the next reply takes its place, and both are sent once", async () => {
  const one = await stage();
  await one.answer(1);
  await one.look();
  await one.orphan(0);
  one.chain.withdraw(onChain(1));
  await one.answer(2);
  await one.look();
  expect([(await one.reply(1)).state, (await one.reply(2)).state]).toEqual(["sent", "sent"]);
  await finish(one, 2);
  expect(one.chain.transactions()).toBe(1);
  one.chain.post(onChain(1));
  await one.include(1);
  expect(await finish(one, 1)).toEqual(["sent", "mined", "final"]);
  expect(one.chain.replies().map(([id]) => id)).toEqual([onChain(2), onChain(1)]);
  expect(one.chain.transactions()).toBe(2);
});

test("the first of several goes with its message, and no node has it: the last takes its place, and none is stuck", async () => {
  const one = await stage();
  for (const count of [1, 2, 3]) await one.answer(count);
  await one.look();
  await one.orphan(0);
  one.chain.withdraw(onChain(1));
  one.chain.forget();
  for (const count of [2, 3]) await one.include(count);
  one.pass(20_000);
  for (const count of [2, 3]) await finish(one, count);
  expect(one.chain.replies().map(([id]) => id)).toEqual([3, 2].map(onChain));
  await one.answer(4);
  await finish(one, 4);
  expect(one.chain.replies().map(([id]) => id)).toEqual([3, 2, 4].map(onChain));
});

test("the first of several goes with its message, and a new one comes: it takes that place", async () => {
  const one = await stage();
  for (const count of [1, 2]) await one.answer(count);
  await one.look();
  await one.orphan(0);
  one.chain.withdraw(onChain(1));
  await one.include(2);
  await one.answer(3);
  await one.look();
  one.chain.mine();
  expect(one.chain.replies().map(([id]) => id)).toEqual([3, 2].map(onChain));
  for (const count of [2, 3]) await finish(one, count);
  expect(one.chain.transactions()).toBe(2);
});

test("a node that says 429, 500 or garbage, or says nothing, is asked again: one reply is there in the end", async () => {
  const one = await stage();
  await one.answer(1);
  const faults = ["429", "garbage", "500", "late"] as const;
  let count = 0;
  // Every eleventh request, of whatever kind: a look needs up to eight.
  one.chain.set.fault = () => (count++ % 11 === 0 ? faults[((count / 11) % 4) | 0] : undefined);
  const clock = () => one.time.now;
  const { request } = createRpcClient({ addresses: [one.chain.url], clock, random: () => 0, timeoutMs: 200 });
  const worker = one.worker({ ask: request });
  let state = "";
  for (let round = 0; state !== "final" && round < 60; round++) {
    await one.look(worker).catch(() => {});
    one.chain.mine();
    one.pass(31_000);
    await one.claim("one:1");
    ({ state } = await one.reply(1));
  }
  expect(count).toBeGreaterThan(11);
  expect([state, one.chain.replies(), one.chain.transactions()]).toEqual(["final", [[onChain(1), "Answer 1"]], 1]);
});
