import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { replayRequest, replayRequestBody } from "../../../src/agent/replay.ts";
import type { StepResult } from "../../../src/agent/turn/turn-state.ts";
import type { Model } from "../../../src/delivery/model.ts";
import {
  type RecordedRequest,
  type Recorder,
  type Reply,
  startRecorder,
} from "../../../src/testing/strict/recorder.ts";
import { complaint, type Speech, speak } from "../../../src/testing/strict/speech.ts";
import { modelAt } from "../../delivery/loopback.ts";
import { asksWindow } from "../extensions/loopback-agent.ts";
import { newStage, type Stage, tool } from "../stage.ts";

const user = "eva";
const [a, b] = ["anthropic/claude-sonnet-5-5", "openai/gpt-5.6-terra"] as const;

type Line = Speech | Reply | "hang-up";
type Server = {
  readonly recorder: Recorder;
  readonly model: Model;
  readonly lines: Line[];
  readonly asked: () => RecordedRequest[];
};

/** A provider that plays its lines, the last for ever. */
async function serve(kind: "anthropic" | "openai", name: string): Promise<Server> {
  const lines: Line[] = [];
  const recorder = await startRecorder({
    answer: (request) => {
      if (asksWindow(request)) return { status: 404, body: "{}" };
      const line = (lines.length > 1 ? lines.shift() : lines[0]) ?? { text: ["Nothing was to be asked."] };
      if (line === "hang-up") throw new Error("It hangs up.");
      return "status" in line || "body" in line ? line : { body: speak(kind, line as Speech) };
    },
  });
  const model = await modelAt(recorder.url, name);
  return { recorder, model, lines, asked: () => recorder.requests.filter((one) => !asksWindow(one)) };
}

/** Ways to give no answer. */
const outages: readonly [string, Line, asked: number][] = [
  ["is busy", { status: 529, body: complaint("anthropic", "Overloaded.") }, 2],
  ["is busy for a long time", { status: 429, headers: { "retry-after": "60" }, body: "{}" }, 1],
  ["fails", { status: 500, body: complaint("anthropic", "Oh.") }, 2],
  ["refuses the key", { status: 401, body: complaint("anthropic", "invalid x-api-key") }, 1],
  ["has no such model", { status: 404, body: complaint("anthropic", "model: claude-nothing") }, 1],
  ["hangs up", "hang-up", 2],
  [
    "breaks off in the midst of its words",
    { body: speak("anthropic", { text: ["Half", " of it"] }).slice(0, 3), ends: "cut" },
    2,
  ],
];

