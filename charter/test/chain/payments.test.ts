import { afterEach, expect, test } from "vitest";
import { createChainAccount } from "../../src/channels/chain/open-chain.ts";
import { loadReplyCodec } from "../../src/channels/chain/transaction.ts";
import { createStore, type Store } from "../../src/store/index.ts";
import { newPlace } from "../homes.ts";
import { bo, createReading, eve } from "./reading.ts";
import { type ScriptedTx, tx } from "./scripted-chain.ts";
import { refuse } from "./scripted-rpc.ts";

/** What is paid with messages becomes cycles: once, when it is final, and no more in a day than the settings say. */

const closings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close();
});
const codec = await loadReplyCodec();
const runner = "host:1";
const ether = 10n ** 18n;
const earns = { cyclesPerEther: 1_000_000, maxCyclesPerDay: 500_000 };

/** A granted agent, its reader and its account. The scripted chain calls a block final when 20 are above it. */
async function stage(settings: object = { earns }, granted = 100) {
  const home = await newPlace("sqlite");
  const time = { now: new Date("2026-02-18T12:00:00Z") };
  const clock = () => time.now;
  const store = await createStore(home.open(), { now: clock });
  await store.agents.add({ name: "nova", charter: "sovereign" });
  if (granted > 0) await store.automata.grant("nova", granted, "olga");
  const reading = await createReading({ store, agent: "nova", clock, settings });
  closings.push(home.remove, store.close, reading.close);
  const { rpc } = reading;
  let id = 0;
  const ask = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    if (method === "eth_getBalance") return "0x1";
    const body = JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params });
    const { result, error } = (await (await fetch(rpc.url, { method: "POST", body })).json()) as {
      readonly result?: unknown;
      readonly error?: { readonly code: number; readonly message: string };
    };
    if (error) throw Object.assign(new Error(error.message), { code: error.code });
    return result;
  };
  const accountOf = (by: Store = store) =>
    createChainAccount({
      ...{ store: by, agent: "nova", settings: reading.settings, rpc: { request: ask }, codec, clock, runner },
    });
  return {
    ...{ ...reading, store, time, accountOf },
    /** As a process does that has just begun. */
    look: async () => {
      time.now = new Date(time.now.getTime() + 1000);
      await reading.reader.tick();
      await accountOf().tick();
    },
    granted: async () => (await store.automata.find("nova"))?.granted,
    earned: async () => (await store.events.list({ agent: "nova", kind: "automaton-earned" })).reverse(),
  };
}
const paid = (value: bigint, sender = bo): ScriptedTx => tx({ sender: sender as `0x${string}`, body: "Work.", value });

test("a payment becomes cycles once it is final, and an event says which", async () => {
  const { chain, look, granted, earned } = await stage();
  const one = paid(ether / 10n);
  chain.mine([one], 19);
  await look();
  // It waits in the inbox, and may still go.
  expect([await granted(), await earned()]).toEqual([100, []]);
  chain.mine();
  await look();
  await look();
  expect(await granted()).toBe(100_100);
  expect(await earned()).toMatchObject([
    {
      scope: { agent: "nova", user: `counterpart:${bo.toLowerCase()}` },
      detail: { message: expect.stringContaining(one.hash), value: String(ether / 10n), micros: 100_000 },
    },
  ]);
});

test("what a reorganisation takes is not credited, and what comes back is credited once", async () => {
  const { chain, look, granted, earned } = await stage();
  const [kept, gone] = [paid(ether / 10n), paid(ether / 5n, eve)];
  chain.mine([kept]);
  chain.mine([gone], 10);
  await look();
  chain.reorganise(12, [[], [], [], [kept]]);
  chain.mine([], 25);
  await look();
  expect([await granted(), (await earned()).length]).toEqual([100_100, 1]);
  // Deeper than what is final, as when a local chain is started anew: credited stays credited, and is not twice.
  chain.reorganise(chain.head(), [[kept], [gone]]);
  chain.mine([], 40);
  await look();
  await look();
  expect([await granted(), (await earned()).map(({ detail }) => detail.micros)]).toEqual([300_100, [100_000, 200_000]]);
});

test("a block that was replaced and is not yet noticed credits nobody", async () => {
  const { chain, look, granted, accountOf, time } = await stage();
  chain.mine([paid(ether / 10n)], 10);
  await look();
  chain.reorganise(11, []);
  chain.mine([], 60);
  time.now = new Date(time.now.getTime() + 1000);
  await accountOf().tick();
  expect(await granted()).toBe(100);
});

test("two processes, one of which dies between looking and crediting, credit once", async () => {
  const { chain, store, look, granted, accountOf, reader, time } = await stage();
  chain.mine([paid(ether / 10n)], 30);
  await reader.tick();
  time.now = new Date(time.now.getTime() + 1000);
  const dying: Store = {
    ...store,
    chain: {
      ...store.chain,
      payments: { ...store.chain.payments, credit: () => Promise.reject(new Error("killed")) },
    },
  };
  await expect(accountOf(dying).tick()).rejects.toThrow("killed");
  expect(await granted()).toBe(100);
  await Promise.all([accountOf().tick(), accountOf().tick(), look()]);
  expect(await granted()).toBe(100_100);
});

test("what passes the day's limit waits for the next day", async () => {
  const { chain, look, granted, earned, time } = await stage();
  chain.mine([paid((4n * ether) / 10n), paid((2n * ether) / 10n, eve), paid(ether, eve)], 30);
  await look();
  await look();
  expect(await granted()).toBe(400_100);
  time.now = new Date("2026-02-19T00:00:01Z");
  await look();
  expect(await granted()).toBe(600_100);
  time.now = new Date("2026-02-20T00:00:01Z");
  await look();
  // The third is more than a day may have.
  expect([await granted(), (await earned()).map(({ detail }) => detail.micros)]).toEqual([
    1_100_100,
    [400_000, 200_000, 500_000],
  ]);
});

const none: [what: string, settings: object, granted: number, payment: () => ScriptedTx][] = [
  ["without a rule", {}, 100, () => paid(ether)],
  ["of an agent that was never granted anything", { earns }, 0, () => paid(ether)],
  [
    "of what one node alone speaks of",
    { earns },
    100,
    () => tx(...[1, 2].map(() => ({ sender: bo, body: "?", value: ether }))),
  ],
  ["of less than a cycle", { earns }, 100, () => paid(1n)],
  ["of nothing", { earns }, 100, () => paid(0n)],
  [
    "of what it pays itself",
    { earns, address: bo },
    100,
    () => tx({ sender: bo, agent: bo, body: "Me.", value: ether }),
  ],
];
for (const [what, settings, amount, payment] of none)
  test(`no cycles come ${what}`, async () => {
    const { chain, look, store, earned } = await stage(settings, amount);
    chain.mine([payment()], 30);
    await look();
    await look();
    const row = await store.automata.find("nova");
    expect([row?.granted ?? 0, await earned()]).toEqual([amount, []]);
    expect((await store.chain.messages("nova")).length).toBeGreaterThan(0);
  });

test("of a chain that calls no block final nothing is credited, and its replies and balances go on", async () => {
  const { chain, rpc, look, granted, store } = await stage();
  rpc.behave((call, response) =>
    call.params[0] === "finalized" ? refuse(call, response, -39_001, "Unknown block") : undefined,
  );
  chain.mine([paid(ether)], 30);
  await look();
  expect([await granted(), (await store.chain.balances.list("nova")).length]).toEqual([100, 1]);
});
