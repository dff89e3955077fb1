import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Hook, modifySystemPrompt } from "../../src/agent/index.ts";
import { coder } from "../../src/charters/index.ts";
import { loadModel } from "../../src/delivery/index.ts";
import { fromText } from "../../src/index.ts";
import { callsTools, type StrictLine, type StrictRequest } from "../../src/testing/index.ts";
import { tool } from "../agent/stage.ts";
import { bo, clocked, governed, threeTurns } from "./strict-charters.ts";
import {
  canary,
  expectAppendOnly,
  isSummary,
  lawful,
  look,
  looks,
  newStrictStage,
  type StrictStage,
  takes,
} from "./strict-stage.ts";

/** Stories of sessions with Claude Sonnet 5.5, on a server that takes only what Anthropic documents. */

let stage: StrictStage;
beforeEach(async () => {
  stage = await newStrictStage();
});
afterEach(() => stage.close());

describe("words that must go fold, once, and say why", () => {
  const rewrite = (content: string) => ({ section: "goals", operation: { kind: "rewrite", content } }) as const;
  const taken = "the words that were taken out of “goals” must be gone";
  const gone = (words: string) =>
    stage.server.requests.filter(({ body }) => JSON.stringify(body).includes(words)).map(({ index }) => index);

  test("the operator rewrites the goals", async () => {
    const agent = stage.agent(governed(clocked), { tools: [look] });
    await takes(stage, agent, "One?");
    await stage.amend(governed(clocked), rewrite("- Sell books."));
    await takes(stage, agent, "Two?");
    await takes(stage, agent, "Three?");
    expectAppendOnly(stage, [taken]);
    expect(gone("Help people")).toEqual([0, 1]);
  });

  test("the operator reverts what the agent wrote", async () => {
    const agent = stage.agent(governed(clocked), { tools: [look, modifySystemPrompt({ section: "goals" })] });
    const append = { operation: "append", content: "- Sell books.", reason: "Asked." };
    await takes(stage, agent, "One?", { lines: [callsTools(["modify_system_prompt", append]), "Yes."] });
    await stage.amend(governed(clocked), { section: "goals", operation: { kind: "revert", to: 0 } });
    await takes(stage, agent, "Two?");
    await takes(stage, agent, "Three?");
    expectAppendOnly(stage, [taken]);
  });

  test("a user is erased, and comes again", async () => {
    const agent = stage.agent(clocked, { tools: [look] });
    await takes(stage, agent, `I am ${canary}.`, bo);
    await stage.store.erase({ user: "bo" });
    await takes(stage, agent, "Two?", bo);
    await takes(stage, agent, "Three?", bo);
    expectAppendOnly(stage, ["opened"]);
    expect(gone(canary)).toEqual([0, 1]);
  });

  test("another law is deployed", async () => {
    await threeTurns(stage, stage.agent(clocked, { tools: [look] }));
    const [, , ...now] = clocked.layers;
    await threeTurns(stage, stage.agent(lawful(now, "Harm nobody."), { tools: [look] }));
    expectAppendOnly(stage, ["“law” is part of what is fixed"]);
    expect(gone("Harm no one.")).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test("a SYSTEM.md that is edited is gone from system and messages", async () => {
    const system = { words: "Be kind to the teal one." };
    const agent = stage.agent(coder({ system: () => fromText(system.words, { source: "SYSTEM.md" }) }), {
      tools: [look],
    });
    await takes(stage, agent, "One?");
    system.words = "Be brief.";
    await takes(stage, agent, "Two?");
    expect(gone("teal")).toEqual([0, 1]);
    expectAppendOnly(stage, [expect.stringContaining("base")]);
  });

  test("a session that the provider refuses comes back, with one request more", async () => {
    const marks: Hook["before-step"] = ({ messages }) => ({
      messages: messages.map((one) => (one.role === "user" ? { ...one, text: `${one.text} Now.` } : one)),
    });
    stage.server.say(...looks("Yes."));
    const marking = stage.agent(lawful(), { tools: [look], hooks: [{ name: "marks", "before-step": marks }] });
    expect((await marking.runTurn({ input: "One?", user: "mia" })).state).toBe("answered");
    const agent = stage.agent(lawful(), { tools: [look] });
    for (const input of ["Two?", "Three?"]) {
      stage.server.say(...looks("Yes."));
      expect([input, (await agent.runTurn({ input, user: "mia" })).state]).toEqual([input, "answered"]);
    }
    expect(stage.server.findings.filter(({ request, check }) => request !== 2 || check !== "prefix")).toEqual([]);
    expect(stage.server.requests.length).toBe(6 + stage.server.findings.length);
  });
});

describe("a history that has grown too long", () => {
  const long = (word: string, words = 300) => `${word} `.repeat(words).trim();
  const compacted = "the history was compacted";
  const summing =
    (reply: StrictLine): StrictLine =>
    (request) =>
      isSummary(request) ? "We spoke of tea." : reply;

  test("is summed up between two turns", async () => {
    const agent = stage.agent(clocked, { tools: [look], compactAt: 1500 });
    for (const word of ["alpha", "beta", "gamma"]) await takes(stage, agent, long(word));
    await takes(stage, agent, long("delta"), { lines: ["We spoke of tea.", ...looks("Yes.")] });
    expectAppendOnly(stage, [compacted]);
  });

  test("is summed up in a turn, between two steps", async () => {
    const read = tool("look", () => long("leaf", 900));
    const agent = stage.agent(clocked, { tools: [read], compactAt: 1500 });
    await takes(stage, agent, "One?", {
      lines: [summing(callsTools(["look"]))].concat(
        Array(3).fill(summing(callsTools(["look"]))),
        Array(2).fill(summing("Yes.")),
      ),
    });
    await takes(stage, agent, "Two?", { lines: Array(3).fill(summing("Yes.")) });
    const folds = stage.told.filter(({ reason }) => reason === compacted).length;
    expect(folds).toBeGreaterThan(0);
    expectAppendOnly(stage, Array(folds).fill(compacted));
  });
});

describe("answers that are none", () => {
  test("an empty one is asked for again with a message of Charter's own, which stays", async () => {
    const agent = stage.agent(clocked, { tools: [look] });
    await takes(stage, agent, "One?", { lines: [callsTools(["look"]), { text: "", thought: false }, "A cup."] });
    await takes(stage, agent, "Two?");
    expectAppendOnly(stage);
    const bodies = stage.server.requests.map(({ body }) => JSON.stringify(body.messages));
    expect(new Set(bodies).size).toBe(bodies.length);
  });

  test("a paused one goes on", async () => {
    const agent = stage.agent(clocked, { tools: [look] });
    const { reply } = await takes(stage, agent, "One?", { lines: [{ text: "Let me", end: "paused" }, " see."] });
    expect([reply, stage.server.requests.length]).toEqual([expect.stringContaining("see."), 2]);
    await takes(stage, agent, "Two?");
    expectAppendOnly(stage);
  });

  test("a refused one is not asked for again with the same bytes", async () => {
    const agent = stage.agent(clocked, { tools: [look] });
    stage.server.say({ text: "", end: "refused" }, "Yes.");
    await agent.runTurn({ input: "One?", user: "mia" });
    await takes(stage, agent, "Two?");
    expect(stage.server.findings).toEqual([]);
    const bodies = stage.server.requests.map(({ body }) => JSON.stringify(body.messages));
    expect(new Set(bodies).size).toBe(bodies.length);
  });

  test("a turn that was stopped binds nothing: the next goes on", async () => {
    const agent = stage.agent(clocked, { tools: [look] });
    await takes(stage, agent, "One?");
    for (const lines of [
      [{ text: "Let me", end: "open" }],
      [callsTools(["look"]), { text: "", end: "open" }],
    ] as const) {
      const stop = new AbortController();
      stage.server.say(...lines);
      const hangs = stage.server.requests.length + lines.length;
      const stopping = setInterval(() => stage.server.requests.length === hangs && stop.abort(), 20);
      const { state } = await agent.runTurn({ input: "Two?", user: "mia" }, { signal: stop.signal });
      clearInterval(stopping);
      expect(state).not.toBe("answered");
      await takes(stage, agent, "Three?");
    }
    expectAppendOnly(stage);
  });

  test("another model takes over, and the first one is back: both take every request", async () => {
    const other = await loadModel("openai/gpt-5.6-terra", { env: stage.server.env });
    const both = stage.agent(clocked, { tools: [look], model: [stage.model, other] });
    await takes(stage, both, "One?");
    const busy = (request: StrictRequest): StrictLine => (request.kind === "anthropic" ? { status: 529 } : "Not here.");
    const lines: StrictLine[] = [callsTools(["look"]), ...Array<StrictLine>(9).fill(busy)];
    await takes(stage, both, "Two?", { lines });
    await takes(stage, both, "Three?");
    const first = stage.agent(clocked, { tools: [look] });
    await takes(stage, first, "Four?");
    await takes(stage, first, "Five?");
    expect(stage.server.findings).toEqual([]);
    expect(stage.server.requests.flatMap(({ dropped }) => dropped)).toEqual([]);
    const kinds = stage.server.requests.filter(({ status }) => status === 200).map(({ kind }) => kind);
    expect([kinds.slice(0, 3), kinds.slice(-4)]).toEqual([Array(3).fill("anthropic"), Array(4).fill("anthropic")]);
    expect(kinds).toContain("openai");
  });
});