describe("an outage", () => {
  let stage: Stage;
  let one: Server;
  let two: Server;
  beforeEach(async () => {
    [stage, one, two] = await Promise.all([newStage(), serve("anthropic", a), serve("openai", b)]);
  });
  afterEach(() => Promise.all([stage.close(), one.recorder.close(), two.recorder.close()]));

  const sleep = async () => {};
  const runs: string[] = [];
  const tools = [
    tool("write", (_, { call }) => {
      runs.push(call);
      return "Written.";
    }),
  ];
  beforeEach(() => {
    runs.length = 0;
  });
  const calls = (id: string): Speech => ({ thought: "Hm.", calls: [{ id, name: "write", input: "{}" }] });
  const agentOf = (options = {}) =>
    stage.agent(one.model as never, { model: [one.model, two.model], tools, sleep, ...options });
  const receiversOf = async (turn: string) =>
    (await stage.store.steps.of(turn)).map(({ receipt }) => receipt?.receiver);
  const cameOf = async (turn: string) => (await stage.store.steps.of(turn)).map(({ result }) => result as StepResult);
  /** Each step's request can be made again, to the byte that went out. */
  const provesAll = async (turn: string) => {
    for (const { step } of await stage.store.steps.of(turn)) {
      const replayed = await replayRequest(stage.store, turn, step);
      const body = await replayRequestBody(replayed, {});
      expect([step, body?.same ?? null]).toEqual([step, true]);
    }
  };

  test.each(outages)(
    "a model that %s: the next answers, in the same turn, and keeps the session",
    async (_how, line, asked) => {
      one.lines.push(line);
      two.lines.push({ text: ["I am two."] });
      const agent = agentOf();
      const outcome = await agent.runTurn({ input: "Hello", user });
      expect([outcome.state, outcome.reply, outcome.steps]).toEqual(["answered", "I am two.", 2]);
      expect([one.asked().length, two.asked().length]).toEqual([asked, 1]);
      expect(await receiversOf(outcome.turn)).toEqual([a, b]);
      const [failed, answered] = await cameOf(outcome.turn);
      expect([failed?.faults?.length, failed?.answer, failed?.because?.code]).toEqual([
        asked,
        undefined,
        failed?.faults?.at(-1)?.code,
      ]);
      expect(answered).toMatchObject({ answer: { text: "I am two." } });
      const changed = agent.events.flatMap((event) => (event.kind === "model-changed" ? [[event.from, event.to]] : []));
      expect(changed).toEqual([[a, b]]);
      expect(outcome.notices.map(({ code }) => code)).toEqual(["model-changed"]);
      await provesAll(outcome.turn);

      // The session stays with who answered, here and in any process; the next begins with the first again.
      await agent.runTurn({ input: "And now?", user });
      const elsewhere = agentOf({ store: await stage.another() });
      await elsewhere.runTurn({ input: "And there?", user });
      expect([one.asked().length, two.asked().length]).toEqual([asked, 3]);
      one.lines.splice(0, 1, { text: ["I am back."] });
      expect((await elsewhere.runTurn({ input: "New.", user, session: "new" })).reply).toBe("I am back.");
      expect((await agent.runTurn({ input: "Still you?", user, session: outcome.session })).reply).toBe("I am two.");
    },
  );

  test("nobody is there at all: the next answers", async () => {
    await one.recorder.close();
    two.lines.push({ text: ["I am two."] });
    const { reply, turn } = await agentOf().runTurn({ input: "Hello", user });
    expect([reply, await receiversOf(turn)]).toEqual(["I am two.", [a, b]]);
  });

  test("after a tool has run: its result is given to the next, and it does not run again", async () => {
    one.lines.push(calls("c1"), { status: 500, body: "{}" });
    two.lines.push(calls("c2"), { text: ["Both are written."] });
    const agent = agentOf();
    const outcome = await agent.runTurn({ input: "Write twice.", user });
    expect([outcome.reply, runs, outcome.steps]).toEqual(["Both are written.", ["c1", "c2"], 4]);
    expect(await receiversOf(outcome.turn)).toEqual([a, a, b, b]);
    const [taken] = two.asked();
    expect(taken?.body).toContain("Written.");
    // What is native to the first is of no use to the second.
    expect(taken?.body).not.toContain("Hm.");
    await provesAll(outcome.turn);
    await agent.runTurn({ input: "Again?", user });
    expect(
      two
        .asked()
        .at(-1)
        ?.body.match(/Write twice/g),
    ).toHaveLength(1);
  });

  test("both fail: the turn fails with what it did, and the next begins with the first", async () => {
    one.lines.push(calls("c1"), { status: 500, body: "{}" });
    two.lines.push({ status: 401, body: complaint("openai", "Incorrect API key provided.") });
    const agent = agentOf();
    const outcome = await agent.runTurn({ input: "Write.", user });
    expect([outcome.state, outcome.problem?.code, runs]).toEqual(["failed", "model-rejected", ["c1"]]);
    one.lines.splice(0, 1, { text: ["It is written."] });
    const before = two.asked().length;
    const next = await agent.runTurn({ input: "And?", user });
    expect([next.reply, next.session, two.asked().length]).toEqual(["It is written.", outcome.session, before]);
    expect(one.asked().at(-1)?.body).toContain("Written.");
    expect(runs).toEqual(["c1"]);
    await provesAll(next.turn);
  });

  test("back to the first in the same turn, where the second fails later", async () => {
    one.lines.push({ status: 500, body: "{}" }, { status: 500, body: "{}" }, { text: ["I am back."] });
    two.lines.push(calls("c1"), { status: 401, body: "{}" });
    const outcome = await agentOf().runTurn({ input: "Write.", user });
    expect([outcome.reply, runs, await receiversOf(outcome.turn)]).toEqual(["I am back.", ["c1"], [a, b, b, a]]);
    await provesAll(outcome.turn);
    expect((await stage.store.sessions.get(outcome.session)).standsInFor).toBeUndefined();
  });

  test("while the history is summed up: the next writes the summary, and answers", async () => {
    one.lines.push({ text: [`A long story. ${"And then. ".repeat(400)}`] });
    two.lines.push({ text: ["They told a story."] }, { text: ["I am two."] });
    const agent = agentOf({ compactAt: 300 });
    await agent.runTurn({ input: "Tell me a story.", user });
    one.lines.splice(0, 1, { status: 529, body: "{}" });
    const before = one.asked().length;
    const outcome = await agent.runTurn({ input: "And now?", user });
    expect([outcome.reply, one.asked().length - before]).toEqual(["I am two.", 2]);
    expect(await receiversOf(outcome.turn)).toEqual([a, b, b]);
    expect(outcome.notices.map(({ code }) => code)).toEqual(["model-changed", "compacted"]);
    expect(two.asked().at(-1)?.body).toContain("They told a story.");
    expect(two.asked().at(-1)?.body).not.toContain("And then.");
    await provesAll(outcome.turn);
    const summed = await agentOf({ compactAt: 300 }).compact({ user });
    expect(summed.after).toBeGreaterThan(0);
  });

  test("/compact on an outage is answered by the next, and the session stays as it was", async () => {
    one.lines.push({ text: [`A long story. ${"And then. ".repeat(100)}`] });
    const agent = agentOf();
    const { session } = await agent.runTurn({ input: "Tell me a story.", user });
    one.lines.splice(0, 1, { status: 529, body: "{}" });
    two.lines.push({ text: ["They told a story."] });
    await agent.compact({ user });
    one.lines.splice(0, 1, { text: ["I am back."] });
    const outcome = await agent.runTurn({ input: "And?", user });
    expect([outcome.reply, outcome.session]).toEqual(["I am back.", session]);
    expect(one.asked().at(-1)?.body).toContain("They told a story.");
    await provesAll(outcome.turn);
  });

  const refusals: readonly [string, Line, string][] = [
    [
      "is too long",
      { status: 400, body: complaint("anthropic", "prompt is too long: 300000 tokens > 200000 maximum") },
      "request-too-long",
    ],
    [
      "is refused as it is",
      { status: 400, body: complaint("anthropic", "messages: text content blocks must be non-empty") },
      "model-rejected",
    ],
  ];
  test.each(refusals)("a request that %s is no outage: nobody else is asked", async (_why, line, code) => {
    one.lines.push(line);
    const { problem } = await agentOf().runTurn({ input: "Hello", user });
    expect([problem?.code, two.asked().length]).toEqual([code, 0]);
  });

  test("nor is a person's stop", async () => {
    one.lines.push({ body: speak("anthropic", { text: ["Half"] }).slice(0, 3), ends: "open" });
    const stop = new AbortController();
    const on = ({ kind }: { readonly kind: string }) => kind === "draft" && stop.abort();
    const { problem } = await agentOf().runTurn({ input: "Hello", user }, { signal: stop.signal, on });
    expect([problem?.code, two.asked().length]).toEqual(["model-aborted", 0]);
  });

  test("a model that cannot be loaded is left out, and that is told", async () => {
    one.lines.push({ status: 500, body: "{}" });
    two.lines.push({ text: ["I am two."] });
    const loadModel = async (name: string) => (name === b ? two.model : modelAt("", "nobody/knows"));
    const agent = agentOf({ model: [one.model, "google/gemini-3.8-flash", b], loadModel });
    const { reply, notices } = await agent.runTurn({ input: "Hello", user });
    expect([reply, notices.map(({ message }) => message.split(":")[0])]).toEqual([
      "I am two.",
      ["“google/gemini-3.8-flash” is left out", `“${a}” failed`],
    ]);
    expect(await stage.store.agents.get("ada")).toMatchObject({
      model: a,
      fallbacks: ["google/gemini-3.8-flash", b],
    });
  });

  test("a draft that is dropped is told before the next one begins", async () => {
    one.lines.push({ body: speak("anthropic", { text: ["Half", " of it"] }).slice(0, 3), ends: "cut" });
    two.lines.push({ text: ["I am two."] });
    const agent = agentOf({ limits: { retries: 0 } });
    await agent.runTurn({ input: "Hello", user });
    expect(agent.kinds().filter((kind) => kind !== "notice")).toEqual([
      ...["turn-start", "step-start", "draft", "draft-dropped", "model-changed"],
      ...["step-start", "draft", "step-end", "turn-end"],
    ]);
  });
});
