import { afterEach, beforeEach, expect, test } from "vitest";
import { calls, hangs, scripted, spoken } from "../model.ts";
import { meeting, newStage, type Stage, tool } from "../stage.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await newStage();
});
afterEach(() => stage.close());

const forever = () => new Promise<never>(() => {});
const stopped = { state: "failed", reply: null, problem: { code: "model-aborted" } };

/** Runs a turn that is stopped when it has come to the point the test waits for. */
async function stoppedAt(agent: ReturnType<Stage["agent"]>, point: Promise<void>) {
  const controller = new AbortController();
  const outcome = agent.runTurn({ input: "Go.", user: "mia" }, { signal: controller.signal });
  await point;
  controller.abort();
  return outcome;
}

test("before it began: nothing is asked, nothing is run", async () => {
  const model = scripted();
  const agent = stage.agent(model);
  const outcome = await agent.runTurn({ input: "Go.", user: "mia" }, { signal: AbortSignal.abort() });
  expect(outcome).toMatchObject(stopped);
  expect(model.requests).toEqual([]);
  expect(await stage.store.turns.get(outcome.turn)).toMatchObject({ state: "failed" });
});

test("while sources are read: nobody waits for them", async () => {
  const reading = meeting();
  stage.world.place = () => {
    reading.meet();
    return forever();
  };
  const model = scripted();
  const outcome = await stoppedAt(stage.agent(model), reading.met);
  expect(outcome).toMatchObject(stopped);
  const message = "“place” could not be read: it had not answered when the turn was stopped";
  expect(outcome.notices).toContainEqual(expect.objectContaining({ section: "place", message }));
  expect(model.requests).toEqual([]);
});

test("while a hook ponders: nobody waits for it", async () => {
  const pondering = meeting();
  const hook = {
    name: "ponder",
    "before-turn": () => {
      pondering.meet();
      return forever();
    },
  };
  const model = scripted();
  const outcome = await stoppedAt(stage.agent(model, { hooks: [hook], limits: { hookSeconds: 60 } }), pondering.met);
  expect(outcome).toMatchObject(stopped);
  expect(model.requests).toEqual([]);
});

test("while the model answers: the draft is dropped", async () => {
  const thinking = meeting();
  const model = scripted([hangs(thinking.meet, "Half an")]);
  const agent = stage.agent(model);
  expect(await stoppedAt(agent, thinking.met)).toMatchObject(stopped);
  expect(agent.kinds()).toEqual(["turn-start", "step-start", "draft", "draft-dropped", "turn-end"]);
});

test("while it waits to ask again: it does not ask", async () => {
  const waiting = meeting();
  const model = scripted([{ fault: { code: "model-busy", message: "Later.", retry: true } }, "Never said."]);
  const agent = stage.agent(model, {
    sleep: (_milliseconds, signal) => {
      waiting.meet();
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
    },
  });
  expect(await stoppedAt(agent, waiting.met)).toMatchObject({ state: "failed", reply: null });
  expect(model.requests).toHaveLength(1);
});

test("while a tool runs: its result is recorded, and no other is run", async () => {
  const running = meeting();
  let seen: AbortSignal | undefined;
  const slow = tool("slow", (_, { signal }) => {
    seen = signal;
    running.meet();
    return forever();
  });
  const model = scripted([calls(["slow", {}, "a"], ["slow", {}, "b"])]);
  const agent = stage.agent(model, { tools: [slow] });
  const outcome = await stoppedAt(agent, running.met);
  expect(outcome).toMatchObject(stopped);
  expect(seen?.aborted).toBe(true);
  const [step] = await stage.store.steps.of(outcome.turn);
  expect(step?.result).toMatchObject({
    results: [
      { call: "a", failed: true },
      { call: "b", failed: true },
    ],
  });
  expect(model.requests).toHaveLength(1);
});

test("an answer that comes after the turn was stopped is nobody's", async () => {
  const thinking = meeting();
  const goOn = meeting();
  const model = scripted([
    async () => {
      thinking.meet();
      await goOn.met;
      return "Too late.";
    },
    "Fine.",
  ]);
  const agent = stage.agent(model);
  const outcome = await stoppedAt(agent, thinking.met);
  goOn.meet();
  expect(outcome).toMatchObject(stopped);
  await agent.runTurn({ input: "Again.", user: "mia" });
  expect(spoken(model.requests[1] as never).slice(0, -1)).toEqual([
    "user: Go.",
    "user: [Stopped here: this message has no finished answer.]",
    "user: Again.",
  ]);
});

test("a turn that waits for another of its session and is stopped meanwhile asks nothing", async () => {
  const [thinking, goOn] = [meeting(), meeting()];
  const model = scripted([
    async () => {
      thinking.meet();
      await goOn.met;
      return "First.";
    },
  ]);
  const agent = stage.agent(model);
  const first = agent.runTurn({ input: "One.", user: "mia" });
  await thinking.met;
  const controller = new AbortController();
  const second = agent.runTurn({ input: "Two.", user: "mia" }, { signal: controller.signal });
  controller.abort();
  goOn.meet();
  expect(await first).toMatchObject({ reply: "First." });
  expect(await second).toMatchObject(stopped);
  expect(model.requests).toHaveLength(1);
});
