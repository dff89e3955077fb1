import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { replayRequest } from "../../src/agent/replay.ts";
import { previewPrompt } from "../../src/host/preview.ts";
import { snapshotAgent } from "../../src/host/snapshot.ts";
import type { CacheTokens, Receipt } from "../../src/prompt/receipt.ts";
import { counterpartKey, isCounterpart } from "../../src/store/scope.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { calls, type Line, receiver, type Scripted, scripted, spoken, usage } from "../agent/model.ts";
import { stateAmong } from "../agent/on-wire.ts";
import { tool } from "../agent/stage.ts";
import { type HostStage, newHost } from "./stage.ts";

/** What an agent with an inbox is told of its life, and what it may do of it. */

const agent = "sol";
const pay = tool("pay", () => "Paid.", { trusted: true });
/** The lines under one of layer 10's headings, in the last request. */
const under = (title: string, model: Scripted) =>
  stateAmong(
    spoken(model.requests.at(-1) as never).map((text) => text.replace(/^(?:system|user): /, "")),
    "Layer 10: Dynamic Context",
  )
    .split(`### ${title}\n`)[1]
    ?.split("\n\n")[0];
const offered = (model: Scripted) => model.requests.at(-1)?.tools.map(({ name }) => name);

const whose = (user: string | null) => ({
  user,
  ...(user !== null && isCounterpart(user) ? { counterpart: true as const } : {}),
});

