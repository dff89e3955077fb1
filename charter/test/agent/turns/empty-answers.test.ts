import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Answer } from "../../../src/delivery/model.ts";
import { calls, type Line, scripted, spoken } from "../model.ts";
import { clockTold, newStage, type Stage, tool } from "../stage.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await newStage();
});
afterEach(() => stage.close());

const sleep = async () => {};
const empty = "[Your answer was empty]\nIt had no text and called no tool. Please continue.";
const cut =
  "[Your answer was empty]\nIt reached the limit of its length before its first word. Think less, and answer in few words.";
const thought = (text: string): NonNullable<Answer["native"]> => ({
  model: "test/one",
  content: [{ type: "reasoning", text, providerOptions: { anthropic: { signature: "c2ln" } } }],
});
const withheld: Line = { text: "", finish: "content-filter" };
const requestOf = (model: ReturnType<typeof scripted>, index: number) => spoken(model.requests[index] as never);
const resultsOf = async (turn: string) => (await stage.store.steps.of(turn)).map(({ result }) => result);

describe("an answer without a word or a call", () => {
  test("is recorded, and the model is told so in a message that stays in the history", async () => {
    const model = scripted([calls(["look", {}, "a"]), { text: " \n", native: thought("Hm.") }, "Fine."]);
    const agent = stage.agent(model, { sleep, tools: [tool("look")] });
    const outcome = await agent.runTurn({ input: "One.", user: "mia" });
    // All three were paid for.
    expect(outcome).toMatchObject({ state: "answered", reply: "Fine.", steps: 3, usage: { input: 3000, output: 60 } });
    const asked = ["user: One.", clockTold, "assistant: look {}", "tool: Done."];
    expect([requestOf(model, 1), requestOf(model, 2)]).toEqual([asked, [...asked, `user: ${empty}`]]);
    expect(agent.kinds().slice(-7)).toEqual([
      ...["draft", "step-end", "draft-dropped", "step-start", "draft", "step-end", "turn-end"],
    ]);
    expect((await resultsOf(outcome.turn))[1]).toEqual({
      answer: { text: " \n", calls: [], native: thought("Hm.") },
      finish: "stop",
      usage: { input: 1000, read: 600, written: 100, output: 20 },
      correction: empty,
    });
    // The thoughts of the empty answer are sent no more, here and in another process.
    model.say("Two.");
    for (const one of [agent, stage.agent(model, { store: await stage.another(), tools: [tool("look")] })]) {
      await one.runTurn({ input: "Next.", user: "mia", session: outcome.session });
      expect(requestOf(model, model.requests.length - 1).slice(0, 6)).toEqual([
        ...[...asked, `user: ${empty}`, "assistant: Fine."],
      ]);
    }
  });

  test("that was cut at its limit is told so", async () => {
    const model = scripted([{ text: "", finish: "length" }, "Fine."]);
    const outcome = await stage.agent(model, { sleep }).runTurn({ input: "One.", user: "mia" });
    expect(outcome).toMatchObject({ reply: "Fine.", notices: [] });
    expect(requestOf(model, 1)).toEqual(["user: One.", `user: ${cut}`, clockTold]);
  });

  test("for the second time in a turn ends it, and no request is made twice", async () => {
    const model = scripted([{ text: "" }, calls(["look"]), { text: "" }]);
    const outcome = await stage.agent(model, { sleep, tools: [tool("look")] }).runTurn({ input: "One.", user: "mia" });
    expect(outcome).toMatchObject({
      ...{ state: "failed", reply: null, steps: 3 },
      problem: { code: "model-failed", message: "“test/one” gave no answer: The answer was empty." },
    });
    expect(new Set(model.requests.map((request) => JSON.stringify(request.messages))).size).toBe(3);
    expect((await resultsOf(outcome.turn))[2]).toEqual({
      faults: [{ code: "model-failed", message: "The answer was empty.", retry: false }],
      because: { code: "model-failed", message: "“test/one” gave no answer: The answer was empty." },
    });
  });

  test("in the last step a turn may have ends it", async () => {
    const model = scripted([{ text: "" }]);
    const outcome = await stage.agent(model, { sleep, limits: { steps: 1 } }).runTurn({ input: "One.", user: "mia" });
    expect([outcome.problem?.code, model.requests.length]).toEqual(["model-failed", 1]);
  });

  test("for the second time is another model's to mend, where there is one", async () => {
    const one = scripted([{ text: "" }]);
    const two = scripted(["Two."], { name: "test/two" });
    const outcome = await stage.agent(one, { sleep, model: [one, two] }).runTurn({ input: "One.", user: "mia" });
    expect(outcome).toMatchObject({ state: "answered", reply: "Two." });
    expect([one.requests.length, requestOf(two, 0)]).toEqual([2, ["user: One.", clockTold, `user: ${empty}`]]);
  });
});

