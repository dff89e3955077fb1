import { afterEach, beforeEach, expect, test } from "vitest";
import { deskOf, rewrite } from "../../test/store/desk.ts";
import type { Host } from "../host/host.ts";
import type { PublicationOutcome } from "../index.ts";
import type { CoreMemory } from "../sources/index.ts";
import type { Store } from "../store/index.ts";
import { memoryStore } from "../testing/scripted-model.ts";
import { createPublicationWorker } from "./loop.ts";

let store: Store;
let now: Date;
let outcome: PublicationOutcome | undefined;
let sent: string[];
let broken: boolean;

beforeEach(async () => {
  now = new Date("2026-02-18T15:04:00Z");
  store = await memoryStore({ clock: () => now });
  sent = [];
  broken = false;
  for (const name of ["ada", "eve"]) await store.agents.add({ name, charter: "test", model: null, settings: {} });
});
afterEach(() => store.close());

/** A host whose agent ada has a core memory, and eve none any more. */
function workerOf(log?: (entry: object) => void) {
  const publish = async () => {
    sent.push("ada");
    if (broken) throw new SyntaxError("The event is no JSON.");
    if (outcome?.state === "published")
      await store.publications.settle("ada", outcome.id, { ...outcome, state: "published" });
    return outcome;
  };
  const coreMemory = async (agent: string) =>
    agent === "ada" ? ({ publish } as Partial<CoreMemory> as CoreMemory) : undefined;
  const host = { store, clock: () => now, coreMemory } as Partial<Host> as Host;
  return createPublicationWorker({ host, random: () => 1, ...(log ? { log } : {}) });
}

async function change(agent: string): Promise<void> {
  const make = () => ({ id: `e-${agent}`, createdAt: 1, body: "{}" });
  const publisher = { address: "a", make, send: async () => undefined };
  await store.propose(deskOf({ scope: { agent }, rules: () => ({ guards: [], publisher }) }), rewrite("One."));
}

const waiting = async () =>
  (await store.publications.list({ state: "waiting" })).map(({ id, tries, nextTryAt, missed }) => [
    id,
    tries,
    nextTryAt,
    missed[0]?.reason,
  ]);

test("what waits is sent, and told without its words", async () => {
  const told: object[] = [];
  await change("ada");
  outcome = {
    id: "e-ada",
    state: "published",
    taken: ["wss://one"],
    missed: [],
    conflict: { ours: "secret words", theirs: "other words", id: "x" },
  };
  const { tick } = workerOf((entry) => told.push(entry));
  expect([await tick(), await tick(), sent, await waiting()]).toEqual([1, 0, ["ada"], []]);
  const about = { about: "publications", agent: "ada", id: "e-ada", state: "published" };
  expect(told).toEqual([{ ...about, taken: ["wss://one"], missed: [], by: "x" }]);
});

test("what cannot be sent by anyone here is left for later, and later", async () => {
  await change("eve");
  const { tick } = workerOf();
  await tick();
  const reason = "“eve” has no core memory on relays.";
  expect(await waiting()).toEqual([["e-eve", 1, "2026-02-18T15:04:05.000Z", reason]]);
  expect(await tick()).toBe(0);
  now = new Date("2026-02-18T15:04:05Z");
  await tick();
  expect(await waiting()).toEqual([["e-eve", 2, "2026-02-18T15:04:15.000Z", reason]]);
});

test("one that fails is told and left for later, and keeps no other from its turn", async () => {
  const told: object[] = [];
  broken = true;
  await change("ada");
  await change("eve");
  await workerOf((entry) => told.push(entry)).tick();
  const reason = "The event is no JSON.";
  expect((await waiting()).toSorted()).toEqual([
    ["e-ada", 1, "2026-02-18T15:04:05.000Z", reason],
    ["e-eve", 1, "2026-02-18T15:04:05.000Z", "“eve” has no core memory on relays."],
  ]);
  expect(told).toEqual([{ about: "publications", agent: "ada", id: "e-ada", kind: "trouble", reason }]);
});

test("one that was made with another key waits for it", async () => {
  await change("ada");
  outcome = undefined;
  await workerOf().tick();
  expect(await waiting()).toEqual([["e-ada", 1, "2026-02-18T15:04:05.000Z", "it was made with another key"]]);
});

test("what is published and one relay lacks is offered to it again, later each time, until it has it", async () => {
  await change("ada");
  const missed = [{ place: "wss://two", reason: "nothing listens there" }];
  const seen = { id: "e-ada", createdAt: 1, digest: null, place: "wss://one" };
  await store.publications.settle("ada", "e-ada", { state: "published", taken: ["wss://one"], missed, seen });
  outcome = { id: "e-ada", state: "published", taken: ["wss://one"], missed };
  const { tick } = workerOf();
  expect([await tick(), await tick()]).toEqual([1, 0]);
  now = new Date("2026-02-18T15:04:10Z");
  expect([await tick(), await tick()]).toEqual([1, 0]);
  expect(await store.publications.find("ada", "e-ada")).toMatchObject({ state: "published", missed });
  await store.publications.noteSent("ada", "e-ada", { taken: ["wss://two"], missed: [] });
  now = new Date("2026-02-18T16:04:00Z");
  expect([await tick(), sent]).toEqual([0, ["ada", "ada"]]);
});

test("what another's event has replaced since is offered to nobody", async () => {
  await change("ada");
  const missed = [{ place: "wss://two", reason: "nothing listens there" }];
  const seen = { id: "e-other", createdAt: 2, digest: null, place: "wss://one" };
  await store.publications.settle("ada", "e-ada", { state: "published", taken: ["wss://one"], missed, seen });
  expect([await workerOf().tick(), sent]).toEqual([0, []]);
});
