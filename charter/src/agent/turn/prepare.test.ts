import { expect, test } from "vitest";
import { calls, scripted } from "../../../test/agent/model.ts";
import type { Charter } from "../../prompt/charter.ts";
import { sqlite } from "../../store/home/sqlite/sqlite.ts";
import { createStore } from "../../store/store.ts";
import { createAgent } from "../agent.ts";
import { declarationOf } from "../bare-declaration.ts";
import { narrower } from "../limits.ts";
import { readMemory } from "../tools/index.ts";
import type { DeclareOptions } from "./turn-state.ts";

const cat: Charter = {
  name: "cat",
  layers: [{ name: "a", mutability: "live", sections: [{ name: "a", words: "Purr." }] }],
};
const bounded = (steps: number) => ({ ...declarationOf(cat), limits: { steps } });

test("where two hands limit a turn, the narrower limit holds", () => {
  expect(narrower({ steps: 5, toolCalls: 2 }, { steps: 7, retries: 0 })).toEqual({
    steps: 5,
    toolCalls: 2,
    retries: 0,
  });
  expect(narrower({ steps: 7 }, { steps: 5 })).toEqual({ steps: 5 });
  expect([narrower(), narrower({ steps: 1 }), narrower(undefined, { steps: 2 })]).toEqual([
    {},
    { steps: 1 },
    { steps: 2 },
  ]);
});

test("a charter's limits hold for its agent, declared once or anew each turn, and beside the agent's own", async () => {
  const store = await createStore(sqlite(":memory:"));
  const told: DeclareOptions[] = [];
  const anew = (turn: DeclareOptions) => {
    told.push(turn);
    return bounded(told.length);
  };
  const stepsOf = async (name: string, options: object) => {
    await store.agents.put({ name, charter: "cat" });
    const model = scripted([calls(["read_memory"])]);
    const agent = createAgent({ name, charter: cat, model, store, tools: [readMemory()], ...options });
    return (await agent.runTurn({ input: "Hi.", user: "bo", channel: "web" })).steps;
  };
  expect(await stepsOf("once", { charter: bounded(2) })).toBe(2);
  expect(await stepsOf("wide", { charter: bounded(4), limits: { steps: 3 } })).toBe(3);
  expect(await stepsOf("narrow", { charter: bounded(3), limits: { steps: 4 } })).toBe(3);
  expect(await stepsOf("anew", { charter: anew })).toBe(1);
  expect(told).toEqual([{ agent: "anew", user: "bo", channel: "web", now: expect.stringMatching(/^\d{4}-/) }]);
  expect(() => createAgent({ charter: bounded(-1), model: scripted([]), store })).toThrow(
    expect.objectContaining({ code: "bad-limit" }),
  );
  await store.close();
});

test("a charter that cannot be declared leaves a turn that failed, as ever", async () => {
  const store = await createStore(sqlite(":memory:"));
  await store.agents.put({ name: "cat", charter: "cat" });
  const broken = () => Promise.reject(new Error("no charter today"));
  const agent = createAgent({ name: "cat", charter: broken, model: scripted([]), store });
  await expect(agent.runTurn({ input: "Hi.", user: "mia" })).rejects.toThrow("no charter today");
  expect((await store.turns.list({ agent: "cat" })).map(({ state }) => state)).toEqual(["failed"]);
  await store.close();
});