describe("an answer that a filter withheld", () => {
  test("is asked of the next model, and never again of the same", async () => {
    const one = scripted([withheld]);
    const two = scripted(["Two."], { name: "test/two" });
    const agent = stage.agent(one, { sleep, model: [one, two] });
    const outcome = await agent.runTurn({ input: "One.", user: "mia" });
    expect(outcome).toMatchObject({
      ...{ state: "answered", reply: "Two." },
      notices: [{ code: "model-changed", message: "“test/one” refused the request: “test/two” is asked instead." }],
    });
    expect([one.requests.length, two.requests.length]).toEqual([1, 1]);
    expect((await resultsOf(outcome.turn))[0]?.faults).toEqual([
      {
        code: "model-rejected",
        message: "The provider's filter withheld the answer.",
        retry: false,
        withheld: true,
      },
    ]);
  });

  test("by every model ends the turn, which is no outage", async () => {
    const one = scripted([withheld]);
    const two = scripted([withheld], { name: "test/two" });
    const outcome = await stage.agent(one, { sleep, model: [one, two] }).runTurn({ input: "One.", user: "mia" });
    expect(outcome).toMatchObject({ state: "failed", problem: { code: "model-rejected" } });
    expect(outcome.problem).not.toHaveProperty("outage");
    expect([one.requests.length, two.requests.length]).toEqual([1, 1]);
  });
});

describe("an answer that its provider interrupted", () => {
  const search = { model: "test/one", content: [{ type: "tool-call", toolCallId: "s1", providerExecuted: true }] };
  const pause = (text: string): Line => ({ text, finish: "pause", native: search as never });

  test("goes back as it came, with nothing added, and goes on", async () => {
    const model = scripted([pause("I am looking. "), pause(""), "Found."]);
    const agent = stage.agent(model, { sleep });
    const outcome = await agent.runTurn({ input: "One.", user: "mia" });
    expect(outcome).toMatchObject({ state: "answered", reply: "I am looking. Found.", steps: 3 });
    const [, second, third] = model.requests.map(({ messages }) =>
      messages.filter(({ role }) => role === "assistant").map(({ breakpoint: _, ...message }) => message),
    );
    const [first, then] = [
      { role: "assistant", text: "I am looking. ", calls: [], native: search },
      { role: "assistant", text: "", calls: [], native: search },
    ];
    expect([second, third]).toEqual([[first], [first, then]]);
    expect((await resultsOf(outcome.turn)).map((result) => result?.finish)).toEqual(["pause", "pause", "stop"]);
  });

  test("is sent back five times in a row: then what there is is the reply", async () => {
    const model = scripted([pause("Still. ")]);
    const outcome = await stage.agent(model, { sleep }).runTurn({ input: "One.", user: "mia" });
    expect(outcome).toMatchObject({ state: "answered", reply: "Still. ".repeat(6) });
    expect(model.requests).toHaveLength(6);
    model.say(pause(""));
    expect(await stage.agent(model, { sleep }).runTurn({ input: "Two.", user: "mia" })).toMatchObject({
      state: "failed",
      problem: { code: "model-failed", message: "“test/one” gave no answer: The answer was empty." },
    });
    expect(model.requests).toHaveLength(12);
  });
});
