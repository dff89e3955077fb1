import { afterAll, beforeAll, expect, test } from "vitest";
import { coreRecordOf } from "../../src/host/core-memory.ts";
import { createMemoryKey, type MemoryKey } from "../../src/sources/core-memory/memory-key.ts";
import { readMemory } from "../../src/sources/core-memory/read-memory.ts";
import type { RelayClient } from "../../src/sources/core-memory/relay.ts";
import type { Store } from "../../src/store/index.ts";
import { memoryStore } from "../../src/testing/scripted-model.ts";
import { lightNostr } from "./light-nostr.ts";
import { keep, type LightRelay, lightClient, type Mood, newRelay } from "./light-relays.ts";
import { type Done, newWorld, type World } from "./memory-world.ts";

/** Two machines with one key and a database each: what the second takes itself for while a relay is not itself. */

const time = { now: 0 };
const clock = () => new Date(time.now * 1000);
let [first, second]: Store[] = [];
let agents = 0;
beforeAll(async () => {
  [first, second] = [await memoryStore({ clock }), await memoryStore({ clock })];
});
afterAll(async () => {
  for (const store of [first, second]) await store?.close();
});

/** Process 0 is the first machine, process 1 the second. */
async function twoMachines(relays: number): Promise<World> {
  const agent = `ada-${++agents}`;
  const [store, other] = [first as Store, second as Store];
  await other.agents.put({ name: agent, charter: "resident" });
  return newWorld({ store, other, agent, relays, time });
}

const rewrite = (content: string) => ({ kind: "rewrite" as const, content, actor: "agent" as const });
const textOf = ({ reading }: Done) =>
  reading.status === "present" ? reading.parts.map(({ text }) => text).join("") : reading.status;
const verdictOf = ({ outcome }: Done) =>
  outcome && "refusals" in outcome ? outcome.refusals.map(({ guard }) => guard) : outcome?.verdict;
const heldBy = ({ relays, key, said }: World) =>
  relays.map(({ kept }) => said.get(kept.get(key().agent)?.id ?? "")?.text);
const relayOf = ({ relays }: World, index: number) => relays[index] as LightRelay;
const historyOf = async (store: Store | undefined, { agent }: World) =>
  (await (store as Store).history.listWhole({ agent }, "core")).map(({ after }) => after);
const birth = ({ agent, key }: World) => coreRecordOf(second as Store, agent).noteBirth(key().address("core"));

/** Down, slow, refusing, lying, noisy: it answers, and what it has is not known. */
const away: Mood[] = ["unreachable", "late", "refused", "closed", "cut", "nonsense", "junk-only", "strangers"];
const rows = [2, 3].flatMap((count) => away.map((mood) => [count, mood] as const));

/** All ways that so many can be, each of them one of these. */
const allWays = <Way>(count: number, each: readonly Way[]): Way[][] =>
  count === 0 ? [[]] : allWays(count - 1, each).flatMap((ways) => each.map((way) => [...ways, way]));

test.each([2, 3])(
  "whatever %s relays do, nothing is empty unless each of them has finished with nothing",
  async (count) => {
    const [owner, own, other] = [9, 1, 3].map((seed) => Buffer.alloc(32, seed)) as [Buffer, Buffer, Buffer];
    const [key, stranger] = [own, other].map((secret) =>
      createMemoryKey(lightNostr, secret, lightNostr.publicKey(owner)),
    ) as [MemoryKey, MemoryKey];
    const [older, newest] = [5, 6].map((createdAt) => key.makeEvent({ slug: "core", text: "You are Ada.", createdAt }));
    const strangers = stranger.makeEvent({ slug: "core", text: "Another.", createdAt: 7 });
    const odd = { strangers, spoiledOf: () => undefined, rivalOf: () => strangers };
    const held = count === 2 ? [undefined, older, newest] : [undefined, newest];
    const moods: Mood[] = ["well", ...(count === 2 ? away : away.filter((_, index) => index % 2 === 0))];
    const each = held.flatMap((event) => moods.map((mood) => ({ event, mood })));
    const found = { present: 0, empty: 0, unavailable: 0 };
    const faults: unknown[] = [];
    for (const ways of allWays(count, each)) {
      const relays = ways.map(({ event, mood }, index) => {
        const relay = newRelay(index);
        if (event) keep(relay, event);
        return Object.assign(relay, { mood });
      });
      const client = lightClient(relays, odd, async () => {});
      const { status } = await readMemory({ client, key, relays: relays.map(({ url }) => url), slug: "core" });
      found[status] += 1;
      const isThere = ways.some(({ event, mood }) => event && mood === "well");
      const isEmpty = ways.every(({ event, mood }) => !event && mood === "well");
      if (status !== (isThere ? "present" : isEmpty ? "empty" : "unavailable")) faults.push([ways, status]);
    }
    expect([faults, found.empty]).toEqual([[], 1]);
  },
);

