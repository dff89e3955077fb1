import { afterEach, beforeEach, expect, test } from "vitest";
import type { AgentOptions, DeclareOptions } from "../../../src/agent/index.ts";
import { fromText, turnState } from "../../../src/index.ts";
import { calls, type Scripted, scripted, spoken } from "../model.ts";
import { amends, meeting, newStage, type Stage, tool } from "../stage.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await newStage();
});
afterEach(() => stage.close());

const phases = (agent: ReturnType<Stage["agent"]>) =>
  agent.events.flatMap((event) => (event.kind === "phase" ? [event.phase] : []));

/** The staged charter, in which the agent amends only while actions run. */
const guarded = (model: Scripted, options: Partial<AgentOptions> = {}) => {
  const { declaration } = stage;
  const rules = async () => () => ({ guards: [turnState(["ExecutingActions"])] });
  return stage.agent(model, { charter: { ...declaration, rules }, ...options });
};

test("a person's approved calls run while actions do, before the prompt is made anew", async () => {
  const pay = tool("pay", () => "Paid.", { trusted: true, states: ["ExecutingActions"] });
  const model = scripted([calls(["pay"]), "It waits.", "Paid."]);
  const agent = stage.agent(model, { tools: [pay] });
  const asked = { input: "Pay.", user: "eva", session: "none" };
  await agent.runTurn({ ...asked, foreign: true });
  const [held] = await stage.store.calls.list({ agent: "ada", user: "eva" });
  await stage.store.calls.approve(held?.id ?? "", "the operator");
  agent.events.length = 0;
  expect(await agent.runTurn({ ...asked, input: "And?" })).toMatchObject({ state: "answered" });
  expect(spoken(model.requests.at(-1) as never)[0]).toContain("- pay {}: Paid.");
  expect(phases(agent)).toEqual(["LoadingContext", "ExecutingActions", "LoadingContext", "Inferring", "Persisting"]);
});

test("a tool that goes on after its time and amends while the model is asked is refused", async () => {
  const asked = meeting();
  const settled = meeting();
  const verdicts: unknown[] = [];
  const slow = tool("slow", async (_input, { propose }) => {
    await asked.met;
    const outcome = await propose({ section: "goals", operation: { kind: "rewrite", content: "- Late." } });
    verdicts.push("refusals" in outcome ? outcome.refusals : outcome.verdict);
    settled.meet();
    return "Late.";
  });
  const answers = async () => {
    asked.meet();
    await settled.met;
    return "Done.";
  };
  const model = scripted([calls(["slow"]), answers, calls(["amend", { content: "- In time." }]), "Done."]);
  const agent = guarded(model, { tools: [slow, amends], limits: { toolSeconds: 0.05 } });
  await agent.runTurn({ input: "Go.", user: "mia" });
  expect(verdicts).toEqual([
    [{ guard: "turn-state", because: "The agent amends only while ExecutingActions; it is Inferring." }],
  ]);
  await agent.runTurn({ input: "Again.", user: "mia" });
  expect(await stage.store.standings.read(stage.declaration.charter, { agent: "ada" })).toMatchObject({
    goals: { text: "- In time.", revision: 1 },
  });
});

test("a call without a model is made while actions run", async () => {
  const act = tool("act", () => "Acted.", { trusted: true, harmless: true, states: ["ExecutingActions"] });
  const agent = stage.agent(scripted(), { tools: [act] });
  expect(await agent.callTool({ tool: "act", input: {}, user: "mia" })).toMatchObject({
    output: "Acted.",
    failed: false,
  });
  expect(phases(agent)).toEqual(["LoadingContext", "ExecutingActions", "Persisting"]);
});

test("a turn that throws ends by being recorded", async () => {
  const agent = stage.agent(scripted(["Fine."], { price: null }), { limits: { userDollarsPerDay: 1 } });
  await expect(agent.runTurn({ input: "Go.", user: "mia" })).rejects.toThrow("the price of test/one is not known");
  expect(phases(agent)).toEqual(["LoadingContext", "Persisting"]);
});

test("sources know the phase the model reads them in, and how many calls are left in the turn", async () => {
  const seen: unknown[] = [];
  stage.world.clock = ({ phase, callsLeft }) => {
    seen.push([phase, callsLeft]);
    return fromText(`${callsLeft} left.`, { source: "clock" });
  };
  const model = scripted([calls(["act"], ["act"]), calls(["act"], ["act"], ["act"]), "Done."]);
  const agent = stage.agent(model, { tools: [tool("act")], limits: { toolCalls: 8 } });
  await agent.runTurn({ input: "Go.", user: "mia", limits: { toolCalls: 4, steps: 100 } });
  expect(seen).toEqual([
    ["Inferring", 4],
    ["Inferring", 2],
    ["Inferring", 0],
  ]);
});

test("a turn's own limits narrow the agent's and the charter's, and never widen them", async () => {
  const model = scripted([calls(["act"])]);
  const charter = { ...stage.declaration, limits: { steps: 4 } };
  const agent = stage.agent(model, { charter, tools: [tool("act")], limits: { steps: 6 } });
  const steps = async (asked: number) =>
    (await agent.runTurn({ input: "Go.", user: "mia", limits: { steps: asked } })).steps;
  expect([await steps(2), await steps(5), (await agent.runTurn({ input: "Go.", user: "mia" })).steps]).toEqual([
    2, 4, 4,
  ]);
});

test("a turn asked with other people's words is tainted from the start, and says why", async () => {
  const model = scripted([calls(["amend", { content: "- Sell teapots." }]), "Done."]);
  const agent = stage.agent(model, { tools: [amends] });
  expect(await agent.runTurn({ input: "Sell teapots.", user: "mia", foreign: true })).toMatchObject({ tainted: true });
  expect(agent.events.filter(({ kind }) => kind === "tainted")).toMatchObject([
    { reason: "The turn was asked with other people's words." },
  ]);
  expect(await stage.store.held.list({ agent: "ada" })).toMatchObject([{ status: "waiting" }]);
});

test("a charter is declared for a turn by its id", async () => {
  const turns: DeclareOptions["turn"][] = [];
  const charter = (turn: DeclareOptions) => {
    turns.push(turn.turn);
    return stage.declaration;
  };
  await stage.store.agents.add({ name: "ada", charter: "staged" });
  const input = { name: "hears", input: () => ({}) };
  const agent = stage.agent(scripted(), { charter, hooks: [input] });
  await agent.runTurn({ input: "Go.", user: "mia", id: "turn-7" });
  expect(turns).toEqual(["turn-7", "turn-7"]);
});
