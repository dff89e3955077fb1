import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { createStore } from "../../src/store/index.ts";
import { createFastClock } from "../automaton/endurance-clock.ts";
import { newFile } from "../homes.ts";
import { startInbox } from "./chain-process.ts";
import { createWorkers } from "./endurance.ts";
import { startRpcProxy } from "./rpc-proxy.ts";

const agent = "nova";

/** When the process dies over a message: at which request to the node, and whether the node had that. */
export type Kill = {
  readonly at: (count: number, methods: readonly string[]) => boolean;
  readonly how: "cut" | "lost";
};

/** A message for each kill, on a real chain: in the end each has one reply there, and nothing else was sent. */
export async function expectOneReplyInSpiteOf(kills: readonly Kill[]): Promise<void> {
  const inbox = await startInbox();
  const proxy = await startRpcProxy(inbox.process.url);
  const place = await newFile();
  const clock = createFastClock();
  const store = await createStore(place.open(), { now: clock.now });
  await store.agents.add({ name: agent, charter: "sovereign" });
  const { contract, agent: address } = inbox;
  const chain = { rpc: [proxy.url], id: 31337, contract, address, from: 0, confirmations: 1 };
  const workers = createWorkers({ url: place.url, agent, clock: clock.orders(), chain, faults: 0 });
  onTestFinished(async () => {
    await workers.stop();
    await store.close();
    await proxy.close();
    await inbox.process.kill();
    await place.remove();
  });
  const ids: string[] = [];
  await workers.start();
  for (const { at, how } of kills) {
    const killed = Promise.withResolvers<void>();
    let [count, isKilled] = [0, false];
    ids.push((await inbox.post({ body: `Message ${ids.length}?` })).id);
    proxy.meet((methods) => {
      count += 1;
      if (isKilled || !at(count, methods)) return undefined;
      isKilled = true;
      workers.stop().then(killed.resolve, killed.reject);
      return how;
    });
    await killed.promise;
    proxy.meet(undefined);
    await workers.start();
    while ((await inbox.replies()).length < ids.length) {
      await inbox.chain.mine();
      await wait(50);
    }
  }
  await inbox.chain.mine(3);
  expect((await inbox.replies()).map(({ id }) => id).sort()).toEqual([...ids].sort());
  // What was never sent twice was never refused either: each transaction of the agent is a reply.
  const sent = await inbox.chain.request<string>("eth_getTransactionCount", inbox.agent, "latest");
  expect(Number(sent)).toBe(ids.length);
  expect(workers.complaints).toEqual([]);
}