test.each([
  [10, { status: "empty" }],
  [11, { status: "unavailable", reason: "the agent's own list names more relays than are asked", blank: true }],
])("a list of the agent's own that names %s relays, which all have nothing: ten are asked", async (count, finding) => {
  const key = createMemoryKey(lightNostr, Buffer.alloc(32, 1), lightNostr.publicKey(Buffer.alloc(32, 9)));
  const tags = Array.from({ length: count }, (_, index) => ["r", `wss://listed-${index}.example.org`]);
  const list = key.sign({ kind: 10002, created_at: 5, tags, content: "" });
  const asked: string[] = [];
  const client: RelayClient = {
    ask: async (relay) => {
      asked.push(relay);
      return { relay, events: relay === "wss://one.example.org" ? [list] : [] };
    },
    send: async (relay) => ({ relay, ok: true }),
  };
  const found = await readMemory({ client, key, relays: ["wss://one.example.org"], slug: "core" });
  expect([asked.length, found.writeRelays.length, found]).toEqual([11, 10, expect.objectContaining(finding)]);
});

test.each(rows)(
  "of %s relays the only one with the memory is %s: a new machine is no newborn, writes nothing, and finds itself later",
  async (count, mood) => {
    const world = await twoMachines(count);
    await world.processes[0].write(rewrite("You are Ada."));
    for (const relay of world.relays.slice(1)) relay.kept = new Map();
    relayOf(world, 0).mood = mood;
    const [read, written] = [await world.processes[1].turn(), await world.processes[1].write(rewrite("I am new."))];
    expect([textOf(read), verdictOf(written)]).toEqual(["unavailable", ["core-unavailable"]]);
    relayOf(world, 0).mood = "well";
    expect(textOf(await world.processes[1].turn())).toBe("You are Ada.");
    // Relays that were left behind are so no more: any one of them is enough from now on.
    expect(heldBy(world)).toEqual(Array(count).fill("You are Ada."));
    for (const machine of world.processes) expect(textOf(await machine.turn())).toBe("You are Ada.");
  },
);

test.each(rows)("of %s relays one is %s: a key that is known to be new begins all the same", async (count, mood) => {
  const world = await twoMachines(count);
  relayOf(world, 0).mood = mood;
  expect(textOf(await world.processes[1].turn())).toBe("unavailable");
  await birth(world);
  expect(textOf(await world.processes[1].turn())).toBe("empty");
  const { outcome } = await world.processes[1].write(rewrite("You are Ada."));
  expect([outcome?.verdict, outcome?.publication?.state]).toEqual(["accepted", "published"]);
  expect(textOf(await world.processes[1].turn())).toBe("You are Ada.");
  relayOf(world, 0).mood = "well";
  world.time.now += 600;
  await world.processes[1].turn();
  expect(heldBy(world)).toEqual(Array(count).fill("You are Ada."));
});

test.each(rows)(
  "of %s relays one is %s: a birth says nothing against a memory that was seen, or is there",
  async (count, mood) => {
    const world = await twoMachines(count);
    await world.processes[0].write(rewrite("You are Ada."));
    await birth(world);
    expect(textOf(await world.processes[1].turn())).toBe("You are Ada.");
    for (const relay of world.relays) relay.kept = new Map();
    relayOf(world, 0).mood = mood;
    expect(textOf(await world.processes[1].turn())).toBe("unavailable");
  },
);

