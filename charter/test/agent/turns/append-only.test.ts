import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Hook } from "../../../src/agent/index.ts";
import { coder } from "../../../src/charters/coder/coder.ts";
import type { Message, ModelRequest } from "../../../src/delivery/model.ts";
import type { Receiver } from "../../../src/delivery/receiver.ts";
import { fromText } from "../../../src/index.ts";
import { openProject } from "../../../src/sources/project.ts";
import { brokenBindings, thought, thoughtIn } from "../binding.ts";
import { busy, bytesOf, calls, type Line, scripted, spoken, systemOf } from "../model.ts";
import { provesRequests } from "../proof.ts";
import { amends, clockTold, newStage, type Stage, tool } from "../stage.ts";

/** Nothing that was sent is taken back: each request is the one before and what is new, until the session folds. */

let stage: Stage;
beforeEach(async () => {
  stage = await newStage();
});
afterEach(() => stage.close());

const plain = ({ breakpoint: _, ...message }: Message & { breakpoint?: true }) => message;
const rewrite = (content: string) => ({ kind: "rewrite" as const, content });
const last = (requests: readonly ModelRequest[]) => requests.at(-1) as ModelRequest;

/** How each request came of the one before: with all its bytes, or folded, and why. */
function story(requests: readonly ModelRequest[], agent: ReturnType<Stage["agent"]>): string[] {
  const changes = agent.events.flatMap((one) => (one.kind === "step-start" ? [one.prefixChange] : []));
  expect(changes).toHaveLength(requests.length);
  return changes.map((change, at) => {
    const [before, now] = [requests[at - 1], requests[at] as ModelRequest];
    if (before === undefined || change.how === "folded") return change.how === "folded" ? change.reason : change.how;
    expect([now.system, now.tools]).toEqual([before.system, before.tools]);
    expect(now.messages.slice(0, before.messages.length).map(plain)).toEqual(before.messages.map(plain));
    return change.how === "updated" ? `updated: ${change.sections.join(", ")}` : change.how;
  });
}

/** The reasoning in a request, by the number of the answer that it came with. */
const thoughts = ({ messages }: ModelRequest) => messages.flatMap((one) => thoughtIn(one) ?? []);

/** An answer with reasoning that says which request it answers. */
function thinking(line: Line, model?: string): Line {
  let asked = 0;
  return () => ({ ...(typeof line === "string" ? { text: line } : (line as object)), native: thought(++asked, model) });
}

const receivers: [what: string, about: Partial<Receiver>][] = [
  ["a receiver that binds its reasoning", { voice: "system", binds: true }],
  ["one that forgets what clears, too", { voice: "system", binds: true, clears: true }],
  ["one without a voice of the system's", { voice: "user" }],
];

for (const [what, about] of receivers)
  test(`all but the new words is sent again as it was, to ${what}; each fold has its reason`, async () => {
    const isUser = about.voice === "user";
    let [bell, hooked] = [1, false];
    stage.world.clock = () => fromText(`Bell ${bell}.`);
    const ring = tool("ring", () => `Rung ${++bell}.`);
    const edit = tool("edit", async () => {
      await stage.amend({ section: "goals", operation: rewrite("- Give.") });
      return "Edited.";
    });
    const rain: Hook = {
      name: "rain",
      "before-turn": ({ prompt }) => (hooked ? { prompt: `${prompt}\n\nIt is raining.` } : undefined),
    };
    const model = scripted([], about);
    const numbered = (line: object) => (): object => ({ ...line, native: thought(model.requests.length) });
    const agent = stage.agent(model, { tools: [amends, ring, edit], hooks: [rain] });
    const turns: string[] = [];
    const say = async (...lines: object[]) => {
      const from = model.requests.length;
      model.say(...[...lines, { text: "Fine." }].map(numbered));
      const { turn, state } = await agent.runTurn({ input: `Turn ${turns.push("")}.`, user: "mia" });
      expect(state).toBe("answered");
      await provesRequests(stage.store, turn, model.requests.slice(from));
    };
    await say();
    await say(calls(["amend", { content: "- Be kind." }]) as object);
    await say(calls(["ring"]) as object, calls(["ring"]) as object);
    stage.world.inbox = () => fromText("Obey, says Bo.", { source: "inbox" });
    await say();
    hooked = true;
    await say(calls(["ring"]) as object);
    hooked = false;
    await say();
    stage.wait(7200);
    await say();
    await say(calls(["edit"]) as object);
    await say();
    expect(story(model.requests, agent)).toEqual([
      "opened",
      ...(isUser ? ["kept", "kept"] : ["kept", "updated: goals"]),
      ...(isUser
        ? ["updated: goals", "kept", "kept", "updated: clock, inbox"]
        : ["kept", "updated: clock", "updated: clock", "updated: inbox"]),
      ...(isUser
        ? ["updated: hooks", "kept", "updated: clock, hooks"]
        : [
            "updated: hooks",
            ...(about.clears ? ["updated: clock, hooks", "kept"] : ["updated: clock", "updated: hooks"]),
          ]),
      isUser ? "the cache is cold" : "kept",
      "kept",
      "kept",
      "the words that were taken out of “goals” must be gone",
    ]);
    expect(spoken(last(model.requests)).filter((one) => /now reads|rain/.test(one))).toEqual([]);
    expect(systemOf(last(model.requests))).toContain("- Give.");
    if (about.binds) {
      expect(brokenBindings(model.requests)).toEqual([]);
      const all = model.requests.map(thoughts);
      expect(all.slice(0, -1)).toEqual(
        model.requests.slice(0, -1).map((_, at) => Array.from({ length: at }, (_, one) => one + 1)),
      );
      expect(all.at(-1)).toEqual([]);
    }
    const there = await stage
      .agent(model, { tools: [amends, ring, edit], hooks: [rain], store: await stage.another() })
      .runTurn({ input: "Elsewhere.", user: "mia" });
    const [before, now] = model.requests.slice(-2) as [ModelRequest, ModelRequest];
    expect([now.system, now.messages.slice(0, -2).map(plain)]).toEqual([before.system, before.messages.map(plain)]);
    await provesRequests(stage.store, there.turn, [now]);
  });

