import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createStore } from "../../src/store/index.ts";
import { createFastClock } from "../automaton/endurance-clock.ts";
import { newFile } from "../homes.ts";
import { startInbox } from "./chain-process.ts";
import { createWorkers } from "./endurance.ts";
import { startRpcProxy } from "./rpc-proxy.ts";

const agent = "nova";
/** A message is read and its reply is in a block after about so many requests. */
const moments = 16;

test("a process that dies at any request of a reply, before the node has it or after: one reply on the chain", async () => {
  const inbox = await startInbox();
  const proxy = await startRpcProxy(inbox.process.url);
  const place = await newFile();
  const clock = createFastClock();
  const store = await createStore(place.open(), { now: clock.now });
  await store.agents.add({ name: agent, charter: "sovereign" });
  const { contract, agent: address } = inbox;
  const chain = { rpc: [proxy.url], id: 31337, contract, address, from: 0, confirmations: 1 };
  const orders = { url: place.url, agent, clock: clock.orders(), chain, faults: 0 };
  const workers = createWorkers(orders);
  onTestFinished(async () => {
    await workers.stop();
    await store.close();
    await proxy.close();
    await inbox.process.kill();
    await place.remove();
  });
  const ids: string[] = [];
  const killedAt: string[] = [];
  const untilReplied = async () => {
    while ((await inbox.replies()).length < ids.length) {
      await inbox.chain.mine();
      await wait(50);
    }
  };
  await workers.start();
  for (let moment = 1; moment <= moments; moment++) {
    let [count, isKilled] = [0, false];
    let killing: Promise<void> | undefined;
    ids.push((await inbox.post({ body: `Moment ${moment}?` })).id);
    proxy.meet((methods) => {
      count += 1;
      if (count < moment || isKilled) return undefined;
      isKilled = true;
      killedAt.push(methods.join());
      killing = workers.stop();
      return moment % 2 === 0 ? "lost" : "cut";
    });
    while (!isKilled) await wait(20);
    await killing;
    proxy.meet(undefined);
    await workers.start();
    await untilReplied();
  }
  await inbox.chain.mine(3);
  expect((await inbox.replies()).map(({ id }) => id).sort()).toEqual([...ids].sort());
  expect(killedAt).toHaveLength(moments);
  // What was never sent twice was never refused either: each transaction of the agent is a reply.
  const sent = await inbox.chain.request<string>("eth_getTransactionCount", inbox.agent, "latest");
  expect(Number(sent)).toBe(ids.length);
  expect(workers.complaints).toEqual([]);
});