describe("an agent that lives", () => {
  let stage: HostStage;
  let model: Scripted;
  let number = 0;
  const play = (...lines: Line[]) => {
    model = scripted(lines.length === 0 ? ["Fine."] : lines);
    return model;
  };
  beforeAll(async () => {
    stage = await newHost("sqlite", {
      loadModel: async () => ({ ...model, ask: (...asked) => model.ask(...asked) }),
      tools: [pay],
    });
    play();
    await stage.store.agents.add({ name: agent, charter: "sovereign", settings: { state: { base_wallet: "0xabc" } } });
  });
  afterAll(() => stage.close());

  const post = (sender: string, id: string, body = `${id} says hi`) =>
    stage.store.inbox.post({ agent, sender, id, body });
  const claim = async (counterparts = 1) => {
    const turn = `turn-${++number}`;
    await stage.store.inbox.claim(agent, turn, { counterparts });
    return turn;
  };
  const run = (turn: string | undefined, user: string | null = null) =>
    stage.host.runTurn({
      ...{ agent, input: "Go.", ...whose(user), channel: "automaton", session: "none" },
      ...(turn === undefined ? {} : { id: turn }),
    });

  test("a turn is told the messages it has taken and how many wait; a user's turn and a preview only the count", async () => {
    for (const id of ["a1", "a2"]) await post("shop/ann", id);
    await post("shop/bob", "b1");
    play();
    const turn = await claim();
    await run(turn, counterpartKey("shop/ann"));
    expect(under("Pending Obligations", model)).toBe(
      'Messages in this turn: 2\nMessages waiting: 1\n- [a1] from shop/ann: "a1 says hi"\n- [a2] from shop/ann: "a2 says hi"',
    );
    expect(offered(model)).toEqual([...known, "reply", "pay"]);
    const user = await stage.host.runTurn({ agent, user: "ann", channel: "web", input: "Hi." });
    expect([under("Pending Obligations", model), user.tainted]).toEqual(["Messages waiting: 1", false]);
    expect(offered(model)).toEqual([...known, "pay"]);
    const { prompt } = await stage.host.preview({ agent });
    expect(prompt.text).toContain("### Pending Obligations\nMessages waiting: 1\n\n");
    expect(prompt.text).toContain("- state: Inferring\n");
    await stage.store.inbox.finish({
      ...{ agent, turn, failures: [] },
      replies: ["a1", "a2"].map((message) => ({ message, body: `Hello ${message}.` })),
    });
  });

  test("a turn with somebody is told nobody else's messages, whatever was taken for it", async () => {
    await stage.store.agents.add({ name: "sol-2", charter: "sovereign" });
    await stage.store.inbox.post({ agent: "sol-2", sender: "shop/ann", body: "For you alone." });
    await stage.store.inbox.claim("sol-2", "turn-of-ann");
    for (const user of ["ann", counterpartKey("shop/bob")]) {
      play();
      const snapshot = { agent: await stage.store.agents.get("sol-2"), user, turn: "turn-of-ann" };
      const { messages, declaredTurn } = await snapshotAgent(stage.store, snapshot);
      expect(messages).toBe(0);
      expect((await previewPrompt(declaredTurn, {})).text).not.toContain("For you alone.");
    }
  });

  const known = ["update_prompt_layer", "read_memory", "save_memory", "update_memory", "forget_memory", "read_prompt"];

  test("a turn of its own has none, and may say that there is nothing to do", async () => {
    play(calls(["nothing_to_report", {}]), "Nothing.");
    await run(undefined);
    expect(under("Pending Obligations", model)).toBe("Messages waiting: 1");
    expect(offered(model)).toEqual([...known, "nothing_to_report", "pay"]);
    expect(JSON.stringify(model.requests.at(-1))).toContain("Noted: there was nothing to do.");
  });

  test("what was said with the senders of this turn is told, and with nobody else", async () => {
    play();
    const turn = await claim();
    await run(turn, counterpartKey("shop/bob"));
    expect(under("Conversation History", model)).toBe("(none)");
    expect(JSON.stringify(model.requests)).not.toContain("shop/ann");
    await stage.store.inbox.finish({ agent, turn, failures: [], replies: [{ message: "b1", body: "Hello, Bob." }] });
    await post("shop/bob", "b2");
    await run(await claim(), counterpartKey("shop/bob"));
    expect(under("Conversation History", model)).toBe(
      '#### Conversation with shop/bob\n  [shop/bob]: "b1 says hi"\n  [you]: "Hello, Bob."',
    );
  });

  test("notes: the agent's own and those of whom the turn is with, the 20 newest of all", async () => {
    const { memory } = stage.store;
    const save = async (text: string, user?: string) => {
      stage.time.now = new Date(stage.time.now.getTime() + 1000);
      await memory.save({ agent, ...(user === undefined ? {} : { user }) }, { text, key: text });
    };
    await save("own old");
    for (const who of ["bob", counterpartKey("shop/bob"), counterpartKey("shop/ann")]) await save(`of ${who}`, who);
    await save("own new");
    play();
    const told = async (turn: string | undefined, user?: string) => {
      await run(turn, user);
      return under("Recent Memory", model)
        ?.split("\n")
        .map((line) => line.replace(/^- "?(.*?)"?: .*$/, "$1"));
    };
    expect(await told(undefined)).toEqual(["own new", "own old"]);
    expect(await told(undefined, "bob")).toEqual(["own new", "of bob", "own old"]);
    expect(await told(undefined, counterpartKey("shop/bob"))).toEqual([
      "own new",
      "of counterpart:shop/bob",
      "own old",
    ]);
    for (let n = 1; n <= 20; n++) await save(`more ${n}`, n % 2 ? "bob" : undefined);
    const all = (await told(undefined, "bob")) ?? [];
    expect(all).toEqual(Array.from({ length: 20 }, (_, index) => `more ${20 - index}`));
  });

  test("in a mixed batch each note says whose it is, and reply answers each message once", async () => {
    await post("shop/ann", "a3");
    await post("shop/cyd", "c1");
    for (const [id, who] of [
      ["x", "shop/cyd"],
      ["y", "shop/dee"],
    ] as const)
      await stage.store.memory.save({ agent, user: counterpartKey(who) }, { text: `${who} owes me`, key: id });
    play(
      calls(["reply", { message: "a3", body: "Hi Ann." }], ["reply", { message: "a3", body: "Again." }]),
      calls(["reply", { message: "a3", body: "Third." }], ["reply", { message: "c1", body: "Hi Cyd." }]),
      "Done.",
    );
    const turn = await claim(5);
    expect(await run(turn)).toMatchObject({ state: "answered", tainted: true });
    const memory = under("Recent Memory", model);
    expect(memory).toContain('- "shop/cyd x": "shop/cyd owes me"');
    expect(JSON.stringify(model.requests)).not.toContain("dee");
    const steps = await stage.store.steps.of(turn);
    const drafts = (await stage.store.inbox.heldBy(agent, turn)).map(({ id, draft }) => [id, draft]);
    expect(drafts).toEqual([
      ["a3", "Hi Ann."],
      ["c1", "Hi Cyd."],
    ]);
    expect(JSON.stringify(steps)).toContain("Not noted: “a3” has its reply already.");
  });

  test("the state is measured: balance, runway, tier and turns; what never was is unknown", async () => {
    const { host, store, time } = stage;
    await store.agents.add({ name: "low", charter: "sovereign", settings: { state: { base_wallet: "0xabc" } } });
    const state = async () => {
      play();
      await host.runTurn({ agent: "low", input: "Go.", user: null, session: "none" });
      return under("Current State", model)?.split("\n");
    };
    const shown = (...[balance, runway, number]: unknown[]) => [
      `- cycles_balance: ${balance}`,
      `- cycles_runway_hours: ${runway}`,
      "- survival_tier: Normal",
      "- base_wallet: 0xabc",
      `- turn_number: ${number}`,
      `- timestamp: ${time.now.toISOString()}`,
      "- state: Inferring",
    ];
    expect(await state()).toEqual(shown("unknown", "unknown", "unknown"));
    expect(await host.survivalOf("low")).toEqual({
      ...{ unknown: "never-granted", tier: "Normal", measured: "Normal", reserve: 0 },
      ...{ balance: null, need, burnPerHour: cost, runwayHours: null },
    });
    await store.automata.grant("low", 100_000, "ops");
    expect(await state()).toEqual(shown(100_000, 57, 2));
    time.now = new Date(time.now.getTime() + 6 * 3_600_000);
    expect(await state()).toEqual(shown(100_000 - cost, 167.9, 3));
    expect(await host.survivalOf("low")).toEqual({
      ...{ unknown: null, tier: "Normal", measured: "Normal", reserve: 0 },
      ...{ balance: 100_000 - 2 * cost, need, burnPerHour: Math.round((3 * cost) / 6), runwayHours: 109.9 },
    });
  });

  describe("while cycles are few", () => {
    const reserve = (kept: number) =>
      stage.store.agents.put({ name: "low", charter: "sovereign", settings: { reserve: kept } });
    /** So much may be spent: what more there is is kept back. */
    const leave = async (micros: number) => {
      await reserve(0);
      const left = (await stage.host.survivalOf("low")).balance ?? 0;
      if (left < micros) await stage.store.automata.grant("low", micros, "ops");
      await reserve(Math.max(0, ((await stage.host.survivalOf("low")).balance ?? 0) - micros));
    };
    const take = (user: string | null = null) =>
      stage.host.runTurn({ agent: "low", input: "Go.", ...whose(user), session: "none" });

    test("sensitive calls are refused, and those a person approved wait", async () => {
      const { store, host } = stage;
      await reserve(0);
      play(calls(["pay"]), "It waits.");
      await host.runTurn({ agent: "low", input: "Pay.", user: null, session: "none", foreign: true });
      const [held] = await store.calls.list({ agent: "low" });
      await store.calls.approve(held?.id ?? "", "ops");
      const { balance, need: most } = await host.survivalOf("low");
      await reserve((balance ?? 0) - 15 * most + 1);
      expect(await host.survivalOf("low")).toMatchObject({ tier: "LowCycles" });
      play(calls(["pay"], ["read_memory"]), "Too dear.");
      expect(await take()).toMatchObject({ state: "answered" });
      const said = JSON.stringify(model.requests.at(-1));
      expect(said).toContain("Not run: “pay” acts on the world outside, and cycles are too few for that (LowCycles).");
      expect(said).toContain("There are no notes yet.");
      expect(await store.calls.get(held?.id ?? "")).toMatchObject({ status: "approved" });
      await reserve(0);
      play();
      await take();
      expect(await store.calls.get(held?.id ?? "")).toMatchObject({ status: "done", result: "Paid." });
    });

    const poor: [what: string, kept: (balance: number, most: number) => number, tier: string][] = [
      ["less than a turn needs", (balance, most) => balance - most + 1, "Critical"],
      ["nothing", (balance) => balance, "OutOfCycles"],
    ];
    for (const [what, kept, tier] of poor)
      test(`with ${what} left, no model is asked, whoever's turn it is`, async () => {
        await reserve(0);
        const { balance, need: most } = await stage.host.survivalOf("low");
        await reserve(kept(balance ?? 0, most));
        play();
        for (const user of [undefined, "bob", counterpartKey("shop/bob")])
          expect(await take(user)).toMatchObject({
            state: "failed",
            problem: {
              code: "out-of-cycles",
              message: `“low” has too few cycles left to ask its model (${tier}).`,
              hint: "Whoever runs it can grant more: charter automaton grant low.",
            },
          });
        expect(model.requests).toEqual([]);
      });

    test("the tier that is kept holds where it is worse than the one measured", async () => {
      await reserve(0);
      await stage.store.automata.record("low", [], { tier: "Critical" });
      play();
      expect((await take()).problem?.code).toBe("out-of-cycles");
      expect(await stage.host.survivalOf("low")).toMatchObject({ tier: "Critical", measured: "Normal" });
      await stage.store.automata.record("low", [], { tier: "Normal" });
    });

    test("no request asks for a longer answer than what is left pays for, and it is on record; one that pays for none is not made", async () => {
      await leave(1_000_000_000);
      play();
      await take();
      expect(model.requests[0]).not.toHaveProperty("answerTokens");
      await leave(20_000);
      play();
      const { turn } = await take();
      const { receipt } = (await stage.store.steps.replay(turn)) as { receipt: Receipt };
      const { read, written, fresh } = receipt.predicted as CacheTokens;
      const asked = fresh * 3 + read * 0.3 + written * 3.75;
      expect(receipt.answerTokens).toBe(Math.floor((20_000 - asked) / 15));
      expect(model.requests[0]?.answerTokens).toBe(receipt.answerTokens);
      expect((await replayRequest(stage.store, turn)).request.answerTokens).toBe(receipt.answerTokens);
      await leave(Math.floor(asked));
      play();
      expect((await take()).problem).toMatchObject({
        code: "out-of-cycles",
        message: "“low” has too few cycles left for its next request and an answer.",
      });
      expect(model.requests).toEqual([]);
      await reserve(0);
    });

    test("a turn that uses them up is stopped before its next request", async () => {
      await leave(20_000);
      const about = { receiver, usage: { ...usage, output: 2000 } };
      model = scriptedModel([calls(["read_memory"]), "Done."], about);
      expect(await take()).toMatchObject({ state: "failed", steps: 1, problem: { code: "out-of-cycles" } });
      await stage.store.automata.grant("low", 100_000, "ops");
    });

    test("a model without a price goes on: what is left is not known", async () => {
      await reserve(10_000_000);
      model = scripted(["Fine."], { name: "test/free", price: null });
      await stage.store.agents.put({
        name: "low",
        charter: "sovereign",
        model: "test/free",
        settings: { reserve: 10_000_000 },
      });
      expect(await take()).toMatchObject({ state: "answered" });
      expect(await stage.host.survivalOf("low")).toMatchObject({
        unknown: "no-price",
        tier: "Normal",
        balance: null,
        burnPerHour: null,
      });
    });

    test("a reserve that is no number is named", async () => {
      await stage.store.agents.put({ name: "low", charter: "sovereign", settings: { reserve: -1 } });
      await expect(take()).rejects.toThrow("The fact “reserve” should be a whole number from 0 up, not number -1.");
    });
  });
});

/** Of one request, in millionths of a dollar; and what a turn of one may cost. */
const cost = 300 * 3 + 600 * 0.3 + 100 * 3.75 + 20 * 15;
const need = Math.ceil(1.25 * cost);