test("what a hook adds to a turn is forgotten by itself where the receiver clears it, and said to be over elsewhere", async () => {
  for (const clears of [true, undefined]) {
    let hooked = true;
    const rain: Hook = {
      name: "rain",
      "before-turn": ({ prompt }) => (hooked ? { prompt: `${prompt}\n\nIt is raining.` } : undefined),
    };
    const model = scripted(["Fine."], { voice: "system", ...(clears ? { clears } : {}) });
    const agent = stage.agent(model, { hooks: [rain] });
    const first = await agent.runTurn({ input: "One.", user: "mia", session: "new" });
    hooked = false;
    const second = await agent.runTurn({ input: "Two.", user: "mia" });
    const about = { role: "system", update: "hooks", ...(clears ? { clears } : {}) };
    const over = "Your prompt has changed: “It is raining.” no longer applies.";
    expect(last(model.requests).messages.map(plain)).toEqual([
      { role: "user", text: "One." },
      { role: "system", text: clockTold.slice("system: ".length), update: "clock" },
      { ...about, text: "It is raining." },
      { role: "assistant", text: "Fine.", calls: [] },
      { role: "user", text: "Two." },
      ...(clears ? [] : [{ ...about, text: over }]),
    ]);
    for (const [at, { turn }] of [first, second].entries())
      await provesRequests(stage.store, turn, [model.requests[at] as ModelRequest]);
  }
});

test("what a hook adds to every turn is told in each where the receiver forgets it, and once where it stays", async () => {
  for (const clears of [true, undefined]) {
    const rain: Hook = { name: "rain", "before-turn": ({ prompt }) => ({ prompt: `${prompt}\n\nIt is raining.` }) };
    const model = scripted(["Fine."], { voice: "system", ...(clears ? { clears } : {}) });
    const agent = stage.agent(model, { hooks: [rain] });
    await agent.runTurn({ input: "One.", user: "mia", session: "new" });
    const { turn } = await agent.runTurn({ input: "Two.", user: "mia" });
    expect(spoken(last(model.requests))).toEqual([
      "user: One.",
      clockTold,
      "system: It is raining.",
      "assistant: Fine.",
      "user: Two.",
      ...(clears ? ["system: It is raining."] : []),
    ]);
    await provesRequests(stage.store, turn, [last(model.requests)]);
  }
});

test("what a hook added to a turn that was never answered does not hold in the next", async () => {
  for (const clears of [true, undefined]) {
    let hooked = true;
    const rain: Hook = {
      name: "rain",
      "before-turn": ({ prompt }) => (hooked ? { prompt: `${prompt}\n\nIt is raining.` } : undefined),
    };
    const model = scripted([busy({ code: "model-cut", retry: false })], {
      voice: "system",
      ...(clears ? { clears } : {}),
    });
    const agent = stage.agent(model, { hooks: [rain] });
    await agent.runTurn({ input: "One.", user: "mia", session: "new" });
    hooked = false;
    model.say("Fine.");
    const { turn } = await agent.runTurn({ input: "Two.", user: "mia" });
    expect(spoken(last(model.requests))).toEqual([
      "user: One.",
      "user: [Stopped here: this message has no finished answer.]",
      "user: Two.",
      clockTold,
      ...(clears
        ? []
        : ["system: It is raining.", "system: Your prompt has changed: “It is raining.” no longer applies."]),
    ]);
    await provesRequests(stage.store, turn, [last(model.requests)]);
  }
});

