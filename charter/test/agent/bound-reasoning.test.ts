import { afterEach, beforeEach, expect, test } from "vitest";
import { type Recorder, type Reply, startRecorder } from "../../src/testing/strict/recorder.ts";
import { complaint, speak } from "../../src/testing/strict/speech.ts";
import { modelAt } from "../delivery/loopback.ts";
import { newStage, type Stage } from "./stage.ts";

let stage: Stage;
let recorder: Recorder;
let replies: Reply[];
beforeEach(async () => {
  stage = await newStage();
  replies = [];
  recorder = await startRecorder({ answer: () => replies.shift() as Reply });
});
afterEach(async () => {
  await stage.close();
  await recorder.close();
});

const name = "anthropic/claude-sonnet-5-5";
const bound =
  'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".';
const refusal: Reply = { status: 400, body: complaint("anthropic", bound, "invalid_request_error") };
const says = (text: string): Reply => ({ body: speak("anthropic", { thought: "Hm.", text: [text] }) });

/** An answer with a report of what was left out of its request. */
function reporting(report: readonly object[]): Reply {
  const events = speak("anthropic", { text: ["Fine."] });
  const start = JSON.parse(String(events[0]).slice("data: ".length));
  start.message.input_transformations = report;
  return { body: [`data: ${JSON.stringify(start)}\n\n`, ...events.slice(1)] };
}

const agentAt = async (binds: boolean) =>
  stage.agent((await modelAt(recorder.url, name, binds ? { binds: true } : {})) as never);

test.each([true, false])(
  "reasoning that the provider refuses is given up, once, on record (a model known to bind it: %s)",
  async (binds) => {
    const agent = await agentAt(binds);
    replies.push(says("One."), refusal, says("Two."));
    await agent.runTurn({ input: "1?", user: "mia" });
    const outcome = await agent.runTurn({ input: "2?", user: "mia" });
    const message = `“${name}” refused its earlier reasoning, which is bound to other messages: it is left out.`;
    expect(outcome).toMatchObject({
      ...{ state: "answered", reply: "Two.", steps: 2 },
      notices: [{ code: "reasoning-dropped", message }],
    });
    expect(recorder.requests).toHaveLength(3);
    const [first, second] = (await stage.store.steps.of(outcome.turn)).map(({ result }) => result);
    const code = "model-rejected";
    const said = `“${name}” rejected the request (400): ${bound}`;
    expect(first).toMatchObject({
      faults: [{ code, message: said, retry: false, bound: true }],
      because: { code, message: said },
    });
    expect(second).toMatchObject({ answer: { text: "Two." }, finish: "stop" });
    const changes = agent.events.flatMap((event) => (event.kind === "step-start" ? [event.prefixChange] : []));
    expect(changes.slice(-1)).toMatchObject([
      { how: "folded", reason: "the provider refuses reasoning that is bound to other messages" },
    ]);
  },
);

test("what is refused again for the same reason is not asked a third time", async () => {
  const agent = await agentAt(true);
  replies.push(says("One."), refusal, refusal);
  await agent.runTurn({ input: "1?", user: "mia" });
  expect(await agent.runTurn({ input: "2?", user: "mia" })).toMatchObject({
    ...{ state: "failed", steps: 2, problem: { code: "model-rejected" } },
    notices: [{ code: "reasoning-dropped" }],
  });
  expect(recorder.requests).toHaveLength(3);
});

test("what the provider left out in silence is on record with the answer, and the operator is told", async () => {
  const agent = await agentAt(true);
  const dropped = [{ type: "thinking_dropped", path: "messages.1.content.0", reason: "model_binding_mismatch" }];
  replies.push(says("One."), reporting(dropped), reporting([]));
  await agent.runTurn({ input: "1?", user: "mia" });
  const outcome = await agent.runTurn({ input: "2?", user: "mia" });
  expect(outcome.notices).toEqual([
    { code: "reasoning-dropped", message: `“${name}” was not shown all of its earlier reasoning.` },
  ]);
  const later = await agent.runTurn({ input: "3?", user: "mia" });
  expect(later.notices).toEqual([]);
  const results = await Promise.all([outcome, later].map(async ({ turn }) => (await stage.store.steps.of(turn))[0]));
  expect(results.map((step) => step?.result?.dropped)).toEqual([dropped, undefined]);
  expect(recorder.requests.map(({ headers }) => headers["anthropic-beta"])).toEqual(
    Array(3).fill(expect.stringContaining("thinking-binding-controls-2026-08-01")),
  );
});
