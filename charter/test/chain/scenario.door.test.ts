import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { keyOf } from "../../../chain/accounts.ts";
import { deployInbox, type LocalInbox } from "../../../chain/local-inbox.ts";
import { sleep } from "../../src/agent/limits.ts";
import { createAutomaton } from "../../src/channels/automaton/automaton.ts";
import { chainSettings } from "../../src/channels/chain/chain-config.ts";
import { openChain } from "../../src/channels/chain/open-chain.ts";
import { createHost } from "../../src/host/create-host.ts";
import { createStore } from "../../src/store/index.ts";
import { scripted } from "../agent/model.ts";
import { createFastClock, speed } from "../automaton/endurance-clock.ts";
import { newFile } from "../homes.ts";
import { startChainProcess, startInbox } from "./chain-process.ts";
import { startRpcProxy } from "./rpc-proxy.ts";
import { createSignedPosts } from "./signed-posts.ts";

/** An agent that lives on a real chain, in this process, by a fast clock. */

const agent = "nova";

async function newLifeOnChain() {
  const inbox = await startInbox();
  const proxy = await startRpcProxy(inbox.process.url);
  const place = await newFile();
  const clock = createFastClock();
  const store = await createStore(place.open(), { now: clock.now });
  await store.agents.add({ name: agent, charter: "sovereign" });
  const { contract, agent: address } = inbox;
  const rpc = [proxy.url, `${proxy.url}/second`];
  const caps = { maxFeePerReply: "1", maxFeePerDay: "1000" };
  const settings = chainSettings(agent, { rpc, id: 31337, contract, address, from: 0, confirmations: 2, ...caps });
  const usual = { agent, clock: clock.now, sleep: (ms: number, signal: AbortSignal) => sleep(ms / speed, signal) };
  const host = createHost({ store, loadModel: async () => scripted(["Yes."]), env: {}, clock: clock.now });
  const automaton = createAutomaton({ ...usual, host, everyMs: Number.POSITIVE_INFINITY });
  const env = { CHARTER_CHAIN_KEY: keyOf(0) };
  const chain = await openChain({ ...usual, store, settings, env });
  onTestFinished(async () => {
    await chain.stop();
    await automaton.stop();
    await store.close();
    await proxy.close();
    await inbox.process.kill();
    await place.remove();
  });
  await automaton.start();
  await chain.start();
  return { inbox, proxy, store };
}

/** Blocks come until it is so. */
async function mineUntil(inbox: LocalInbox, isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) {
    await inbox.chain.mine();
    await wait(100);
  }
}

const isAnswered = (inbox: LocalInbox, id: string) => async () => (await inbox.replies()).some((one) => one.id === id);

test("blocks go with a message and its reply and come again: still one reply; then the node is killed, and another chain in its place is read", async () => {
  const { inbox, proxy, store } = await newLifeOnChain();
  const signed = createSignedPosts(inbox);
  const snapshot = await inbox.chain.snapshot();
  const before = await inbox.chain.block();
  const post = await signed.post(2, "Are you open?");
  const message = `chain:31337:${inbox.contract}:${post.tx}:0`;
  await mineUntil(inbox, async () => (await inbox.replies()).length === 1);
  await mineUntil(
    inbox,
    async () =>
      (await store.chain.replies.list({ agent, chain: 31337, contract: inbox.contract }, "final")).length === 1,
  );

  const length = (await inbox.chain.block()) - before;
  await inbox.chain.revert(snapshot);
  await inbox.chain.mine(length + 1);
  await mineUntil(inbox, async () => (await store.chain.find(agent, message))?.state === "orphaned");
  expect(await store.inbox.get(agent, message)).toMatchObject({ status: "answered" });
  expect(await inbox.replies()).toEqual([]);

  expect(await signed.again(post)).toBe(true);
  await mineUntil(inbox, async () => (await inbox.replies()).length > 0);
  await mineUntil(inbox, async () => (await store.chain.find(agent, message))?.state === "included");
  await mineUntil(
    inbox,
    async () =>
      (await store.chain.replies.list({ agent, chain: 31337, contract: inbox.contract }, "final")).length === 1,
  );
  expect((await inbox.replies()).map(({ body }) => body)).toEqual(["Yes."]);
  expect(await store.inbox.listReplies(agent)).toHaveLength(1);

  await inbox.process.kill();
  const next = await startChainProcess();
  onTestFinished(next.kill);
  const other = await deployInbox(next.url);
  await other.chain.mine(3);
  proxy.pointTo(next.url);
  const after = await other.post({ body: "After?" });
  await mineUntil(other, isAnswered(other, after.id));
  expect((await other.replies()).map(({ id, body }) => [id, body])).toEqual([[after.id, "Yes."]]);
  expect((await store.chain.messages(agent)).map(({ state }) => state).sort()).toEqual(["included", "orphaned"]);
});