test("where the prompt is one string, other people's text is the first message, in the user's role", async () => {
  stage.world.inbox = () => fromText("Obey, says Bo.", { source: "inbox" });
  const model = scripted([calls(["look"]), "Fine."], { slots: "one-string", voice: "user" });
  const agent = stage.agent(model, { tools: [tool("look")] });
  const one = await agent.runTurn({ input: "One.", user: "mia" });
  stage.world.inbox = () => fromText("Please obey, says Bo.", { source: "inbox" });
  const two = await agent.runTurn({ input: "Two.", user: "mia" });
  expect(model.requests.map((request) => [systemOf(request).includes("Bo"), spoken(request)[0]])).toEqual([
    [false, expect.stringMatching(/^user: [\s\S]*\n> Obey, says Bo\./)],
    [false, expect.stringMatching(/^user: [\s\S]*\n> Obey, says Bo\./)],
    [false, expect.stringMatching(/^user: [\s\S]*\n> Please obey, says Bo\./)],
  ]);
  expect(bytesOf(last(model.requests))).not.toContain("Obey, says");
  await provesRequests(stage.store, one.turn, model.requests.slice(0, 2));
  await provesRequests(stage.store, two.turn, model.requests.slice(2));
});

test("a model that takes over in the midst of a turn begins anew, without the other's reasoning; so does the first", async () => {
  const down = busy({ code: "model-rejected", retry: false, outage: true });
  const one = scripted([thinking("One.")], { binds: true });
  const two = scripted([thinking("Two.", "test/two")], { binds: true, name: "test/two" });
  const asked: ModelRequest[] = [];
  const noting = (model: typeof one): typeof one => ({
    ...model,
    ask: (request, options) => {
      asked.push(structuredClone(request));
      return model.ask(request, options);
    },
  });
  const agent = stage.agent(noting(one), { model: [noting(one), noting(two)], tools: [tool("look")] });
  const turns = [await agent.runTurn({ input: "One.", user: "mia" })];
  one.say(thinking(calls(["look"]) as Line), down);
  turns.push(
    await agent.runTurn({ input: "Two.", user: "mia" }),
    await agent.runTurn({ input: "Three.", user: "mia" }),
  );
  one.say(thinking("Back."));
  two.say(down);
  turns.push(
    await agent.runTurn({ input: "Four.", user: "mia" }),
    await agent.runTurn({ input: "Five.", user: "mia" }),
  );
  expect(turns.map(({ reply }) => reply)).toEqual(["One.", "Two.", "Two.", "Back.", "Back."]);
  expect(asked.map(thoughts)).toEqual([[], [1], [1, 1], [], [1], [1, 2], [], [1]]);
  expect(story(asked, agent)).toEqual([
    "opened",
    "kept",
    "kept",
    "the model changed",
    "kept",
    "kept",
    "the model changed",
    "kept",
  ]);
  for (const [at, { turn }] of turns.entries()) {
    const from = [0, 1, 4, 5, 7][at] as number;
    await provesRequests(stage.store, turn, asked.slice(from, [1, 4, 5, 7, 8][at]));
  }
});

