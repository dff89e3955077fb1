import { afterEach, beforeEach, expect, test } from "vitest";
import { markNote } from "../../../src/delivery/mark.ts";
import type { ModelRequest } from "../../../src/delivery/model.ts";
import { fromText, Problem } from "../../../src/index.ts";
import type { CacheTokens } from "../../../src/prompt/receipt.ts";
import { calls, scripted, spoken, systemOf, usage } from "../model.ts";
import { provesRequests } from "../proof.ts";
import { amends, changed, clockTold, newStage, rules, type Stage, tool } from "../stage.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await newStage();
});
afterEach(() => stage.close());

const prefix = `## Rules\n${rules}\n\n## Goals\n- Help people.\n\n## Wishes\n(none)\n\n## Place\nYou are in the library.`;
const update = `system: ${changed("Goals", "## Goals\n- Be kind.")}`;
const anyPrediction = { read: expect.any(Number), written: expect.any(Number), fresh: expect.any(Number) };

test("a turn tells all that happens, in order", async () => {
  const model = scripted([calls(["amend", { content: "- Be kind." }, "call-a"]), "Done."]);
  const agent = stage.agent(model, { tools: [amends] });
  const outcome = await agent.runTurn({ input: "Be kind from now on.", user: "eva" });

  const { turn, session } = outcome;
  const { receiver } = agent.events.flatMap((event) => (event.kind === "step-start" ? [event.receipt] : []))[0] ?? {};
  const sent = expect.objectContaining({ charter: "staged", receiver, cuts: [] });
  const cost = (300 * 3 + 600 * 0.3 + 100 * 3.75 + 20 * 15) / 1e6;
  const call = { id: "call-a", name: "amend", input: '{"content":"- Be kind."}' };
  expect(agent.events.map(({ turn: _, ...event }) => event)).toEqual([
    { kind: "turn-start", agent: "ada", user: "eva", session, input: "Be kind from now on." },
    { kind: "phase", phase: "LoadingContext" },
    { kind: "step-start", step: 1, receipt: sent, prefixChange: { how: "opened" }, predicted: anyPrediction },
    { kind: "phase", phase: "Inferring" },
    { kind: "step-end", step: 1, receiver, finish: "tool-calls", usage, cost, ms: expect.any(Number) },
    { kind: "phase", phase: "ExecutingActions" },
    { kind: "tool-call", call },
    { kind: "proposed", section: "goals", outcome: expect.objectContaining({ verdict: "accepted", revision: 1 }) },
    { kind: "tool-result", result: { call: "call-a", name: "amend", output: "accepted" } },
    { kind: "phase", phase: "LoadingContext" },
    {
      kind: "step-start",
      step: 2,
      receipt: sent,
      prefixChange: { how: "updated", sections: ["goals"] },
      predicted: anyPrediction,
    },
    { kind: "phase", phase: "Inferring" },
    { kind: "draft", text: "Done." },
    { kind: "step-end", step: 2, receiver, finish: "stop", usage, cost, ms: expect.any(Number) },
    { kind: "phase", phase: "Persisting" },
    { kind: "turn-end", outcome },
  ]);
  expect(new Set(agent.events.map((event) => event.turn))).toEqual(new Set([turn]));
  expect(outcome).toEqual({
    turn,
    session,
    state: "answered",
    reply: "Done.",
    steps: 2,
    tainted: false,
    usage: { input: 2000, read: 1200, written: 200, output: 40 },
    cost: 2 * cost,
    notices: [],
  });
});

test("the model is given the stable words, the history with its state, and what changed last", async () => {
  const model = scripted([calls(["amend", { content: "- Be kind." }, "call-a"]), "Done."]);
  const agent = stage.agent(model, { tools: [amends] });
  const { turn, session } = await agent.runTurn({ input: "Be kind.", user: "eva" });
  expect(model.requests.map(systemOf)).toEqual([prefix, prefix]);
  expect(model.requests.map(spoken)).toEqual([
    ["user: Be kind.", clockTold],
    ["user: Be kind.", clockTold, 'assistant: amend {"content":"- Be kind."}', "tool: accepted", update],
  ]);
  expect(model.requests.map(({ cacheKey }) => cacheKey)).toEqual([session, session]);
  expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([["amend"], ["amend"]]);
  await provesRequests(stage.store, turn, model.requests);
});

