import { expect, test } from "vitest";
import { Problem } from "../../src/index.ts";
import { calls } from "../agent/model.ts";
import { tool } from "../agent/stage.ts";
import { eventually } from "../eventually.ts";
import { addressA, agent, lives } from "./stage.ts";

const life = lives();

const minutes = 60_000;

test("every change of its state is recorded, with turn and cause", async () => {
  const { automaton, store, model, post, changes } = await life("sqlite", { tools: [tool("look", () => "Seen.")] });
  await automaton.tick();
  await post(addressA, "Look.", "m1");
  model.say(calls(["look"]), "I looked.");
  await automaton.tick();
  expect(await changes()).toEqual([
    "Bootstrapping → Idle (tick)",
    "Idle → LoadingContext (turn-started)",
    "LoadingContext → Inferring (model-asked)",
    "Inferring → ExecutingActions (tools-called)",
    "ExecutingActions → LoadingContext (context-loading)",
    "LoadingContext → Inferring (model-asked)",
    "Inferring → Persisting (turn-recorded)",
    "Persisting → Idle (turn-finished)",
  ]);
  const [turn] = await store.turns.list({ agent });
  const told = await store.events.list({ agent, kind: "automaton-state", limit: 100 });
  expect(told.map((event) => event.turn)).toEqual([...Array(7).fill(turn?.id), null]);
  expect(await store.automata.find(agent)).toMatchObject({ state: "Idle", turn: turn?.id });
});

test("frozen or asleep, messages wait; thawed or woken, they are answered", async () => {
  const { automaton, store, post, pass, changes, replies } = await life();
  await store.agents.freeze(agent, "agent");
  await post(addressA, "Hello?", "m1");
  expect([await automaton.tick(), await automaton.tick()]).toEqual([0, 0]);
  await store.agents.thaw(agent);
  await store.automata.sleep(agent, undefined, "the operator");
  expect(await automaton.tick()).toBe(0);
  await store.automata.wake(agent, "the operator");
  await store.automata.sleep(agent, "2026-02-18T16:00:00Z", "the operator");
  expect(await automaton.tick()).toBe(0);
  expect(await replies()).toEqual([]);
  pass(56 * minutes);
  expect(await automaton.tick()).toBe(2);
  expect(await replies()).toEqual([[addressA, "Fine."]]);
  expect((await changes()).slice(0, 2)).toEqual(["Bootstrapping → Sleeping (frozen)", "Sleeping → Idle (tick)"]);
  expect(await store.inbox.get(agent, "m1")).toMatchObject({ tries: 1 });
});

test("removed, it takes no turns and makes no trouble, while its loop runs on", async () => {
  const { automaton, store, model, post, pass, log, replies, wakeSleepers } = await life();
  await automaton.start();
  await post(addressA, "Hello?", "m1");
  await eventually(async () => (await replies()).length === 1);
  await post(addressA, "And now?", "m2");
  await store.remove(agent);
  await eventually(() => log.some(({ kind }) => kind === "agent-removed"));
  const asked = model.requests.length;
  const kinds = log.length;
  for (let minute = 0; minute < 12; minute++) {
    pass(minutes);
    wakeSleepers();
    expect(await automaton.tick()).toBe(0);
  }
  // A turn that was under way when it was removed ends with just that.
  const later = log.slice(kinds).filter((one) => !(one.kind === "turn" && one.code === "agent-removed"));
  expect([model.requests.length, later]).toEqual([asked, []]);
});

test("a turn of its own comes every five minutes; nothing to do is what it came to, and no reply", async () => {
  const { automaton, store, model, pass, changes, input, replies } = await life();
  model.say(calls(["nothing_to_report", { because: "All is well." }]), "Nothing.");
  const ticks: number[] = [];
  for (let minute = 0; minute <= 11; minute++) {
    ticks.push(await automaton.tick());
    pass(minutes);
  }
  expect(ticks).toEqual([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]);
  expect(input()).toContain("This turn is your own: nobody wrote to you.");
  expect((await store.turns.list({ agent })).map(({ scope, channel, tainted }) => [scope, channel, tainted])).toEqual([
    [{ agent }, "automaton", false],
    [{ agent }, "automaton", false],
  ]);
  expect((await changes()).filter((change) => change.startsWith("Persisting"))).toEqual([
    "Persisting → Idle (turn-quiet)",
    "Persisting → Idle (turn-finished)",
  ]);
  expect([await replies(), await store.conversations.list(agent)]).toEqual([[], []]);
});

