import fc from "fast-check";
import { expect, test } from "vitest";
import type { InboxMessage, Store } from "../../src/store/index.ts";
import { bothHomes, type PlaceName } from "../homes.ts";
import { onHome } from "../store/contract/given.ts";
import { runs } from "../tiers/search.ts";
import { tier } from "../tiers/tier.ts";
import { allMessages, createReading, type Reading } from "./reading.ts";
import { contract, type ScriptedTx, tx } from "./scripted-chain.ts";
import { refuse, say } from "./scripted-rpc.ts";
import { newSender } from "./scripted-tx.ts";

const senders = ["one", "two", "three"].map(newSender);

/** One thing that happens. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("mine" as const), posts: fc.nat(3), sender: fc.nat(2) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      ...{ kind: fc.constant("reorganise" as const), depth: fc.integer({ min: 1, max: 20 }) },
      // How many blocks take the place of those that went, and which of their transactions come again, and where.
      ...{ blocks: fc.nat(25), again: fc.infiniteStream(fc.nat(9)) },
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("read" as const), worker: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("killed" as const), late: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("trouble" as const), which: fc.nat(3) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("take" as const), counterparts: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("finish" as const), well: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("erase" as const), sender: fc.nat(2) }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

const homes: readonly PlaceName[] = tier === "logic" ? ["sqlite"] : bothHomes;

for (const home of homes)
  onHome(home, `any chain, on ${home}`, (given) => {
    test("in the end each message of the chain is in the inbox once, and every other is withdrawn, orphaned or answered", async () => {
      const steps = fc.array(step, { minLength: 5, maxLength: 40 });
      await fc.assert(fc.asyncProperty(steps, fc.integer({ min: 1, max: 5 }), live), { numRuns: runs(6, 300) });
    });

    const live = async (steps: readonly Step[], confirmations: number) => {
      const agent = await given.agent();
      const { store } = given;
      const reading = await createReading({ store, agent, clock: given.clock.now, settings: { confirmations } });
      const { chain, rpc, another } = reading;
      const workers = [another(), another({ runner: "host:2" })];
      const erased = new Set<string>();
      const turns: string[] = [];
      let words = 0;
      for (const one of steps)
        switch (one.kind) {
          case "mine": {
            const sender = senders[one.sender] as (typeof senders)[number];
            const posts = Array.from({ length: one.posts }, () => ({ sender, body: `Words ${++words}.` }));
            chain.mine(posts.length > 0 ? [tx(...posts)] : []);
            break;
          }
          case "reorganise":
            reorganise(reading, one.depth, one.blocks, one.again);
            break;
          case "read":
            given.clock.move(61_000);
            await workers[one.worker]?.tick();
            break;
          case "killed":
            given.clock.move(61_000);
            await another({ store: killedStore(store, one.late) })
              .tick()
              .catch(() => {});
            break;
          case "trouble":
            given.clock.move(61_000);
            rpc.behave(troubles[one.which]);
            await workers[0]?.tick();
            rpc.behave(undefined);
            break;
          case "take": {
            const turn = `t${turns.length}`;
            if ((await store.inbox.claim(agent, turn, { counterparts: one.counterparts, leaseMs: 1e12 })).length > 0)
              turns.push(turn);
            break;
          }
          case "finish": {
            const turn = turns.shift();
            if (turn !== undefined) await finish(store, agent, turn, one.well);
            break;
          }
          case "erase": {
            const sender = senders[one.sender] as string;
            for (const { id } of (await allMessages(store, agent)).filter((message) => message.sender === sender))
              erased.add(id);
            await store.erase({ user: `counterpart:${sender}`, agent });
          }
        }
      for (const turn of turns) await finish(store, agent, turn, true);
      // It must be longer than what it takes the place of to be believed.
      chain.mine([], 30);
      given.clock.move(61_000);
      await workers[0]?.tick();
      expect((await store.chain.cursor({ agent, chain: 31_337, contract }))?.problem).toBeNull();
      await expectModel(store, agent, canonical(reading, confirmations), erased);
      await reading.close();
    };
  });

function reorganise({ chain }: Reading, depth: number, count: number, again: IterableIterator<number>): void {
  const real = Math.min(depth, chain.head());
  const gone = chain.blocks.slice(chain.blocks.length - real).flatMap(({ txs }) => txs);
  const blocks: ScriptedTx[][] = Array.from({ length: count }, () => []);
  for (const one of gone) {
    const where = again.next().value as number;
    // Some come again, in other blocks and another order, and some never.
    if (where < 7 && count > 0) blocks[where % count]?.unshift(one);
  }
  chain.reorganise(real, blocks);
}

const troubles = [
  (_: unknown, response: Parameters<typeof say>[0]) => say(response, "no", 503),
  (_: unknown, response: Parameters<typeof say>[0]) => say(response, "{"),
  (call: Parameters<typeof refuse>[0], response: Parameters<typeof say>[0]) =>
    call.method === "eth_getLogs" && refuse(call, response, -32_005, "too many requests"),
  (call: Parameters<typeof refuse>[0], response: Parameters<typeof say>[0]) =>
    call.method === "eth_getLogs" &&
    !JSON.stringify(call.params).includes("blockHash") &&
    refuse(call, response, -32_005, "query returned more than 10000 results"),
];

/** A process that dies before a commit, or after it and before it hears of that. */
function killedStore(store: Store, late: boolean): Store {
  const dying =
    <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      if (late) await work(...args);
      throw new Error("killed");
    };
  return { ...store, chain: { ...store.chain, take: dying(store.chain.take), rewind: dying(store.chain.rewind) } };
}

async function finish(store: Store, agent: string, turn: string, well: boolean): Promise<void> {
  const held = await store.inbox.heldBy(agent, turn);
  const replies = held.map(({ id, body }) => ({ message: id, body: `To: ${body}` }));
  const failures = held.map(({ id }) => ({ message: id, because: "The turn's answer was blank." }));
  await store.inbox.finish({ agent, turn, replies: well ? replies : [], failures: well ? [] : failures });
}

/** What a reader that has seen nothing but the end of it would find: ids with words. */
function canonical({ chain }: Reading, confirmations: number): Map<string, string> {
  const found = new Map<string, string>();
  for (const { txs } of chain.blocks.slice(0, chain.head() + 2 - confirmations))
    for (const one of txs)
      for (const [place, { body }] of one.posts.entries())
        found.set(`chain:31337:${contract}:${one.hash}:${place}`, String(body));
  return found;
}

async function expectModel(
  store: Store,
  agent: string,
  chain: ReadonlyMap<string, string>,
  erased: ReadonlySet<string>,
): Promise<void> {
  const all = await allMessages(store, agent);
  expect(all.length).toBe(new Set(all.map(({ id }) => id)).size);
  const there = new Map<string, InboxMessage>(all.map((message) => [message.id, message]));
  for (const id of erased) expect(there.has(id)).toBe(false);
  for (const [id, body] of chain) {
    if (erased.has(id)) continue;
    const message = there.get(id);
    expect([id, message?.body]).toEqual([id, body]);
    expect(["waiting", "answered", "dead"]).toContain(message?.status);
    expect((await store.chain.find(agent, id))?.state).toBe("included");
  }
  for (const { id, status } of all) {
    if (chain.has(id)) continue;
    expect(["withdrawn", "answered", "dead"]).toContain(status);
    expect((await store.chain.find(agent, id))?.state).toBe("orphaned");
  }
  const replies = await store.inbox.listReplies(agent, { limit: 1000 });
  expect(replies.length).toBe(new Set(replies.map(({ message }) => message)).size);
}