test("the store has the turn, each step with what came of it, and what was spent", async () => {
  const model = scripted([calls(["amend", { content: "- Be kind." }, "call-a"]), "Done."]);
  const agent = stage.agent(model, { tools: [amends] });
  const { turn, session, cost } = await agent.runTurn({ input: "Be kind.", user: "eva", channel: "web", id: "turn-1" });
  expect(await stage.store.turns.get(turn)).toEqual({
    id: "turn-1",
    scope: { agent: "ada", user: "eva" },
    session,
    channel: "web",
    input: "Be kind.",
    reply: "Done.",
    state: "answered",
    tainted: false,
    startedAt: expect.any(String),
    endedAt: expect.any(String),
    runner: expect.stringMatching(/:\d+$/),
    leasedUntil: null,
    micros: 3510,
  });
  const call = { id: "call-a", name: "amend", input: '{"content":"- Be kind."}' };
  const steps = await stage.store.steps.of(turn);
  expect(steps.map(({ step, result }) => ({ step, result }))).toEqual([
    {
      step: 1,
      result: {
        input: "Be kind.",
        answer: { text: "", calls: [call] },
        finish: "tool-calls",
        usage,
        results: [{ call: "call-a", name: "amend", output: "accepted" }],
      },
    },
    { step: 2, result: { answer: { text: "Done.", calls: [] }, finish: "stop", usage } },
  ]);
  const [first, second] = steps.map(({ receipt }) => receipt?.predicted);
  expect(first).toEqual({ read: 0, written: expect.any(Number), fresh: 0 });
  expect(second).toEqual({ read: first?.written, written: expect.any(Number), fresh: 0 });
  const spent = { micros: Math.round((cost as number) * 1e6), input: 2000, read: 1200, written: 200, output: 40 };
  expect(await stage.store.spending.of({ agent: "ada", user: "eva", day: "2026-02-18" })).toEqual({
    user: spent,
    agent: spent,
  });
  expect((await stage.store.spending.of({ agent: "ada", user: "bo", day: "2026-02-18" })).user.micros).toBe(0);
});

test("what is sent is on record before the model can answer", async () => {
  const kept: number[] = [];
  const looks = async () => void kept.push((await stage.store.steps.of("turn-1")).length);
  const model = scripted([() => looks().then(() => calls(["look"])), () => looks().then(() => "Done.")]);
  await stage.agent(model, { tools: [tool("look")] }).runTurn({ input: "One.", user: "mia", id: "turn-1" });
  expect(kept).toEqual([1, 2]);
});

test("all but the new words is predicted to be read, in every later turn, and in another process too", async () => {
  const model = scripted(["One.", "Two.", "Three."]);
  const agent = stage.agent(model);
  for (const input of ["First.", "Second.", "Third."]) await agent.runTurn({ input, user: "mia" });
  const fresh = stage.agent(model, { store: await stage.another() });
  await fresh.runTurn({ input: "Fourth.", user: "mia" });
  const predicted = [...agent.events, ...fresh.events].flatMap((one) =>
    one.kind === "step-start" ? one.predicted : [],
  );
  expect(predicted).toHaveLength(4);
  for (const [index, one] of predicted.entries()) {
    const before = predicted[index - 1];
    expect(one).toEqual({ read: before ? before.read + before.written : 0, written: expect.any(Number), fresh: 0 });
    if (before) expect(one?.written).toBeLessThan(10);
  }
});

test("a receiver without slots is given one string in the charter's own order", async () => {
  const model = scripted([calls(["amend", { content: "- Be kind." }]), "Done."], { slots: "one-string" });
  const agent = stage.agent(model, { tools: [amends] });
  const { turn } = await agent.runTurn({ input: "Be kind.", user: "mia" });
  const text = (goals: string) =>
    `## Rules\n${rules}\n\n## Goals\n${goals}\n\n## Wishes\n(none)\n\n## Place\nYou are in the library.\n\n## Clock\nIt is 2026-02-18.`;
  expect(model.requests.map(systemOf)).toEqual([text("- Help people."), text("- Be kind.")]);
  expect(model.requests.map(spoken)).toEqual([
    ["user: Be kind."],
    ["user: Be kind.", 'assistant: amend {"content":"- Be kind."}', "tool: accepted"],
  ]);
  await provesRequests(stage.store, turn, model.requests);
});

