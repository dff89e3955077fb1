import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fromText } from "../../../src/index.ts";
import { bytesOf, calls, hangs, scripted, spoken, systemOf } from "../model.ts";
import { clockTold, meeting, newStage, type Stage, tool } from "../stage.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await newStage();
});
afterEach(() => stage.close());

const forever = () => new Promise<never>(() => {});
const cameOf = async (turn: string) => (await stage.store.steps.of(turn)).map(({ result }) => result);

describe("how far a turn may go", () => {
  test("steps: after the last one allowed the turn fails, with everything it did on record", async () => {
    const model = scripted([calls(["look", {}, "a"]), calls(["look", {}, "b"]), "Never asked."]);
    const agent = stage.agent(model, { tools: [tool("look")], limits: { steps: 2 } });
    const outcome = await agent.runTurn({ input: "Look twice.", user: "mia" });
    expect(outcome).toMatchObject({ state: "failed", reply: null, steps: 2, problem: { code: "turn-steps" } });
    expect(model.requests).toHaveLength(2);
    expect(await cameOf(outcome.turn)).toMatchObject([
      { results: [{ call: "a", output: "Done." }] },
      { results: [{ call: "b", output: "Done." }] },
    ]);
    expect(await stage.store.turns.get(outcome.turn)).toMatchObject({ state: "failed", reply: null });
  });

  test("tool calls: those over the limit are not run, and the model is told", async () => {
    let ran = 0;
    const model = scripted([calls(["look"], ["look"], ["look"]), calls(["look"]), "Done."]);
    const agent = stage.agent(model, { tools: [tool("look", () => `Look ${++ran}.`)], limits: { toolCalls: 2 } });
    expect(await agent.runTurn({ input: "Look.", user: "mia" })).toMatchObject({ state: "answered" });
    expect(ran).toBe(2);
    const over = "Not run: the limit is 2 calls per turn.";
    expect(spoken(model.requests[2] as never)).toEqual(
      expect.arrayContaining([`tool: Look 1. | Look 2. | ${over}`, `tool: ${over}`]),
    );
  });

  test("tool time: the result says so, the turn goes on, and what the tool says later is not heard", async () => {
    const late = meeting();
    let given: AbortSignal | undefined;
    const slow = tool("slow", async (_, { signal }) => {
      given = signal;
      await late.met;
      return "LATE WORDS";
    });
    const model = scripted([calls(["slow", {}, "a"]), "Done.", "Again."]);
    const agent = stage.agent(model, { tools: [slow], limits: { toolSeconds: 0.05 } });
    const { turn } = await agent.runTurn({ input: "Try.", user: "mia" });
    expect(given?.aborted).toBe(true);
    late.meet();
    await agent.runTurn({ input: "And now?", user: "mia" });
    expect(await cameOf(turn)).toMatchObject([
      {
        results: [
          {
            call: "a",
            output: "It had not finished within 0.05 s; whether it took effect is not known.",
            failed: true,
          },
        ],
      },
      {},
    ]);
    expect(bytesOf(model.requests.at(-1) as never)).not.toContain("LATE WORDS");
  });

  test("turn time, while the model thinks: the model is called off, the draft is dropped, there is no reply", async () => {
    const model = scripted([hangs(undefined, "Half an ans")]);
    const agent = stage.agent(model, { limits: { turnSeconds: 0.5 } });
    const outcome = await agent.runTurn({ input: "Think.", user: "mia" });
    expect(outcome).toMatchObject({
      state: "failed",
      reply: null,
      problem: { code: "turn-time", message: "The turn took longer than 0.5 s." },
    });
    expect(agent.kinds()).toEqual(["turn-start", "step-start", "draft", "draft-dropped", "turn-end"]);
  });

  test("turn time, while a model does not listen: nobody waits for it", async () => {
    const model = scripted([forever]);
    const outcome = await stage
      .agent(model, { limits: { turnSeconds: 0.1 } })
      .runTurn({ input: "Think.", user: "mia" });
    expect(outcome).toMatchObject({ state: "failed", problem: { code: "turn-time" } });
  });

  test("turn time, while a tool runs: its result is recorded, the calls after it are not made", async () => {
    let [first, second] = [0, 0];
    const begins = () => {
      first += 1;
      return forever();
    };
    const tools = [tool("slow", begins), tool("quick", () => `${++second}`)];
    const model = scripted([calls(["slow", {}, "a"], ["quick", {}, "b"])]);
    const taken = (turnSeconds: number) =>
      stage.agent(model, { tools, limits: { turnSeconds } }).runTurn({ input: "Go.", user: "mia", session: "new" });
    // A busy machine may need more than a moment to get to the tool.
    let outcome = await taken(0.1);
    for (let seconds = 0.4; first === 0; seconds *= 4) outcome = await taken(seconds);
    expect(outcome).toMatchObject({ state: "failed", problem: { code: "turn-time" } });
    expect(second).toBe(0);
    const stopped = "It had not finished when the turn was stopped; whether it took effect is not known.";
    expect(await cameOf(outcome.turn)).toMatchObject([
      {
        results: [
          { call: "a", output: stopped, failed: true },
          { call: "b", output: "Not run: the turn was stopped before.", failed: true },
        ],
      },
    ]);
    model.say("Fine.");
    await stage.agent(model, { tools }).runTurn({ input: "What happened?", user: "mia" });
    expect(spoken(model.requests.at(-1) as never)).toContain(
      `tool: ${stopped} | Not run: the turn was stopped before.`,
    );
  });

  test("source time: what hangs is unavailable, with a notice; the others are there, and no fallback speaks", async () => {
    stage.world.place = forever;
    stage.world.clock = () => fromText("Noon.");
    const model = scripted();
    const outcome = await stage
      .agent(model, { limits: { sourceSeconds: 0.05 } })
      .runTurn({ input: "Where are we?", user: "mia" });
    expect(outcome.state).toBe("answered");
    expect(outcome.notices).toEqual([
      expect.objectContaining({ section: "place", message: expect.stringContaining("did not answer in 0.05 s") }),
    ]);
    expect(systemOf(model.requests[0] as never)).not.toContain("## Place");
    expect(spoken(model.requests[0] as never).at(-1)).toBe("system: ## Clock\nNoon.");
  });

  test("a limit that is none, or no number, is refused when the agent is made", () => {
    expect(() => stage.agent(scripted(), { limits: { steps: Number.NaN } })).toThrow("The limit “steps” is NaN.");
    expect(() => stage.agent(scripted(), { limits: { step: 3 } as object })).toThrow("There is no limit “step”.");
    expect(() => stage.agent(scripted(), { limits: { toolCalls: -1 } })).toThrow("The limit “toolCalls” is -1.");
  });
});

