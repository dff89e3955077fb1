import { hostname } from "node:os";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Fault, ModelRequest } from "../../../src/delivery/model.ts";
import { receiptOf } from "../../../src/index.ts";
import { assemble } from "../../../src/prompt/assemble.ts";
import { gather } from "../../../src/prompt/gather.ts";
import { sha256 } from "../../../src/store/texts/packing.ts";
import { calls, hangs, type Scripted, scripted, spoken } from "../model.ts";
import { provesRequests } from "../proof.ts";
import { clockTold, meeting, newStage, type Stage, tool } from "../stage.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await newStage();
});
afterEach(() => stage.close());

const user = "eva";
const mark = "user: [Stopped here: this message has no finished answer.]";
const last = (model: Scripted) => spoken(model.requests.at(-1) as ModelRequest);
const fails = (code: Fault["code"], more: Partial<Fault> = {}) => ({
  fault: { code, message: "It broke.", retry: false, ...more },
});

/** A turn that is stopped after the model has said so much. */
async function stopped(agent: ReturnType<Stage["agent"]>, model: Scripted, input: string, said = "Half an") {
  const thinking = meeting();
  model.say(hangs(thinking.meet, said));
  const controller = new AbortController();
  const outcome = agent.runTurn({ input, user }, { signal: controller.signal });
  await thinking.met;
  controller.abort();
  return outcome;
}

describe("a question that was stopped", () => {
  test("stays in the history with what was answered so far, marked, here and elsewhere; the record proves it", async () => {
    const model = scripted();
    const agent = stage.agent(model);
    const outcome = await stopped(agent, model, "What is tea?");
    expect(outcome).toMatchObject({
      problem: { code: "model-aborted", hint: expect.stringMatching(/stays in the conversation\.$/) },
    });
    model.say("Fine.");
    const { turn } = await agent.runTurn({ input: "Go on.", user });
    const told = ["user: What is tea?", clockTold, "assistant: Half an", mark, "user: Go on."];
    expect(last(model)).toEqual(told);
    await provesRequests(stage.store, turn, model.requests.slice(-1));
    await stage.agent(model, { store: await stage.another() }).runTurn({ input: "And?", user });
    expect(last(model)).toEqual([...told, "assistant: Fine.", "user: And?"]);
  });

  test("is said once where it is asked again, here and elsewhere", async () => {
    for (const store of [stage.store, await stage.another()]) {
      const model = scripted();
      const agent = stage.agent(model, { store });
      const { session } = await stopped(agent, model, "What is tea?");
      const again = store === stage.store ? agent : stage.agent(model, { store: await stage.another() });
      model.say("A leaf.");
      const { turn } = await again.runTurn({ input: "What is tea?", user, session });
      expect(last(model)).toEqual(["user: What is tea?", clockTold]);
      await provesRequests(store, turn, model.requests.slice(-1));
      await agent.runTurn({ input: "And coffee?", user, session });
      expect(last(model)).toEqual(["user: What is tea?", clockTold, "assistant: A leaf.", "user: And coffee?"]);
      await agent.newSession({ user });
    }
  });

  test("is not in the history if it reached no request", async () => {
    const model = scripted();
    const agent = stage.agent(model);
    const outcome = await agent.runTurn({ input: "Never.", user }, { signal: AbortSignal.abort() });
    expect(outcome.problem?.hint).toBe("Ask again when you are ready.");
    await agent.runTurn({ input: "Now.", user });
    expect(last(model)).toEqual(["user: Now.", clockTold]);
  });

  test("is marked after what its tools did, too", async () => {
    const model = scripted();
    const agent = stage.agent(model, { tools: [tool("look", () => "A cup.")] });
    const thinking = meeting();
    model.say(calls(["look"]), hangs(thinking.meet, "I see"));
    const controller = new AbortController();
    const outcome = agent.runTurn({ input: "Look.", user }, { signal: controller.signal });
    await thinking.met;
    controller.abort();
    await outcome;
    model.say("Fine.");
    await agent.runTurn({ input: "Look.", user });
    expect(last(model)).toEqual([
      "user: Look.",
      clockTold,
      "assistant: look {}",
      "tool: A cup.",
      "assistant: I see",
      mark,
      "user: Look.",
    ]);
  });
});

describe("a question in an outage", () => {
  const outages: readonly [string, ReturnType<typeof fails>][] = [
    ["is busy", fails("model-busy")],
    ["cannot be reached", fails("model-unreachable")],
    ["breaks off", fails("model-cut")],
    ["fails", fails("model-failed")],
    ["takes nobody's key", fails("model-rejected", { outage: true })],
  ];
  for (const [what, fault] of outages)
    test(`stays in the history, of a model that ${what}`, async () => {
      const model = scripted([fault]);
      const agent = stage.agent(model);
      const { problem } = await agent.runTurn({ input: "What is tea?", user });
      expect(problem?.hint).toMatch(/What you wrote stays in the conversation\.$/);
      model.say("Fine.");
      await agent.runTurn({ input: "And coffee?", user });
      expect(last(model)).toEqual(["user: What is tea?", mark, "user: And coffee?", clockTold]);
    });

  test("that the model would not take is not told again: it would be refused with every message", async () => {
    const model = scripted([fails("model-rejected")]);
    const agent = stage.agent(model);
    expect((await agent.runTurn({ input: "Bad.", user })).problem?.hint).not.toContain("stays in the conversation");
    model.say("Fine.");
    await agent.runTurn({ input: "Good.", user });
    expect(last(model)).toEqual(["user: Good.", clockTold]);
  });

  test("that breaks the model breaks one more at most, not all that follow", async () => {
    const model = scripted([(request) => (spoken(request).includes("user: Break.") ? fails("model-failed") : "Fine.")]);
    const agent = stage.agent(model);
    const states = [];
    for (const input of ["Break.", "One.", "Two.", "Three."]) states.push((await agent.runTurn({ input, user })).state);
    expect(states).toEqual(["failed", "failed", "answered", "answered"]);
    expect(last(model).slice(0, 3)).toEqual(["user: One.", mark, "user: Two."]);
  });
});

test("a question whose process died while the model thought stays as well", async () => {
  const model = scripted();
  const agent = stage.agent(model);
  const { session } = await agent.runTurn({ input: "One.", user });
  const { turns } = stage.store;
  // More than any system numbers its processes with.
  const runner = `${hostname()}:${2 ** 30}`;
  await turns.open({ scope: { agent: "ada", user }, input: "Two.", session, runner, id: "dead" });
  const { charter } = stage.declaration;
  const about = { agent: "ada", now: stage.clock().toISOString(), tools: [], standing: {} };
  await turns.recordStep("dead", receiptOf(charter, assemble(charter, await gather(charter, about)), { sha256 }));
  await agent.runTurn({ input: "Three.", user });
  expect(last(model)).toEqual(["user: One.", clockTold, "assistant: Fine.", "user: Two.", mark, "user: Three."]);
});
