import { expect, test } from "vitest";
import { chainStatus } from "../../src/channels/chain/chain-status.ts";
import type { AskNode } from "../../src/channels/chain/node-answer.ts";
import { RpcError } from "../../src/channels/chain/rpc-client.ts";
import { checkChain } from "../../src/cli/commands/maintain/doctor-automata.ts";
import { chainRows } from "../../src/operations/print/automaton.ts";
import { agent, contract, known, onChain, place, type ReplyStage, stages } from "./reply-stage.ts";

/** What keeps replies from getting to the chain is told where an operator looks, and what was erased is not sent. */

const stage = stages();
const message = (count: number) => `chain:31337:${contract}:${onChain(1000 + count)}:0`;
const told = async ({ store, time }: ReplyStage) => {
  const status = await chainStatus(store, agent, known, time.now);
  if (!status) throw new Error("no chain");
  const { stuck, held, failed } = status;
  const shown = chainRows(status, time.now).filter(([name]) => name === "stuck");
  const found = checkChain(agent, { ...status, readAt: time.now.toISOString() }, time.now).map(({ what }) => what);
  return { stuck: stuck.map(({ reason }) => reason), held, failed, shown: shown.map(([, text]) => text), found };
};
const nothing = { stuck: [], held: [], failed: [], shown: [], found: [] };
const stuckFor = (reason: string) => ({
  ...nothing,
  stuck: [reason],
  shown: [`${message(1)}: ${reason}`],
  found: [`1 reply of “${agent}” has not got to the chain for more than ten minutes: ${reason}`],
});
const user = `counterpart:0x${"a".repeat(40)}`;
const refusal = (words: string) => Object.assign(new Error(words), { code: -32_000 });

type Trouble = readonly [what: string, method: string, error: Error, reason: string];
const troubles: readonly Trouble[] = [
  ["is refused by the nodes", "eth_sendRawTransaction", refusal("tx type not supported"), "tx type not supported"],
  [
    ...(["cannot be handed in", "eth_sendRawTransaction"] as const),
    new RpcError("away", "node", "status 503."),
    "node: status 503.",
  ],
  ["cannot be looked after", "eth_getTransactionCount", new RpcError("busy", "node", "Slow."), "node: Slow."],
  ["cannot be priced", "eth_estimateGas", new RpcError("away", "node", "late."), "node: late."],
  ["fails in a way nobody knows", "eth_call", new Error("0xfeed"), "It failed in a way that is not known."],
];

test.each(troubles)("a reply that %s: status and doctor say so, until it is over", async (_, method, error, reason) => {
  const one = await stage();
  let isWrong = true;
  const ask: AskNode = async (asked, params) => {
    if (isWrong && asked === method) throw error;
    return one.chain.ask(asked, params);
  };
  const worker = one.worker({ ask });
  await one.answer(1);
  await one.look(worker).catch(() => {});
  expect(await told(one)).toEqual(nothing);
  one.pass(601_000);
  await one.claim("one:1");
  await one.look(worker).catch(() => {});
  expect(await told(one)).toEqual(stuckFor(reason));
  isWrong = false;
  one.pass(601_000);
  await one.claim("one:1");
  await one.look(worker);
  expect(await told(one)).toEqual(nothing);
  one.chain.mine(4);
  await one.look(worker);
  expect((await one.reply(1)).state).toBe("final");
});

test("what waits for a transaction that is not ours says so; what waits for its turn does not", async () => {
  const one = await stage();
  const ask: AskNode = async (method, params) =>
    method === "eth_getTransactionCount" && params[1] === "pending" ? "0x5" : one.chain.ask(method, params);
  await one.answer(1);
  await one.look(one.worker({ ask }));
  one.pass(601_000);
  expect(await told(one)).toEqual(stuckFor("A transaction of this key that is not ours waits for a block."));
});

test("replies of a contract that is not the agent's any more are not told as if they went on", async () => {
  const one = await stage();
  await one.answer(1);
  await one.look();
  await one.answer(2);
  const [, second] = await one.store.chain.replies.listDue(place);
  await one.store.chain.replies.hold(place, second?.reply ?? "", "Too dear.");
  one.pass(601_000);
  const other = { ...known, contract: `0x${"c1".repeat(20)}` as const };
  const status = await chainStatus(one.store, agent, other, one.time.now);
  expect([status?.held, status?.stuck]).toEqual([[], []]);
});

test("a reply whose message went with its block is not stuck: it is not to be sent", async () => {
  const one = await stage();
  await one.answer(1);
  await one.look();
  await one.orphan(0);
  one.pass(601_000);
  expect((await told(one)).stuck).toEqual([]);
});

test("what was erased while it was looked after is not sent any more", async () => {
  const one = await stage();
  let isWrong = true;
  let sent = 0;
  const ask: AskNode = async (method, params) => {
    if (method === "eth_sendRawTransaction") sent += 1;
    if (isWrong && method === "eth_sendRawTransaction") throw refusal("not now");
    if (!isWrong && method === "eth_getTransactionReceipt") await one.store.erase({ user });
    return one.chain.ask(method, params);
  };
  await one.answer(1);
  const worker = one.worker({ ask });
  await one.look(worker);
  expect([sent, (await one.reply(1)).state]).toEqual([1, "signed"]);
  isWrong = false;
  await one.look(worker);
  expect(sent).toBe(1);
});

test("a clock that is set back keeps no reply from being looked at", async () => {
  const one = await stage();
  await one.answer(1);
  const dear = one.worker();
  one.chain.set.baseFee = 10n ** 15n;
  await one.look(dear);
  expect((await one.reply(1)).state).toBe("held");
  one.chain.set.baseFee = 1_000_000_000n;
  one.pass(-24 * 60 * 60_000);
  await one.claim("one:1");
  await one.look(dear);
  expect((await one.reply(1)).state).toBe("sent");
});
