import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { type Declaration, defineTool } from "../../src/agent/index.ts";
import { assistant, exampleSoul } from "../../src/charters/index.ts";
import { defineCharter, fromText } from "../../src/index.ts";
import { expectAsKept } from "../agent/as-kept.ts";
import { called, type Loopback, newLoopback, type Told } from "../agent/extensions/loopback-agent.ts";
import { readBody, systemIn, tailIn, updatesIn } from "../agent/on-wire.ts";
import { type Kind, kinds, type Said } from "../delivery/speech.ts";
import type { PlaceName } from "../homes.ts";

/** What providers are really sent, turn after turn, is what the store says they were sent. */

const charter = assistant({ soul: exampleSoul, identity: '{"name":"Eva","description":"a librarian"}' });
const bo = { user: "bo", channel: "web" };

/** A tool that takes a minute, and remembers how often it ran. */
function lookUp(wait: (seconds: number) => void) {
  const ran: string[] = [];
  const tool = defineTool({
    name: "look_up",
    summary: "Look something up",
    input: z.object({ word: z.string() }),
    run: ({ word }, { call }) => {
      ran.push(call);
      wait(60);
      return `“${word}”: three meanings,\nand “quotes” \\ too.`;
    },
  });
  return { tool, ran };
}

const usages = {
  cold: { input: 1400, read: 0, written: 1300, output: 12 },
  warm: { input: 1500, read: 1300, written: 100, output: 7 },
};

const places: readonly (readonly [Kind, PlaceName])[] = [
  ...kinds.map((kind) => [kind, "sqlite"] as const),
  ["anthropic", "postgres"],
];