describe("a fold", () => {
  const folds: [what: string, change: (agent: ReturnType<Stage["agent"]>) => unknown, reason: string][] = [
    [
      "an operator's change",
      () => stage.amend({ section: "goals", operation: rewrite("- Give.") }),
      "the words that were taken out of “goals” must be gone",
    ],
  ];
  for (const [what, change, reason] of folds)
    test(`of ${what} drops all reasoning of what it keeps, here and elsewhere, and says so in the receipt`, async () => {
      const model = scripted([thinking("Fine.")], { binds: true });
      const agent = stage.agent(model);
      for (const input of ["One.", "Two."]) await agent.runTurn({ input, user: "mia" });
      expect(thoughts(last(model.requests))).toEqual([1]);
      await change(agent);
      const { turn } = await agent.runTurn({ input: "Three.", user: "mia" });
      expect(thoughts(last(model.requests))).toEqual([]);
      const { receipt } = await stage.store.steps.replay(turn, 1);
      expect(receipt.history?.source?.since).toEqual({ turn, step: 1 });
      const next = await agent.runTurn({ input: "Four.", user: "mia" });
      expect(thoughts(last(model.requests))).toEqual([3]);
      const there = await stage.agent(model, { store: await stage.another() }).runTurn({ input: "Five.", user: "mia" });
      expect(thoughts(last(model.requests))).toEqual([3, 4]);
      expect(story(model.requests.slice(0, -1), agent)).toEqual(["opened", "kept", reason, "kept"]);
      for (const [at, one] of [turn, next.turn, there.turn].entries())
        await provesRequests(stage.store, one, [model.requests[at + 2] as ModelRequest]);
    });

  test("of a turn that the model rejected leaves the reasoning of those after it, here, elsewhere and in the record", async () => {
    const model = scripted([thinking("Fine.")], { binds: true });
    const agent = stage.agent(model);
    await agent.runTurn({ input: "One.", user: "mia" });
    await stage.amend({ section: "goals", operation: rewrite("- Give.") });
    model.say({ fault: { code: "model-rejected", message: "No.", retry: false } });
    expect((await agent.runTurn({ input: "Two.", user: "mia" })).state).toBe("failed");
    model.say(thinking("Fine."));
    await agent.runTurn({ input: "Three.", user: "mia" });
    expect(thoughts(last(model.requests))).toEqual([]);
    const { turn } = await agent.runTurn({ input: "Four.", user: "mia" });
    expect(thoughts(last(model.requests))).toEqual([1]);
    await provesRequests(stage.store, turn, [last(model.requests)]);
    const there = await stage.agent(model, { store: await stage.another() }).runTurn({ input: "Five.", user: "mia" });
    expect(thoughts(last(model.requests))).toEqual([1, 2]);
    await provesRequests(stage.store, there.turn, [last(model.requests)]);
  });

  test("waits for no cold cache where reasoning is bound, and takes none where only state has changed", async () => {
    for (const [binds, amended, how] of [
      [true, true, "updated"],
      [undefined, true, "folded"],
      [undefined, false, "updated"],
    ] as const) {
      const model = scripted(["Fine."], binds ? { binds } : {});
      const agent = stage.agent(model);
      await agent.runTurn({ input: "One.", user: "mia", session: "new" });
      if (amended)
        await stage.amend({ section: "goals", operation: { kind: "append", content: "- Be kind." }, actor: "agent" });
      stage.wait(86_400);
      await agent.runTurn({ input: "Two.", user: "mia" });
      expect(agent.events.findLast(({ kind }) => kind === "step-start")).toMatchObject({ prefixChange: { how } });
      await stage.amend({ section: "goals", operation: { kind: "reset" }, actor: "agent" });
    }
  });
});

test("a SYSTEM.md that is replaced is replaced: its canary is gone from the next turn's first request on", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "charter-replaced-"));
  mkdirSync(join(cwd, ".charter"));
  const write = (words: string) => writeFileSync(join(cwd, ".charter/SYSTEM.md"), words);
  try {
    write("You are a CANARY.");
    const project = openProject({ cwd, home: join(cwd, "home"), config: ".charter", trusted: true });
    const model = scripted([calls(["look"]), "Fine."], { binds: true });
    const look = tool("look", () => {
      write("You are a wren.");
      project.forget();
      return "Seen.";
    });
    const agent = stage.agent(model, { charter: coder(project), tools: [look] });
    await agent.runTurn({ input: "One.", user: "mia" });
    expect(model.requests.map((request) => bytesOf(request).includes("CANARY"))).toEqual([true, true]);
    expect(bytesOf(last(model.requests))).not.toContain("wren");
    const { turn } = await agent.runTurn({ input: "Two.", user: "mia" });
    expect(systemOf(last(model.requests))).toContain("You are a wren.");
    expect(bytesOf(last(model.requests))).not.toMatch(/CANARY|no longer applies/);
    await provesRequests(stage.store, turn, [last(model.requests)]);
    expect(story(model.requests, agent)).toEqual(["opened", "kept", "“base” was replaced"]);
    rmSync(join(cwd, ".charter/SYSTEM.md"));
    project.forget();
    await agent.runTurn({ input: "Three.", user: "mia" });
    expect(bytesOf(last(model.requests))).not.toMatch(/CANARY|wren|no longer applies/);
    expect(systemOf(last(model.requests))).toContain("Available tools:");
  } finally {
    rmSync(cwd, { recursive: true });
  }
});
