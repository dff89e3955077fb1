import { expect, test } from "vitest";
import { chainStatus } from "../../src/channels/chain/chain-status.ts";
import { retryMessage } from "../../src/operations/inbox/inbox.ts";
import { address, agent, contract, known, onChain, place, stages } from "./reply-stage.ts";

const stage = stages();
const message = `chain:31337:${contract}:${onChain(1001)}:0`;

test("a reply that failed is sent when an operator tries its message again; there is one on the chain", async () => {
  const one = await stage();
  await one.answer(1);
  const [due] = await one.store.chain.replies.listDue(place);
  await one.store.chain.replies.fail(place, due?.reply ?? "", "The contract refused it.");
  await one.look();
  expect(await one.reply(1)).toEqual({ state: "failed", tx: null, reason: "The contract refused it." });
  const asked = { agent, id: message, by: "olga" };
  expect(await retryMessage(one.store, asked)).toMatchObject({ status: "answered" });
  one.pass(31_000);
  await one.look();
  one.chain.mine(3);
  await one.look();
  expect([(await one.reply(1)).state, one.chain.replies()]).toEqual(["final", [[onChain(1), "Answer 1"]]]);
  await expect(retryMessage(one.store, asked)).rejects.toMatchObject({ code: "already-decided" });
});

test("how its chain is, as the snapshot has it", async () => {
  const one = await stage();
  await one.answer(1);
  await one.store.chain.balances.set(agent, 31337, {
    ...{ asset: "ETH", amount: "1500000000000000000", decimals: 18, symbol: "ETH", block: 1 },
  });
  expect(await chainStatus(one.store, agent, known, one.time.now)).toEqual({
    ...{ chain: 31337, contract, address, block: 1, head: 1, lag: 0, readAt: "2026-02-18T15:04:00.000Z" },
    ...{ problem: null, unconfirmed: 0, held: [], failed: [], stuck: [], feesToday: "0", key: "file", sends: true },
    ...{ maxFeePerReply: "0.001", maxFeePerDay: "0.01" },
    replies: { waiting: 1, signed: 0, sent: 0, mined: 0, final: 0, held: 0, failed: 0 },
    balances: [
      { asset: "ETH", symbol: "ETH", amount: "1.5", block: 1, readAt: "2026-02-18T15:04:00.000Z", stale: false },
    ],
  });
});
