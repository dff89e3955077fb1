import { expect, test } from "vitest";
import { calls, hangs } from "../agent/model.ts";
import { tool } from "../agent/stage.ts";
import { eventually } from "../eventually.ts";
import { addressA, addressB, agent, lives, stuck } from "./stage.ts";

const life = lives();

test("a turn whose process loses its charge is stopped at once", async () => {
  const stage = await life();
  const { store, post, wakeSleepers, message } = stage;
  await post(addressA, "Hello.", "m1");
  const { ended } = await stuck(stage);
  await store.automata.release(agent, "elsewhere:1");
  await store.automata.claim(agent, { runner: "elsewhere:9", leaseMs: 60_000 });
  wakeSleepers();
  await ended;
  expect((await store.turns.list({ agent }))[0]).toMatchObject({ state: "failed" });
  // Whoever is in charge now sees to it.
  expect(await message("m1")).toMatchObject({ status: "taken", failures: [] });
});

test("a process that lost its charge between taking a message and its turn asks no model", async () => {
  const { automaton, store, post, ...stage } = await life();
  await post(addressA, "Hello.", "m1");
  const host = await stage.another();
  const runTurn: typeof host.runTurn = async (asked, watching) => {
    await store.automata.release(agent, "elsewhere:1");
    await store.automata.claim(agent, { runner: "elsewhere:9", leaseMs: 60_000 });
    return host.runTurn(asked, watching);
  };
  const losing = await stage.process({ host: { ...host, runTurn } });
  await losing.tick();
  expect([stage.model.requests.length, await stage.message("m1")]).toMatchObject([
    0,
    { status: "taken", failures: [] },
  ]);
});

test("a process that lost its charge takes no more messages", async () => {
  const { automaton, store, post, message } = await life();
  await automaton.tick();
  const { runner } = (await store.automata.find(agent)) ?? {};
  await store.automata.release(agent, runner as string);
  await store.automata.claim(agent, { runner: "elsewhere:9", leaseMs: 60_000 });
  await post(addressA, "Hello.", "m1");
  expect([await automaton.tick(), (await message("m1")).status]).toEqual([0, "waiting"]);
});

test("while a turn runs its lease is renewed", async () => {
  const stage = await life();
  const { automaton, store, post, pass, wakeSleepers } = stage;
  await post(addressA, "Hello.", "m1");
  const { ended, go } = await stuck(stage);
  for (let seconds = 0; seconds < 120; seconds += 20) {
    pass(20_000);
    const until = (await store.automata.find(agent))?.leasedUntil;
    wakeSleepers();
    await eventually(async () => (await store.automata.find(agent))?.leasedUntil !== until);
  }
  expect(await automaton.tick()).toBe(0);
  go();
  expect(await ended).toBe(1);
});

test("a message whose sender was erased before its turn began is not written down again", async () => {
  const { store, post, ...stage } = await life();
  await post(addressA, "My secret.", "m1");
  const host = await stage.another();
  const runTurn: typeof host.runTurn = async (asked, watching) => {
    await store.erase({ agent, user: `counterpart:${addressA}` });
    return host.runTurn(asked, watching);
  };
  const automaton = await stage.process({ host: { ...host, runTurn } });
  await automaton.tick();
  expect([stage.model.requests.length, await stage.replies(), await store.inbox.countWaiting(agent)]).toEqual([
    0,
    [],
    0,
  ]);
});

test("stopped in the middle of a turn, it gives the turn its time, then stops it: the message waits for the next start", async () => {
  const { automaton, store, model, post, message } = await life();
  let asked = false;
  model.say(
    hangs(() => {
      asked = true;
    }),
  );
  await automaton.start();
  await post(addressA, "Hello.", "m1");
  await eventually(() => asked);
  await automaton.stop(0);
  expect(await message("m1")).toMatchObject({ status: "waiting", tries: 0 });
  expect(await store.automata.find(agent)).toMatchObject({ runner: null, state: "Idle" });
});

test.each(["before", "after"])(
  "an approved call whose process died %s it was told in the conversation is told there once, and not made again",
  async (when) => {
    let paid = 0;
    const pay = tool("pay", () => `Paid ${++paid}.`, { trusted: true });
    const stage = await life("sqlite", { tools: [pay] });
    const { automaton, store, model, post } = stage;
    await post(addressB, "Pay the bill.", "m1");
    model.say(calls(["pay"]), "I asked for it.", "It is paid.");
    await automaton.tick();
    await automaton.stop();
    const [held] = await store.calls.list({ agent });
    await store.calls.approve(held?.id as string, "the operator");
    const host = await stage.another();
    const { conversations } = host.store;
    const record: typeof conversations.record = async (...given) => {
      if (when === "after") await conversations.record(...given);
      throw new Error("The process died.");
    };
    const dying = await stage.process({
      host: { ...host, store: { ...host.store, conversations: { ...conversations, record } } },
    });
    await expect(dying.tick()).rejects.toThrow("The process died.");
    await store.automata.release(agent, "elsewhere:1");
    for (let ticks = 0; ticks < 3; ticks++) await automaton.tick();
    const told = (await store.conversations.read(agent, addressB))?.exchanges ?? [];
    expect([paid, told.map(({ inbox_message_id, agent_reply }) => [inbox_message_id, agent_reply])]).toEqual([
      1,
      [
        ["m1", "I asked for it."],
        [`call:${held?.id}`, "It is paid."],
      ],
    ]);
  },
);
