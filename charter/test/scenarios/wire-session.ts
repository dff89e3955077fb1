import { afterAll, beforeAll, expect, test } from "vitest";
import type { Kind, Speech } from "../../src/testing/strict/speech.ts";
import { expectAsKept } from "../agent/as-kept.ts";
import { called, type Loopback, newLoopback, type Told } from "../agent/extensions/loopback-agent.ts";
import { readBody, stateIn, systemIn, updatesIn } from "../agent/on-wire.ts";
import { bo, charter, drafts, lookUp, wireOf } from "./wire-stage.ts";

/** What providers are really sent, turn after turn, is what the store says they were sent. */

const usages = {
  cold: { input: 1400, read: 0, written: 1300, output: 12 },
  warm: { input: 1500, read: 1300, written: 100, output: 7 },
};

/** Tests that follow one another, as the turns of a session do. */
export function testSession(kind: Kind): void {
  let loopback: Loopback;
  let agent: Told;
  const turns: string[] = [];
  let ran: readonly string[] = [];

  const say = async (input: string, ...lines: readonly Speech[]) => {
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
  const timeIn = (body: string) => stateIn(kind, body, "Current Time").split("\n")[1];

  beforeAll(async () => {
    loopback = await newLoopback(kind);
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
    expect(timeIn(lastBody())).toBe("Wednesday, February 18, 2026 at 12:00 PM (UTC)");
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
    // After the results of tools only the system's own role may speak; a prefix is never rebuilt within a turn.
    const speaks = loopback.model.receiver.voice === "system";
    expect(amended).toEqual(speaks ? [false, false, true, true] : [false, false, false, false]);
    expect(inPrefix).toEqual([false, false, false, false]);
    // The clock is told once a turn, and the one of the turn before did not move.
    expect([one, two, three, four].map((body = "") => [timeIn(body), body.split("## Current Time").length])).toEqual(
      Array(4).fill(["Wednesday, February 18, 2026 at 12:00 PM (UTC)", 2]),
    );
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
    const { voice, binds } = loopback.model.receiver;
    expect(updates()).toHaveLength(voice === "system" ? 1 : 0);
    loopback.wait(3600);
    await say("Are you there?", { text: ["I am."], usage: usages.cold });
    // Where reasoning is bound to the prefix, a cold cache is no reason for another one.
    expect(updates()).toHaveLength(binds ? 1 : 0);
    const standing = `## User Instructions\n${binds ? "Always answer in verse" : "Prose"}.\n`;
    expect(systemIn(kind, lastBody())).toContain(standing);
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
    const { cache, voice, binds } = loopback.model.receiver;
    const told = [binds, cache.kind !== "none", voice === "system"].filter((one) => one === true).length;
    expect(updates().map(({ section }) => section)).toEqual(Array(told).fill("User Instructions"));
    // Without a cache the change goes into the prefix where the next turn opens.
    if (cache.kind === "none") await say("And on.", { text: ["And on."] });
    const here = lastBody();
    const { tool } = lookUp(loopback.wait);
    agent = loopback.agent({ charter, tools: [tool], store: await loopback.another() });
    await say("Go on.", { text: ["I do."] });
    const [before, after] = [here, lastBody()].map((body) => readBody(kind, body).spoken.map(withoutMark));
    expect(after?.slice(0, before?.length)).toEqual(before);
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
