import { expect, test } from "vitest";
import type { ProposalOutcome } from "../../src/store/index.ts";
import { residentHere as stage } from "./resident-stage.ts";

/** When a core memory stays as it is: its agent is frozen, or a clock was ahead. */
const guardsOf = (outcome: ProposalOutcome) =>
  "refusals" in outcome ? outcome.refusals.map(({ guard }) => guard) : [];

test("a frozen agent keeps its words when others are written elsewhere, and says so; thawed, it follows", async () => {
  const { store, host, prompt, set, elsewhere, now, history } = await stage();
  await set("You are Ada.");
  await store.agents.freeze("ada", "amendments");
  await elsewhere("You are Eva.", now() + 5);
  const { prompt: frozen } = await host.preview({ agent: "ada" });
  expect(frozen.text).toBe("You live in a house.\n\nYou are Ada.");
  expect(frozen.notices.map(({ code, message }) => [code, message])).toEqual([
    [
      "core-memory-not-followed",
      expect.stringContaining("The core memory on the relays is another one, and was not taken over: "),
    ],
  ]);
  expect(guardsOf(await set("You are Bo."))).toContain("frozen");
  expect(await prompt()).toBe(frozen.text);
  await store.agents.thaw("ada");
  expect(await prompt()).toContain("You are Eva.");
  expect(await history()).toEqual([
    [2, "agent", "You are Eva."],
    [1, "operator", "You are Ada."],
  ]);
});

test("one that was frozen before it ever read its memory is no newcomer, also when the relay loses it", async () => {
  const { store, prompt, elsewhere, relay } = await stage();
  await elsewhere("You are Eva.");
  await store.agents.freeze("ada", "amendments");
  expect(await prompt()).toBe("You live in a house.");
  relay.shelf.events.clear();
  expect(await prompt()).toBe("You live in a house.");
  await store.agents.thaw("ada");
  expect(await prompt()).toBe("You live in a house.");
});

test("a frozen agent whose own change still waits keeps it, until it is thawed and told of the conflict", async () => {
  const { store, prompt, set, elsewhere, now, relay } = await stage();
  const take = relay.shelf.upsert.bind(relay.shelf);
  relay.shelf.upsert = () => {
    throw new Error("The disk is full.");
  };
  expect((await set("You are Ada.")).publication?.state).toBe("waiting");
  relay.shelf.upsert = take;
  await elsewhere("You are Eva.", now() + 5);
  await store.agents.freeze("ada", "amendments");
  for (const _ of [1, 2]) expect(await prompt()).toBe("You live in a house.\n\nYou are Ada.");
  await store.agents.thaw("ada");
  expect(await prompt()).toContain("You are Eva.");
  expect((await store.events.list({ agent: "ada", kind: "publication-conflict" })).length).toBe(1);
});

test("a head ten minutes and a second ahead poisons the clock: it is read, and nothing is published over it", async () => {
  const { set, relay, elsewhere, now, prompt, time } = await stage();
  const event = await elsewhere("You are from tomorrow.", now() + 601);
  expect(await prompt()).toContain("You are from tomorrow.");
  expect(guardsOf(await set("You are Ada."))).toEqual(["clock-poisoned"]);
  expect(await relay.held()).toEqual([event]);
  time.now = new Date(time.now.getTime() + 1000);
  const outcome = await set("You are Ada.");
  expect([outcome.publication?.state, (await relay.held())[0]?.created_at]).toEqual([
    "published",
    event.created_at + 1,
  ]);
});

test("our own, made with a clock that was ahead, poisons it too: nothing is changed until then, and it is said", async () => {
  const { set, time, history } = await stage();
  time.now = new Date(time.now.getTime() + 3_600_000);
  await set("You are Ada.");
  time.now = new Date(time.now.getTime() - 3_600_000);
  expect(guardsOf(await set("You are Bo."))).toEqual(["clock-poisoned"]);
  expect((await history()).length).toBe(1);
});