test("a birth is no proof where no relay has answered, or one has what nobody can read", async () => {
  const world = await twoMachines(2);
  await birth(world);
  for (const relay of world.relays) relay.mood = "unreachable";
  expect(textOf(await world.processes[1].turn())).toBe("unavailable");
  for (const relay of world.relays) relay.mood = "well";
  relayOf(world, 0).mood = "spoiled";
  expect(textOf(await world.processes[1].turn())).toBe("unavailable");
});

test("a first change on a birth that was none takes what it replaces into its history, when it comes to light", async () => {
  const world = await twoMachines(2);
  await world.processes[0].write(rewrite("You are Ada."));
  relayOf(world, 1).kept = new Map();
  relayOf(world, 0).mood = "unreachable";
  await birth(world);
  world.time.now += 60;
  await world.processes[1].write(rewrite("I am new."));
  relayOf(world, 0).mood = "well";
  expect(textOf(await world.processes[1].turn())).toBe("I am new.");
  expect(await historyOf(second, world)).toEqual(["I am new.", "You are Ada.", "I am new."]);
  expect(heldBy(world)).toEqual(["I am new.", "I am new."]);
  expect(textOf(await world.processes[0].turn())).toBe("I am new.");
  expect(await historyOf(first, world)).toEqual(["I am new.", "You are Ada."]);
});

test("a first change on “empty” looks once more: what has come meanwhile is in its history", async () => {
  const world = await twoMachines(2);
  const asked: number[] = [];
  world.pauses.known = async () => {
    // The turn has read that there is none; then another writes, before the change is sent.
    if (asked.push(1) === 2) keep(relayOf(world, 0), world.outside("You are Ada.", world.time.now - 5));
  };
  const { reading } = await world.processes[1].write(rewrite("I am new."));
  expect([reading.status, await historyOf(second, world)]).toEqual([
    "empty",
    ["I am new.", "You are Ada.", "I am new."],
  ]);
});

test("a relay with an older memory while the one with the newest is down: nothing written since is lost", async () => {
  const world = await twoMachines(2);
  await world.processes[0].write(rewrite("You are Ada."));
  relayOf(world, 1).mood = "unreachable";
  world.time.now += 60;
  await world.processes[0].write(rewrite("You are Ada, and like tea."));
  relayOf(world, 0).mood = "unreachable";
  relayOf(world, 1).mood = "well";
  world.time.now += 60;
  expect(textOf(await world.processes[1].turn())).toBe("You are Ada.");
  await world.processes[1].write(rewrite("You are Ada, and like ships."));
  relayOf(world, 0).mood = "well";
  expect(textOf(await world.processes[1].turn())).toBe("You are Ada, and like ships.");
  expect(await historyOf(second, world)).toEqual([
    "You are Ada, and like ships.",
    "You are Ada, and like tea.",
    "You are Ada, and like ships.",
    "You are Ada.",
  ]);
  expect(heldBy(world)).toEqual(Array(2).fill("You are Ada, and like ships."));
});

test("a relay that takes nothing is offered what it lacks later each time, and not with every turn", async () => {
  const world = await twoMachines(2);
  await world.processes[0].write(rewrite("You are Ada."));
  relayOf(world, 1).kept = new Map();
  relayOf(world, 1).mood = "read-only";
  let sent = 0;
  world.pauses.sent = async () => {
    sent += 1;
  };
  const turns = async (count: number) => {
    for (let turn = 0; turn < count; turn++) expect(textOf(await world.processes[0].turn())).toBe("You are Ada.");
    return sent;
  };
  expect(await turns(3)).toBe(1);
  world.time.now += 5;
  expect(await turns(3)).toBe(2);
  relayOf(world, 1).mood = "well";
  world.time.now += 600;
  expect([await turns(3), heldBy(world)]).toEqual([3, ["You are Ada.", "You are Ada."]]);
});

test("a frozen agent replaces nothing that its history cannot take", async () => {
  const world = await twoMachines(2);
  await world.processes[1].write(rewrite("You are Ada."));
  relayOf(world, 0).kept = new Map();
  keep(relayOf(world, 0), world.outside("You were Eva.", world.time.now - 60));
  await second?.agents.freeze(world.agent, "amendments");
  expect([textOf(await world.processes[1].turn()), heldBy(world)]).toEqual([
    "You are Ada.",
    ["You were Eva.", "You are Ada."],
  ]);
});