describe.each(places)("a session with %s, kept in %s", (kind, home) => {
  let loopback: Loopback;
  let agent: Told;
  const turns: string[] = [];
  let ran: readonly string[] = [];

  const say = async (input: string, ...lines: readonly Said[]) => {
    loopback.play(...lines);
    const outcome = await agent.runTurn({ ...bo, input });
    turns.push(outcome.turn);
    return outcome;
  };
  /** Another hand's change, between turns. */
  const rewrite = async (actor: "user" | "operator", section: string, content: string) => {
    const rules = await charter.rules();
    const context = { charter: charter.charter, scope: { agent: "ada", user: "bo" } };
    const proposal = { section, operation: { kind: "rewrite", content }, actor } as const;
    const { verdict } = await loopback.store.propose({ ...context, rules: (name) => rules(name, {}) }, proposal);
    expect(verdict).toBe("accepted");
  };
  const lastBody = () => loopback.bodies().at(-1) ?? "";
  const updates = () => updatesIn(kind, lastBody());

  beforeAll(async () => {
    loopback = await newLoopback(kind, { home });
    const { tool, ran: calls } = lookUp(loopback.wait);
    ran = calls;
    agent = loopback.agent({ charter, tools: [tool] });
  });
  afterAll(() => loopback.close());

  test("a first turn opens it, and its words come in pieces", async () => {
    const outcome = await say('  Hello, “Ä” 🙂\u2028 \\ "you"\n', { text: ["Good ", "day", "."], usage: usages.cold });
    expect(outcome).toMatchObject({ state: "answered", reply: "Good day.", steps: 1 });
    expect(drafts(agent)).toEqual(["Good ", "day", "."]);
    expect(systemIn(kind, lastBody())).toContain("## User Instructions\n(No custom instructions set.)");
    expect(tailIn(kind, lastBody())).toMatch(/## Current Time\nWednesday, February 18, 2026 at 12:00 PM \(UTC\)$/);
    await expectAsKept(wireOf(loopback), turns);
  });

  test("a turn of four steps, whose second amends the prompt", async () => {
    const calls = called("call_2", "update_instructions", { instructions: "Always answer in verse." }).calls ?? [];
    const lookedUp = (id: string, word: string) => called(id, "look_up", { word }).calls ?? [];
    const before = loopback.bodies().length;
    const outcome = await say(
      "Always answer in verse. What is an ode?",
      {
        ...called("call_1", "look_up", { word: "ode" }),
        thought: "What is an ode, though?",
        text: ["Let me ", "see."],
        usage: usages.warm,
      },
      { calls: [...calls, ...lookedUp("call_3", "sonnet")], usage: usages.warm },
      { calls: [...lookedUp("call_4", "elegy"), ...lookedUp("call_5", "epic")], usage: usages.warm },
      { text: ["An ode ", "is a lyric."], usage: usages.warm },
    );
    expect(outcome).toMatchObject({ state: "answered", reply: "An ode is a lyric.", steps: 4 });
    expect(ran).toEqual(["call_1", "call_3", "call_4", "call_5"]);

    const [one, two, three, four] = loopback.bodies(before);
    const amended = [one, two, three, four].map((body = "") => body.includes("Your prompt has changed"));
    const inPrefix = [one, two, three, four].map((body = "") => systemIn(kind, body).includes("in verse."));
    const folds = loopback.model.receiver.cache.kind === "none";
    expect(amended).toEqual(folds ? [false, false, false, false] : [false, false, true, true]);
    expect(inPrefix).toEqual(folds ? [false, false, true, true] : [false, false, false, false]);
    expect([one, two, three, four].map((body = "") => /at (12:0\d) PM/.exec(tailIn(kind, body))?.[1])).toEqual([
      ...["12:00", "12:01", "12:02", "12:04"],
    ]);
    const thought = [one, two, three, four].map((body = "") => body.split("What is an ode, though?").length - 1);
    expect(thought).toEqual(kind === "openai-chat" ? [0, 0, 0, 0] : [0, 1, 1, 1]);
    await expectAsKept(wireOf(loopback), turns);
  });

  test("the turn after it goes on from there", async () => {
    await say("And an elegy?", { text: ["A lament."], usage: usages.warm });
    expect(updates()).toHaveLength(loopback.model.receiver.cache.kind === "none" ? 0 : 1);
    await expectAsKept(wireOf(loopback), turns);
  });

  test("what the operator changed is folded in, and what stood there is gone", async () => {
    await rewrite("operator", "soul", "Be brief.");
    await say("Thank you.", { text: ["Gladly."], usage: usages.cold });
    expect(systemIn(kind, lastBody())).toContain("## Soul\nBe brief.\n\n");
    expect(systemIn(kind, lastBody())).toContain("## User Instructions\nAlways answer in verse.\n");
    expect(lastBody()).not.toContain("performatively");
    expect(updates()).toEqual([]);
    await expectAsKept(wireOf(loopback), turns);
  });

  test("an update waits in the history until the cache is cold", async () => {
    await say(
      "No more verse, please.",
      { ...called("call_6", "update_instructions", { instructions: "Prose." }), usage: usages.warm },
      { text: ["Well then."], usage: usages.warm },
    );
    const waits = loopback.model.receiver.cache.kind === "none" ? 0 : 1;
    expect(updates()).toHaveLength(waits);
    loopback.wait(3600);
    await say("Are you there?", { text: ["I am."], usage: usages.cold });
    expect(updates()).toEqual([]);
    expect(systemIn(kind, lastBody())).toContain("## User Instructions\nProse.\n");
    await expectAsKept(wireOf(loopback), turns);
  });

  test("another process goes on with the same bytes", async () => {
    await rewrite("user", "instructions", "Prose.\nAnd no jokes.");
    await say(
      "Prose, with rhymes.",
      called("call_7", "update_instructions", { instructions: "Prose.\nWith rhymes." }),
      {
        text: ["So be it."],
      },
    );
    expect(updates().map(({ section }) => section)).toEqual(
      loopback.model.receiver.cache.kind === "none" ? [] : ["instructions", "instructions"],
    );
    const here = lastBody();
    const { tool } = lookUp(loopback.wait);
    agent = loopback.agent({ charter, tools: [tool], store: await loopback.another() });
    await say("Go on.", { text: ["I do."] });
    const [before, after] = [here, lastBody()].map((body) => readBody(kind, body).spoken.map(withoutMark));
    expect(after?.slice(0, (before?.length ?? 0) - 1)).toEqual(before?.slice(0, -1));
    await expectAsKept(wireOf(loopback), turns);
  });

  test("besides what is spoken and the tools, nothing is sent but what the protocol asks for", async () => {
    const session = (await loopback.store.turns.get(turns[0] ?? "")).session;
    for (const body of loopback.bodies()) {
      const { tools, rest } = readBody(kind, body);
      expect(rest).toEqual(besides(kind, session));
      expect(tools.map(({ name }) => name)).toEqual([
        "update_instructions",
        "read_memory",
        "save_memory",
        "update_memory",
        "forget_memory",
        "look_up",
      ]);
      expect(tools.at(-1)).toEqual({
        name: "look_up",
        description: "Look something up",
        input: {
          type: "object",
          properties: { word: { type: "string" } },
          required: ["word"],
        },
      });
    }
  });

  test("what the provider counted is kept beside what was predicted", async () => {
    const [, second = ""] = turns;
    const kept = (await loopback.store.steps.of(second)).map(({ result, receipt }) => [
      result?.usage,
      receipt?.predicted,
    ]);
    const written = kind === "google" ? null : 100;
    const predicted = { read: expect.any(Number), written: expect.any(Number), fresh: expect.any(Number) };
    expect(kept).toEqual(Array(4).fill([{ ...usages.warm, written }, predicted]));
  });
});

describe.each(kinds)("what is news, with %s", (kind) => {
  test("is said once, in the history, and changes nothing before it", async () => {
    const loopback = await newLoopback(kind);
    let news = "The library is open.";
    const { declaration, turns, say } = newsagent(loopback, () => news);
    const agent = loopback.agent({ charter: declaration });
    await say(agent, "Hello");
    await say(agent, "Anything new?");
    news = "The library closes at five.";
    await say(agent, "And now?");
    await say(agent, "Thank you.");
    await expectAsKept(wireOf(loopback), turns);
    const told = loopback.bodies().map((body) => {
      const { spoken } = readBody(kind, body);
      return spoken.flatMap((one) =>
        "text" in one ? [/The library (?:is open|closes at five)\.$/.exec(one.text)?.[0]] : [],
      );
    });
    const [open, closes] = ["The library is open.", "The library closes at five."];
    const found = told.map((texts) => texts.filter((text) => text !== undefined));
    expect(found).toEqual([[open], [open], [open, closes], [open, closes]]);
    const systems = loopback.bodies().map((body) => systemIn(kind, body).split("## News")[0]);
    expect(new Set(systems).size).toBe(1);
    await loopback.close();
  });
});

/** A charter with news in it. */
function newsagent(loopback: Loopback, news: () => string) {
  const fixed = { name: "rules", mutability: "fixed", sections: [{ name: "rules", words: "Be true." }] } as const;
  const sections = [
    { name: "news", heading: "## News", sources: [() => fromText(news())], stability: "event" },
  ] as const;
  const declaration: Declaration = {
    charter: defineCharter({ name: "newsagent", layers: [fixed, { name: "news", mutability: "live", sections }] }),
    rules: async () => () => ({ guards: [] }),
  };
  const turns: string[] = [];
  const say = async (agent: Told, input: string) => {
    loopback.play({ text: ["Well."] });
    turns.push((await agent.runTurn({ input })).turn);
  };
  return { declaration, turns, say };
}

describe("with a provider that others wrote behind the recorder", () => {
  const mock = new LLMock({ port: 0 });
  const results = (count: number) => (request: { messages: readonly { role: string }[] }) =>
    request.messages.filter(({ role }) => role === "tool").length === count;
  beforeAll(async () => {
    const instructions = '{"instructions":"Always in verse."}';
    mock.on({ predicate: results(0) }, { toolCalls: [{ name: "look_up", arguments: '{"word":"ode"}' }] });
    mock.on({ predicate: results(1) }, { toolCalls: [{ name: "update_instructions", arguments: instructions }] });
    mock.on({ predicate: results(2) }, { toolCalls: [{ name: "look_up", arguments: '{"word":"elegy"}' }] });
    mock.on({ predicate: results(3) }, { content: "An ode is a lyric, an elegy a lament." });
    await mock.start();
  });
  afterAll(() => mock.stop());

  test.each(kinds)("a loop of three steps and a turn after it, with %s", async (kind) => {
    const loopback = await newLoopback(kind, { upstream: mock.url });
    const { tool, ran } = lookUp(loopback.wait);
    const agent = loopback.agent({ charter, tools: [tool] });
    const first = await agent.runTurn({ ...bo, input: "In verse: what are odes and elegies?" });
    const second = await agent.runTurn({ ...bo, input: "Again?" });
    expect([first, second].map(({ state, steps, reply }) => [state, steps, reply])).toEqual([
      ["answered", 4, "An ode is a lyric, an elegy a lament."],
      ["answered", 1, "An ode is a lyric, an elegy a lament."],
    ]);
    expect([ran.length, new Set(ran).size]).toEqual([2, 2]);
    expect(drafts(agent).length).toBeGreaterThan(2);
    const shown = loopback.bodies().map((body) => /Always in verse\.(?!\\*"\})/.test(body));
    expect(shown).toEqual([false, false, true, true, true]);
    await expectAsKept(wireOf(loopback), [first.turn, second.turn]);
    await loopback.close();
  });
});

function wireOf({ kind, model, store, recorder }: Loopback) {
  return { kind, receiver: model.receiver, store, requests: recorder.requests };
}

function drafts({ events }: Told): string[] {
  return events.flatMap((event) => (event.kind === "draft" ? [event.text] : []));
}

function withoutMark<One extends { readonly breakpoint?: true }>({ breakpoint: _, ...one }: One) {
  return one;
}

function besides(kind: Kind, session: string | null): object {
  const explicit = { prompt_cache_key: session, prompt_cache_options: { mode: "explicit" } };
  const streamed = { stream: true, stream_options: { include_usage: true } };
  const all: Readonly<Record<Kind, object>> = {
    anthropic: { model: "claude-sonnet-5-5", max_tokens: 128_000, stream: true },
    openai: {
      ...explicit,
      model: "gpt-5.6-terra",
      store: false,
      include: ["reasoning.encrypted_content"],
      stream: true,
    },
    "openai-chat": { ...explicit, ...streamed, model: "gpt-5.6-terra", reasoning_effort: "none" },
    "openai-compatible": { ...streamed, model: "qwen3" },
    google: { generationConfig: {} },
  };
  return all[kind];
}
