import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Fault } from "../../../src/delivery/model.ts";
import { busy, bytesOf, calls, type Line, scripted, spoken } from "../model.ts";
import { clockTold, newStage, type Stage, tool } from "../stage.ts";

let stage: Stage;
let slept: number[];
beforeEach(async () => {
  stage = await newStage();
  slept = [];
});
afterEach(() => stage.close());

const sleep = async (milliseconds: number) => void slept.push(milliseconds);
const fault = (code: Fault["code"], retry = false, message = "Words of the provider."): Line => ({
  fault: { code, message, retry },
});
const cut: Line = (_request, { onText }) => {
  onText?.("Half an ");
  return fault("model-cut", true);
};

describe("asking again", () => {
  test("busy, then fine: after the time the provider asked for, else after longer and longer", async () => {
    const model = scripted([busy({ afterMs: 1234 }), busy(), busy(), "Fine."]);
    const agent = stage.agent(model, { sleep });
    const outcome = await agent.runTurn({ input: "One.", user: "mia" });
    expect(outcome).toMatchObject({ state: "answered", reply: "Fine.", steps: 1 });
    expect(slept).toEqual([1234, 1000, 2000]);
    expect(agent.events.filter(({ kind }) => kind === "retry")).toMatchObject([
      { attempt: 1, waitMs: 1234, fault: { code: "model-busy" } },
      { attempt: 2, waitMs: 1000 },
      { attempt: 3, waitMs: 2000 },
    ]);
    expect(new Set(model.requests.map(bytesOf)).size).toBe(1);
    const [step] = await stage.store.steps.of(outcome.turn);
    expect(step?.result?.faults).toHaveLength(3);
  });

  test("always busy: it gives up, with everything on record, and the next turn is as if it had not been", async () => {
    const model = scripted([busy()]);
    const agent = stage.agent(model, { sleep, limits: { retries: 2 } });
    const outcome = await agent.runTurn({ input: "One.", user: "mia" });
    expect(outcome).toMatchObject({
      state: "failed",
      reply: null,
      problem: { code: "model-busy", message: "“test/one” gave no answer: Too many requests. Asked 3 times." },
    });
    expect(model.requests).toHaveLength(3);
    const [step] = await stage.store.steps.of(outcome.turn);
    expect(step?.result).toMatchObject({ faults: [{ code: "model-busy" }, {}, {}], because: { code: "model-busy" } });
    expect(await stage.store.turns.get(outcome.turn)).toMatchObject({ state: "failed", reply: null });
  });

  test("a stream that was cut: what was drafted is dropped, and never part of the reply", async () => {
    const model = scripted([cut, "A whole answer."]);
    const agent = stage.agent(model, { sleep });
    expect(await agent.runTurn({ input: "One.", user: "mia" })).toMatchObject({ reply: "A whole answer." });
    expect(agent.kinds()).toEqual([
      "turn-start",
      "step-start",
      "draft",
      "draft-dropped",
      "retry",
      "draft",
      "step-end",
      "turn-end",
    ]);
  });

  test("words that still come from a stream that was given up are nobody's", async () => {
    let say: ((text: string) => void) | undefined;
    const model = scripted([
      (request, asking) => {
        say = asking.onText;
        return typeof cut === "function" ? cut(request, asking) : cut;
      },
      () => {
        say?.("LATE WORDS");
        return "A whole answer.";
      },
    ]);
    const agent = stage.agent(model, { sleep });
    await agent.runTurn({ input: "One.", user: "mia" });
    const drafts = agent.events.flatMap((event) => (event.kind === "draft" ? [event.text] : []));
    expect(drafts).toEqual(["Half an ", "A whole answer."]);
  });

  test("rejected: it is not asked again", async () => {
    const model = scripted([fault("model-rejected")]);
    const outcome = await stage.agent(model, { sleep }).runTurn({ input: "One.", user: "mia" });
    expect(outcome).toMatchObject({ state: "failed", problem: { code: "model-rejected" } });
    expect([model.requests.length, slept]).toEqual([1, []]);
  });

  test("a wait that is longer than the turn may take is not begun", async () => {
    const model = scripted([busy({ afterMs: 10 * 60_000 })]);
    const outcome = await stage.agent(model, { sleep }).runTurn({ input: "One.", user: "mia" });
    expect(outcome).toMatchObject({ state: "failed", problem: { code: "model-busy" } });
    expect(slept).toEqual([]);
  });

  test("a model that breaks its word and throws does not take the turn with it", async () => {
    const model = scripted([
      () => {
        throw new TypeError("Oh.");
      },
    ]);
    const outcome = await stage.agent(model, { sleep }).runTurn({ input: "One.", user: "mia" });
    expect(outcome).toMatchObject({ state: "failed", problem: { code: "model-failed" } });
  });
});