describe("what a day may cost", () => {
  const price = { input: 1_000_000, read: 1_000_000, write: 1_000_000, output: 0 };
  // A dollar a token: a request costs what it is predicted to have, a turn what the usage says: 1,000.

  test("a user over the limit: nothing is sent, the turn says why; another user, and the next day, are free", async () => {
    const model = scripted(["Fine."], { price });
    const agent = stage.agent(model, { limits: { userDollarsPerDay: 900 } });
    expect(await agent.runTurn({ input: "One.", user: "eva" })).toMatchObject({ state: "answered", cost: 1000 });
    const outcome = await agent.runTurn({ input: "Two.", user: "eva" });
    expect(outcome).toMatchObject({
      state: "failed",
      reply: null,
      cost: 0,
      problem: {
        code: "spending-limit",
        message: "“eva” may cost $900 a day, and the next request would go over it.",
      },
    });
    expect(model.requests).toHaveLength(1);
    expect(await stage.store.turns.get(outcome.turn)).toMatchObject({ state: "failed" });
    expect(await agent.runTurn({ input: "One.", user: "bo" })).toMatchObject({ state: "answered" });
    stage.wait(86_400);
    expect(await agent.runTurn({ input: "Three.", user: "eva" })).toMatchObject({ state: "answered" });
    expect(spoken(model.requests.at(-1) as never)).toEqual([
      "user: One.",
      clockTold,
      "assistant: Fine.",
      "user: Three.",
      "system: ## Clock\nIt is 2026-02-19.",
    ]);
  });

  test("a provider that never says what it counted is held to the limit by what was predicted", async () => {
    const usage = { input: null, read: null, written: null, output: null };
    const model = scripted([{ text: "Fine.", usage }], { price });
    const agent = stage.agent(model, { limits: { userDollarsPerDay: 300 } });
    const outcomes = [];
    for (let turn = 0; turn < 20; turn++) outcomes.push(await agent.runTurn({ input: "Hello.", user: "eva" }));
    expect(outcomes[0]).toMatchObject({ state: "answered", usage });
    expect(outcomes.at(-1)).toMatchObject({ problem: { code: "spending-limit" } });
    const costs = outcomes.map(({ cost }) => cost ?? 0).reduce((sum, cost) => sum + cost, 0);
    expect(costs).toBeGreaterThan(0);
    expect(costs).toBeLessThanOrEqual(300);
  });

  test("an agent over the limit: none of its users is served", async () => {
    const model = scripted(["Fine."], { price });
    const agent = stage.agent(model, { limits: { agentDollarsPerDay: 1900 } });
    for (const user of ["eva", "bo"])
      expect(await agent.runTurn({ input: "One.", user })).toMatchObject({ cost: 1000 });
    expect(await agent.runTurn({ input: "One.", user: "cem" })).toMatchObject({
      state: "failed",
      problem: {
        code: "spending-limit",
        message: "“ada” may cost $1900 a day, and the next request would go over it.",
      },
    });
    expect(model.requests).toHaveLength(2);
  });

  test("not there yet, but with the next request: it is not sent", async () => {
    const model = scripted(["Fine."], { price });
    const agent = stage.agent(model, { limits: { userDollarsPerDay: 1010 } });
    expect(await agent.runTurn({ input: "One.", user: "eva" })).toMatchObject({ cost: 1000 });
    expect(await agent.runTurn({ input: "Two.", user: "eva" })).toMatchObject({ problem: { code: "spending-limit" } });
    expect(model.requests).toHaveLength(1);
  });

  test("in the middle of a turn: what its own steps have cost counts", async () => {
    const model = scripted([calls(["look"]), "Done."], { price });
    const agent = stage.agent(model, { tools: [tool("look")], limits: { userDollarsPerDay: 500 } });
    const outcome = await agent.runTurn({ input: "One.", user: "eva" });
    expect(outcome).toMatchObject({ state: "failed", steps: 1, cost: 1000, problem: { code: "spending-limit" } });
    expect(model.requests).toHaveLength(1);
    expect((await stage.store.spending.of({ agent: "ada", user: "eva", day: "2026-02-18" })).user.micros).toBe(1000e6);
  });

  test("words that were to be said with a request that was never made are said with the next", async () => {
    const model = scripted(["Fine."], { price });
    const agent = stage.agent(model, { limits: { userDollarsPerDay: 900 } });
    await agent.runTurn({ input: "One.", user: "eva" });
    await stage.amend(
      { section: "wishes", operation: { kind: "rewrite", content: "In French." }, actor: "user" },
      "eva",
    );
    await agent.runTurn({ input: "Two.", user: "eva" });
    expect(model.requests).toHaveLength(1);
    const richer = (store = stage.store) => stage.agent(model, { store, limits: { userDollarsPerDay: 9000 } });
    const elsewhere = richer(await stage.another());
    await elsewhere.runTurn({ input: "Three.", user: "eva" });
    expect(spoken(model.requests[1] as never).filter((one) => one.includes("In French."))).toHaveLength(1);
  });

  test("a limit without a price is a Problem", async () => {
    const model = scripted(["Fine."], { price: null });
    const agent = stage.agent(model, { limits: { userDollarsPerDay: 1 } });
    await expect(agent.runTurn({ input: "One.", user: "mia", id: "turn-1" })).rejects.toMatchObject({
      code: "price-unknown",
    });
    expect(model.requests).toHaveLength(0);
    expect(await stage.store.turns.get("turn-1")).toMatchObject({ state: "failed" });
    expect(await stage.agent(model).runTurn({ input: "Two.", user: "mia" })).toMatchObject({
      state: "answered",
      cost: null,
    });
  });

  test("a request that is longer than the window is not sent", async () => {
    const model = scripted(["Fine."], { window: 8192 });
    const agent = stage.agent(model);
    const outcome = await agent.runTurn({ input: "Long. ".repeat(10_000), user: "mia" });
    expect(outcome).toMatchObject({ state: "failed", problem: { code: "request-too-long" } });
    expect(model.requests).toHaveLength(0);
    expect(await agent.runTurn({ input: "Short.", user: "mia" })).toMatchObject({ state: "answered" });
    expect(spoken(model.requests[0] as never)[0]).toBe("user: Short.");
  });
});