test("behind a voice of the user's, what the system says carries the session's mark, and the prefix says so", async () => {
  const model = scripted([calls(["amend", { content: "- Be kind." }]), "Done."], { voice: "user" });
  const agent = stage.agent(model, { tools: [amends] });
  const { turn } = await agent.runTurn({ input: "Be kind.", user: "mia" });
  const [first, second] = model.requests as [ModelRequest, ModelRequest];
  const mark = /\[system [0-9a-f]+\]/.exec(systemOf(first))?.[0] as string;
  expect(systemOf(first)).toBe(`${prefix}\n\n${markNote(mark)}`);
  expect(spoken(second)).toEqual([
    clockTold.replace("system: ", `user: ${mark} `),
    "user: Be kind.",
    'assistant: amend {"content":"- Be kind."}',
    "tool: accepted",
  ]);
  await provesRequests(stage.store, turn, model.requests);
  const next = await agent.runTurn({ input: "Be brief, too.", user: "mia" });
  expect(spoken(model.requests[2] as never)).toEqual([
    ...spoken(second),
    "assistant: Done.",
    update.replace("system: ", `user: ${mark} `),
    "user: Be brief, too.",
  ]);
  expect(model.requests.map(systemOf)).toEqual([systemOf(first), systemOf(first), systemOf(first)]);
  await provesRequests(stage.store, next.turn, model.requests.slice(2));
});

test("what watches and fails later is its own trouble: nothing is left unhandled", async () => {
  const unhandled: unknown[] = [];
  const hear = (error: unknown) => unhandled.push(error);
  process.on("unhandledRejection", hear);
  const on = async () => Promise.reject(new Error("The line is dead."));
  expect(
    await stage.agent(scripted(["Fine."]), { on }).runTurn({ input: "Hello.", user: "mia" }, { on }),
  ).toMatchObject({
    state: "answered",
  });
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", hear);
  expect(unhandled).toEqual([]);
});

test("what watches and throws is its own trouble", async () => {
  const agent = stage.agent(scripted(["Fine."]), {
    on: () => {
      throw new Error("The watcher broke.");
    },
  });
  expect(await agent.runTurn({ input: "Hello.", user: "mia" })).toMatchObject({ state: "answered", reply: "Fine." });
});

test("an agent that is in no store yet is added with its first turn; a charter declared anew must be there", async () => {
  const model = scripted(["Fine."]);
  await stage.agent(model).runTurn({ input: "Hello.", user: "mia" });
  expect(await stage.store.agents.get("ada")).toMatchObject({ charter: "staged", model: "test/one" });
  const anew = stage.agent(model, { name: "bob", charter: () => stage.declaration });
  await expect(anew.runTurn({ input: "Hello.", user: "mia" })).rejects.toMatchObject({ code: "unknown-agent" });
  await stage.store.agents.add({ name: "bob", charter: "staged" });
  expect(await anew.runTurn({ input: "Hello.", user: "mia" })).toMatchObject({ state: "answered" });
  expect(() => stage.agent(model, { name: undefined as never, charter: () => stage.declaration })).toThrow(
    "An agent whose charter is declared anew each turn has no name.",
  );
});

test("a new agent's name has a form, also where its first turn would add it", async () => {
  const named = stage.agent(scripted(), { name: "My Agent!" });
  await expect(named.runTurn({ input: "Hello.", user: "mia" })).rejects.toMatchObject({
    code: "bad-name",
    message: '"My Agent!" cannot be the name of a new agent.',
    hint: expect.stringContaining("Use letters, digits, “-”, “_” and “.”"),
  });
  expect(await stage.store.agents.find("My Agent!")).toBeUndefined();
});

