import { setTimeout as wait } from "node:timers/promises";
import { keyOf } from "../../../../chain/accounts.ts";
import type { LocalInbox } from "../../../../chain/local-inbox.ts";
import { chainId } from "../../../../chain/node.ts";
import { sleep } from "../../../src/agent/limits.ts";
import { createAutomaton } from "../../../src/channels/automaton/automaton.ts";
import { chainSettings } from "../../../src/channels/chain/chain-config.ts";
import { openChain } from "../../../src/channels/chain/open-chain.ts";
import { createHost } from "../../../src/host/create-host.ts";
import { createStore } from "../../../src/store/index.ts";
import { createFastClock, speed } from "../../automaton/endurance-clock.ts";
import { modelAt, modelNames } from "../../delivery/loopback.ts";
import type { Place } from "../../homes.ts";
import { startRpcProxy } from "../rpc-proxy.ts";
import { allOf } from "./all-pages.ts";
import { startGullibleModel } from "./gullible-model.ts";
import { wordIn } from "./hostile-posts.ts";
import { createWireCheck } from "./wire-check.ts";

export const agent = "nova";

/** How it lives: how many share a turn, and what its replies may cost a day, in ETH. */
type Living = { readonly counterparts: number; readonly maxFeePerDay: string };
export type HostileLife = Awaited<ReturnType<typeof createHostileLife>>;

/** An agent on a real chain, in this process, by a fast clock that begins with a day. */
export async function createHostileLife(inbox: LocalInbox, place: Place) {
  const began = Date.now();
  const clock = createFastClock({ began, offset: 60_000 - (began % 86_400_000) });
  const store = await createStore(place.open(), { now: clock.now });
  await store.agents.add({ name: agent, charter: "sovereign", model: modelNames.anthropic });
  const wire = createWireCheck();
  // What is asked about is known by what the store has; whether the store has what was posted is looked at in the end.
  const messageOf = async (id: string) => {
    const word = wordIn((await store.inbox.get(agent, id))?.body ?? "");
    return word === undefined ? undefined : { word };
  };
  const model = await startGullibleModel({ messageOf, wire });
  const host = createHost({ store, clock: clock.now, env: {}, loadModel: (name) => modelAt(model.url, name) });
  const usual = { agent, clock: clock.now, sleep: (ms: number, signal: AbortSignal) => sleep(ms / speed, signal) };
  const at = { agent, chain: chainId, contract: inbox.contract };
  // Nobody has the keys of those who post here: their transactions are told as of a kind that nobody signs.
  const proxy = await startRpcProxy(inbox.chain.url, (methods, answer) =>
    methods.includes("eth_getTransactionByHash") ? answer.replace(/"type":"0x\w"/, '"type":"0x7e"') : answer,
  );
  let stop = async () => {};
  const live = async ({ counterparts, maxFeePerDay }: Living) => {
    await stop();
    const automaton = createAutomaton({ ...usual, host, counterparts, everyMs: Number.POSITIVE_INFINITY });
    const settings = chainSettings(agent, {
      ...{
        rpc: [proxy.url, `${proxy.url}/second`],
        id: chainId,
        contract: inbox.contract,
        address: inbox.agent,
        from: 0,
      },
      ...{ confirmations: 2, maxFeePerReply: "0.01", maxFeePerDay },
    });
    const chain = await openChain({ ...usual, store, settings, env: { CHARTER_CHAIN_KEY: keyOf(0) } });
    stop = async () => {
      await chain.stop();
      await automaton.stop();
    };
    await automaton.start();
    await chain.start();
  };
  const rows = () => allOf((page) => store.chain.messages(agent, page));
  const posted = async () => (await inbox.posted()).filter((one) => one.agent.toLowerCase() === inbox.agent);
  /** All that is on the chain was read and answered, and every reply is final; or held, where some may be. */
  const isSettled = async (mayHold: boolean) => {
    const included = new Set((await rows()).filter(({ state }) => state === "included").map(({ onChain }) => onChain));
    if (!(await posted()).every(({ id }) => included.has(id))) return false;
    for (const status of ["waiting", "taken"] as const)
      if ((await store.inbox.list(agent, status, { limit: 1 })).length > 0) return false;
    const due = await allOf((page) => store.chain.replies.listDue(at, page));
    return due.every((one) => !one.included || (mayHold && one.state === "held"));
  };
  /** Blocks come until it is so. */
  const mineUntil = async (isSo: () => Promise<boolean>) => {
    while (!(await isSo())) {
      await inbox.chain.mine();
      await wait(100);
    }
  };
  return {
    ...{ store, wire, live, rows, posted, mineUntil },
    requests: () => model.requests.length,
    settle: async ({ mayHold = false } = {}) => {
      // What was sent is in no block before.
      await inbox.chain.mine();
      await mineUntil(() => isSettled(mayHold));
    },
    close: async () => {
      await stop();
      await host.close(0);
      await model.close();
      await proxy.close();
      await store.close();
    },
  };
}