test("what a person approved gets a turn of its own, and the conversation tells of it; nothing is sent", async () => {
  let paid = 0;
  const pay = tool("pay", () => `Paid ${++paid}.`, { trusted: true });
  const { automaton, store, model, post, replies, input } = await life("sqlite", { tools: [pay] });
  await post(addressA, "Pay the bill.", "m1");
  model.say(calls(["pay", { bill: 7 }]), "I asked for it.");
  await automaton.tick();
  const [held] = await store.calls.list({ agent });
  expect([paid, held?.scope]).toEqual([0, { agent, user: `counterpart:${addressA}` }]);
  await store.calls.approve(held?.id as string, "the operator");
  model.say("The bill is paid.");
  expect(await automaton.tick()).toBe(1);
  expect([paid, (await store.calls.get(held?.id as string)).status]).toEqual([1, "done"]);
  expect(input()).toContain("Paid 1.");
  // What the call was given was written among a stranger's words.
  expect((await store.turns.list({ agent })).map(({ tainted }) => tainted)).toEqual([true, true]);
  expect(await replies()).toEqual([[addressA, "I asked for it."]]);
  expect((await store.conversations.read(agent, addressA))?.exchanges.at(-1)).toMatchObject({
    inbox_message_id: `call:${held?.id}`,
    sender_body: '(no message: a person approved pay "{\\"bill\\":7}")',
    agent_reply: "The bill is paid.",
  });
  expect(await automaton.tick()).toBe(0);
});

test("what a user's call waits for is that user's next turn, not one of the agent's", async () => {
  const pay = tool("pay", () => "Paid.", { trusted: true });
  const { automaton, store, host, model } = await life("sqlite", { tools: [pay] });
  model.say(calls(["pay"]), "Asked.");
  await host.runTurn({ agent, user: "bo", input: "Pay.", foreign: true });
  const [held] = await store.calls.list({ agent });
  await store.calls.approve(held?.id as string, "the operator");
  expect(await automaton.tick()).toBe(0);
  expect((await store.calls.get(held?.id as string)).status).toBe("approved");
});

test("a call that is approved and cannot be made is tried again later and later", async () => {
  let isWell = true;
  const pay = tool("pay", () => "Paid.", { trusted: true });
  const { store, model, post, pass, ...stage } = await life("sqlite", { tools: [pay] });
  const host = await stage.another();
  const runTurn: typeof host.runTurn = async (...given) => {
    if (isWell) return host.runTurn(...given);
    throw new Problem("lock-mismatch", "The lock does not fit.", "Write it anew.");
  };
  const automaton = await stage.process({ host: { ...host, runTurn } });
  await post(addressA, "Pay the bill.", "m1");
  model.say(calls(["pay"]), "I asked for it.");
  await automaton.tick();
  const [held] = await store.calls.list({ agent });
  await store.calls.approve(held?.id as string, "the operator");
  isWell = false;
  const ticks: number[] = [];
  for (let seconds = 0; seconds < 40; seconds += 5) {
    ticks.push(await automaton.tick());
    pass(5000);
  }
  expect([ticks, (await store.calls.get(held?.id as string)).status]).toEqual([[1, 1, 0, 1, 0, 0, 0, 1], "approved"]);
  isWell = true;
  pass(minutes);
  await automaton.tick();
  expect((await store.calls.get(held?.id as string)).status).toBe("done");
});

test("a charter that cannot be read or a model without a key costs no message a try", async () => {
  const { automaton, store, post, replies, ...stage } = await life();
  await post(addressA, "Hello.", "m1");
  await store.agents.put({ name: agent, charter: "nowhere.ts" });
  await expect(automaton.tick()).rejects.toBeInstanceOf(Problem);
  await store.agents.put({ name: agent, charter: "sovereign" });
  await automaton.stop();
  const host = await stage.another({
    loadModel: async () => {
      throw new Problem("key-missing", "There is no key.", "Give one.");
    },
  });
  const keyless = await stage.process({ host });
  await expect(keyless.tick()).rejects.toMatchObject({ code: "key-missing" });
  expect([await replies(), await store.inbox.get(agent, "m1")]).toMatchObject([[], { status: "waiting", tries: 0 }]);
});

test("counterparts in one turn are one to five", async () => {
  await expect(life("sqlite", { counterparts: 6 })).rejects.toMatchObject({ code: "bad-argument" });
});