test("a Problem of the caller's is thrown; the turn is recorded as failed, with its taint and what it cost", async () => {
  let read = 0;
  stage.world.clock = () => {
    if (++read > 1) throw new Problem("bad-clock", "The clock stands still.", "Wind it up.");
    return fromText("Noon.");
  };
  const agent = stage.agent(scripted([calls(["look"]), "Done."]), {
    tools: [tool("look", () => "Hm.", { harmless: true })],
  });
  await expect(agent.runTurn({ input: "Hello.", user: "mia", id: "turn-1" })).rejects.toMatchObject({
    code: "bad-clock",
  });
  expect(await stage.store.turns.get("turn-1")).toMatchObject({ state: "failed", reply: null, tainted: true });
  const because = { code: "bad-clock", message: "The clock stands still." };
  expect((await stage.store.turns.factsOf(["turn-1"])).get("turn-1")).toMatchObject({ because });
  expect((await stage.store.spending.of({ agent: "ada", day: "2026-02-18" })).agent).toMatchObject({ input: 1000 });
});

test("why a turn failed is kept also where nothing was sent, and goes when its words are erased", async () => {
  stage.world.clock = () => {
    throw new Problem("bad-clock", "The clock stands still.", "Wind it up.");
  };
  const agent = stage.agent(scripted(["Done."]));
  await expect(agent.runTurn({ input: "Hello.", user: "bo", id: "turn-1" })).rejects.toMatchObject({
    code: "bad-clock",
  });
  const told = async () => (await stage.store.turns.factsOf(["turn-1"])).get("turn-1")?.because;
  expect(await told()).toEqual({ code: "bad-clock", message: "The clock stands still." });
  await stage.store.erase({ user: "bo" });
  expect(await told()).toBeNull();
});

test("what a turn did before a Problem ended it is told in the next", async () => {
  const model = scripted([calls(["look"]), "Done."]);
  const agent = stage.agent(model, { tools: [tool("look", () => "A cat.")] });
  let read = 0;
  stage.world.clock = () => {
    if (++read === 2) throw new Problem("bad-clock", "The clock stands still.", "Wind it up.");
    return fromText("Noon.");
  };
  await expect(agent.runTurn({ input: "One.", user: "mia" })).rejects.toMatchObject({ code: "bad-clock" });
  await agent.runTurn({ input: "Two.", user: "mia" });
  expect(spoken(model.requests.at(-1) as never)).toEqual([
    "user: One.",
    "system: ## Clock\nNoon.",
    "assistant: look {}",
    "tool: A cat.",
    "assistant: [Stopped here: this message has no finished answer.]",
    "user: Two.",
  ]);
});

test("a count no provider can have made is not counted, and takes nothing from the answer", async () => {
  const odd = { input: Number.NaN, read: 1.5, written: -3, output: 20 };
  const agent = stage.agent(scripted([{ text: "Fine.", usage: odd }]));
  const outcome = await agent.runTurn({ input: "Hello.", user: "mia" });
  expect(outcome).toMatchObject({ reply: "Fine.", usage: { input: null, read: null, written: null, output: 20 } });
  // The answer's 20 tokens are 300; the request is charged as it was predicted.
  const { predicted } = agent.events.find(({ kind }) => kind === "step-start") as { predicted: CacheTokens };
  const micros = Math.round(300 + predicted.written * 3.75 + predicted.fresh * 3);
  expect((await stage.store.spending.of({ agent: "ada", day: "2026-02-18" })).agent).toMatchObject({
    micros,
    input: 0,
  });
});

test("a limit on time of months or years is no limit of a millisecond", async () => {
  const limits = { turnSeconds: 1e9, toolSeconds: 1e7, sourceSeconds: 1e7, hookSeconds: 1e7 };
  const slow = tool("slow", () => new Promise((resolve) => setTimeout(resolve, 20, "Done.")));
  const agent = stage.agent(scripted([calls(["slow"]), "Fine."]), { limits, tools: [slow] });
  expect(await agent.runTurn({ input: "Hello.", user: "mia" })).toMatchObject({ state: "answered" });
  expect(agent.events).toContainEqual(
    expect.objectContaining({ result: expect.objectContaining({ output: "Done." }) }),
  );
});