describe("answers that are not whole", () => {
  test("cut by length: it is the reply, with a notice", async () => {
    const model = scripted([{ text: "It goes on and", finish: "length" }]);
    const outcome = await stage.agent(model).runTurn({ input: "One.", user: "mia" });
    expect(outcome).toMatchObject({ state: "answered", reply: "It goes on and" });
    expect(outcome.notices).toEqual([
      { code: "answer-cut", message: "The answer reached the model's limit and stops there." },
    ]);
  });

  test("stopped by the provider's filter: nothing of it, or what there is with a notice", async () => {
    const model = scripted([{ text: "", finish: "content-filter" }]);
    const agent = stage.agent(model, { sleep });
    expect(await agent.runTurn({ input: "One.", user: "mia" })).toMatchObject({
      state: "failed",
      problem: { code: "model-rejected", message: expect.stringContaining("filter withheld the answer") },
    });
    expect(model.requests).toHaveLength(1);
    model.say({ text: "As far as", finish: "content-filter" });
    expect(await agent.runTurn({ input: "Two.", user: "mia" })).toMatchObject({
      reply: "As far as",
      notices: [{ code: "answer-cut", message: "The provider's filter stopped the answer there." }],
    });
  });

  test("a tool call that was cut by length is told to be written again", async () => {
    const model = scripted([{ calls: [{ id: "a", name: "look", input: '{"where": "he' }], finish: "length" }, "Done."]);
    expect(await stage.agent(model, { tools: [tool("look")] }).runTurn({ input: "One.", user: "mia" })).toMatchObject({
      reply: "Done.",
    });
    expect(spoken(model.requests[1] as never).join("\n")).toContain("tool: Not run: the arguments are no JSON");
  });
});

