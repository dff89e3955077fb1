import { expect, test } from "vitest";
import { calls } from "../agent/model.ts";
import { tool } from "../agent/stage.ts";
import { addressA, agent, lives } from "./stage.ts";

const life = lives();

/** A turn of one step costs 1,755 millionths of a dollar: by the model's price, 300 fresh, 600 read, 100 written, 20 out. */
const cost = 300 * 3 + 600 * 0.3 + 100 * 3.75 + 20 * 15;
const need = Math.ceil(1.25 * cost);

test("it gets worse at once, and better after three good checks; messages wait while it is Critical", async () => {
  const { automaton, store, model, post, pass, message, replies, changes } = await life();
  const tier = async () => (await store.automata.find(agent))?.tier;
  await post(addressA, "One.", "m1");
  await automaton.tick();
  await store.automata.grant(agent, Math.floor(need / 2), "the operator");
  await post(addressA, "Two.", "m2");
  expect([await automaton.tick(), await tier(), (await message("m2")).status]).toEqual([0, "Critical", "waiting"]);
  pass(600_000);
  expect([await automaton.tick(), model.requests.length]).toEqual([0, 1]);
  expect((await changes()).at(-1)).toBe("Idle → Sleeping (Critical)");
  await store.automata.grant(agent, 100 * need, "the operator");
  const tiers: unknown[] = [];
  for (let check = 0; check < 3; check++) tiers.push([await automaton.tick(), await tier()]);
  expect(tiers).toEqual([
    [0, "Critical"],
    [0, "Critical"],
    [2, "Normal"],
  ]);
  expect((await replies()).map(([, body]) => body)).toEqual(["Fine.", "Fine."]);
  const told = await store.events.list({ agent, kind: "automaton-tier" });
  expect(told.map(({ detail }) => detail)).toEqual([
    { from: "Critical", to: "Normal" },
    { from: "Normal", to: "Critical" },
  ]);
});

test("with LowCycles it answers messages, takes no turns of its own and none for what was approved", async () => {
  let paid = 0;
  const pay = tool("pay", () => `Paid ${++paid}.`, { trusted: true });
  const { automaton, store, model, post, pass, replies } = await life("sqlite", { tools: [pay] });
  await post(addressA, "Pay.", "m1");
  model.say(calls(["pay"]), "I asked for it.", "Fine.");
  await automaton.tick();
  const [held] = await store.calls.list({ agent });
  await store.calls.approve(held?.id as string, "the operator");
  await store.automata.grant(agent, 10 * need, "the operator");
  pass(600_000);
  expect([await automaton.tick(), (await store.automata.find(agent))?.tier]).toEqual([0, "LowCycles"]);
  await post(addressA, "And?", "m2");
  expect([await automaton.tick(), (await replies()).length, paid]).toEqual([1, 2, 0]);
  await store.automata.grant(agent, 1000 * need, "the operator");
  for (let checks = 0; checks < 2; checks++) expect(await automaton.tick()).toBe(0);
  expect([await automaton.tick(), paid]).toEqual([2, 1]);
});

test("never granted anything, it lives as it always did", async () => {
  const { automaton, store, post, replies } = await life();
  await post(addressA, "Hello.", "m1");
  await automaton.tick();
  expect([await replies(), (await store.automata.find(agent))?.tier]).toEqual([[[addressA, "Fine."]], "Normal"]);
});