describe("what a failed turn leaves behind", () => {
  const mark = "user: [Stopped here: this message has no finished answer.]";
  const empty = "user: [Your answer was empty]\nIt had no text and called no tool. Please continue.";
  const failing: [what: string, lines: Line[], said: string[]][] = [
    ["rejected: no trace", [fault("model-rejected", false, "FAULTY")], []],
    ["cut for good: what was said by then", [cut], ["user: THE WORDS", "assistant: Half an", mark]],
    ["empty twice: the question", [{ text: "" }], ["user: THE WORDS", empty, mark]],
  ];
  for (const [what, lines, said] of failing)
    test(`without tools, ${what} in the next request, here and elsewhere`, async () => {
      const model = scripted(["Hello."]);
      const agent = stage.agent(model, { sleep });
      await agent.runTurn({ input: "First.", user: "mia" });
      model.say(...lines);
      expect(await agent.runTurn({ input: "THE WORDS", user: "mia" })).toMatchObject({ state: "failed", reply: null });
      model.say("Fine.");
      for (const one of [agent, stage.agent(model, { store: await stage.another() })]) {
        await one.runTurn({
          input: "Next.",
          user: "mia",
          session: (await stage.store.sessions.latest({ agent: "ada" }))?.id as string,
        });
        expect(bytesOf(model.requests.at(-1) as never)).not.toContain("FAULTY");
      }
      expect(spoken(model.requests.at(-1) as never)).toEqual([
        "user: First.",
        clockTold,
        "assistant: Hello.",
        ...said,
        "user: Next.",
        "assistant: Fine.",
        "user: Next.",
      ]);
    });

  test("with tools: the calls and their results are there, since they happened", async () => {
    let ran = 0;
    const model = scripted([calls(["send", {}, "a"]), fault("model-rejected")]);
    const tools = [tool("send", () => `Sent ${++ran}.`)];
    const agent = stage.agent(model, { tools, sleep });
    expect(await agent.runTurn({ input: "Send it.", user: "mia" })).toMatchObject({
      state: "failed",
      reply: null,
      steps: 2,
    });
    model.say("Fine.");
    await agent.runTurn({ input: "Was it sent?", user: "mia" });
    const expected = [
      "user: Send it.",
      clockTold,
      "assistant: send {}",
      "tool: Sent 1.",
      mark.replace("user", "assistant"),
      "user: Was it sent?",
    ];
    expect(spoken(model.requests.at(-1) as never)).toEqual(expected);
    await stage.agent(model, { tools, store: await stage.another() }).runTurn({ input: "Really?", user: "mia" });
    expect(spoken(model.requests.at(-1) as never).slice(0, 6)).toEqual(expected);
    expect(ran).toBe(1);
  });

  test("a draft with tool calls is told as a draft, and is no reply when the turn fails after it", async () => {
    const looking: Line = { text: "Let me look.", calls: [{ id: "a", name: "look", input: "{}" }] };
    const model = scripted([looking, fault("model-rejected")]);
    const agent = stage.agent(model, { tools: [tool("look")], sleep });
    const outcome = await agent.runTurn({ input: "Look.", user: "mia" });
    expect(outcome).toMatchObject({ state: "failed", reply: null });
    expect((await stage.store.turns.get(outcome.turn)).reply).toBeNull();
  });
});

test("a turn that was erased, or given up for interrupted, while it ran has no reply for anyone", async () => {
  const model = scripted([
    async () => {
      await stage.store.erase({ user: "eva" });
      return "Secrets of eva.";
    },
  ]);
  const agent = stage.agent(model);
  const outcome = await agent.runTurn({ input: "One.", user: "eva" });
  expect(outcome).toMatchObject({ state: "failed", reply: null, problem: { code: "turn-over" } });
  model.say(async () => {
    await (await stage.another()).turns.interruptAbandoned({ isGone: () => true });
    return "Too late.";
  });
  expect(await agent.runTurn({ input: "Two.", user: "bo" })).toMatchObject({
    state: "failed",
    reply: null,
    problem: { code: "turn-over", message: "The turn was interrupted while it ran; its answer is not kept." },
  });
  model.say("Fine.");
  await agent.runTurn({ input: "Three.", user: "bo" });
  expect(spoken(model.requests.at(-1) as never)).toEqual([
    "user: Two.",
    clockTold,
    "assistant: Too late.",
    "user: [Stopped here: this message has no finished answer.]",
    "user: Three.",
  ]);
});

test("a turn that was erased between two steps stops there", async () => {
  const erase = tool("erase", async () => {
    await stage.store.erase({ user: "eva" });
    return "Erased.";
  });
  const model = scripted([calls(["erase"]), "Never asked."]);
  const outcome = await stage.agent(model, { tools: [erase] }).runTurn({ input: "One.", user: "eva" });
  expect(outcome).toMatchObject({ state: "failed", reply: null, problem: { code: "turn-over" } });
  expect(model.requests).toHaveLength(1);
});

test("a turn without words is nobody's: nothing is asked and nothing is kept", async () => {
  const model = scripted();
  const agent = stage.agent(model);
  for (const input of ["", " \n", undefined, 7])
    await expect(agent.runTurn({ input: input as string, user: "eva" })).rejects.toMatchObject({ code: "bad-input" });
  expect(model.requests).toEqual([]);
  expect(await stage.store.turns.list()).toEqual([]);
});
