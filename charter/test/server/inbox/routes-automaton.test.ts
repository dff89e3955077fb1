import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Json, newServed, type Served } from "../served.ts";
import { answerWaiting } from "./answer-waiting.ts";

describe("an agent's life", () => {
  let served: Served;
  beforeAll(async () => {
    served = await newServed({ everyMs: new Map([["sol", 60_000]]) });
    for (const name of ["sol", "luna"])
      await served.store.agents.add({ name, charter: "sovereign", model: "openai/gpt-5" });
  });
  afterAll(() => served.close());

  test("one that never lived by itself has no state, and nothing granted", async () => {
    const { body } = await served.operator("GET /agents/ada/snapshot");
    const { state, tier, balances, waiting, transitions, recentTurns } = body;
    expect({ state, tier, waiting, transitions, recentTurns, granted: balances.granted }).toEqual({
      ...{ state: null, tier: "Normal", waiting: 0, transitions: [], recentTurns: [], granted: null },
    });
  });

  test("who lives for it is told while their lease runs, and when its next turn by itself is due while it takes any", async () => {
    const { operator, store } = served;
    const look = async (agent = "sol") => {
      const { runner, nextOwnTurnAt } = (await operator(`GET /agents/${agent}/snapshot`)).body;
      return [runner, nextOwnTurnAt];
    };
    const at = "2026-02-18T12:00:00.000Z";
    expect(await look()).toEqual([null, null]);
    for (const agent of ["sol", "luna"]) await store.automata.claim(agent, { runner: "here:1", leaseMs: 60_000 });
    expect(await look()).toEqual(["here:1", at]);
    expect(await look("luna")).toEqual(["here:1", null]);
    await store.automata.record("sol", [], { ownTurnAt: at });
    expect(await look()).toEqual(["here:1", "2026-02-18T12:01:00.000Z"]);
    await operator("POST /agents/sol/automaton/sleep");
    expect(await look()).toEqual(["here:1", null]);
    await operator("POST /agents/sol/automaton/wake");
    await store.agents.freeze("sol", "agent");
    expect(await look()).toEqual(["here:1", null]);
    await store.agents.thaw("sol");
    await store.automata.claim("sol", { runner: "here:1", leaseMs: -1 });
    expect(await look()).toEqual([null, null]);
  });

  test("everyone is told the same of it, field by field, and when its next turn is due", async () => {
    const { operator, store } = served;
    await store.automata.claim("sol", { runner: "here:1", leaseMs: 60_000 });
    const { at: _, layers, conversations, recentTurns, ...told } = (await operator("GET /agents/sol/snapshot")).body;
    expect((await operator("GET /agents/sol/automaton")).body).toEqual(told);
    expect((await operator("POST /agents/sol/automaton/wake")).body).toEqual(told);
    expect([told.runner, told.nextOwnTurnAt]).toEqual(["here:1", "2026-02-18T12:01:00.000Z"]);
    await store.automata.claim("sol", { runner: "here:1", leaseMs: -1 });
  });

  test("one without an inbox does not live by itself", async () => {
    for (const what of ["wake", "sleep", "grant"]) {
      const { status, body } = await served.operator(`POST /agents/ada/automaton/${what}`, {
        ...(what === "grant" && { micros: 1 }),
      });
      expect([what, status, body.error.code]).toEqual([what, 422, "no-inbox"]);
    }
  });

  test("a snapshot has its sections, conversations, newest turns and changes of state, all as they are now", async () => {
    const { store, operator, house } = served;
    await store.inbox.post({ agent: "sol", sender: "shop/bo", body: "Hello?" });
    await answerWaiting(store, "sol", "Hello.");
    await store.inbox.post({ agent: "sol", sender: "shop/bo", body: "Still there?" });
    const { turn } = await house.runTurn({ agent: "sol", user: "bo", channel: "web", input: "Hi." });
    const at = "2026-02-18T12:00:00.000Z";
    await store.automata.record("sol", [
      { from: "Bootstrapping", to: "Idle", cause: "started", turn: null, at },
      { from: "Idle", to: "LoadingContext", cause: "message", turn, at },
      { from: "LoadingContext", to: "Faulted", cause: "unforeseen", turn, at, fault: true },
    ]);
    await operator("POST /agents/sol/proposals", {
      section: "inbox",
      operation: { kind: "append", content: "- Answer briefly." },
    });
    const { body } = await operator("GET /agents/sol/snapshot");
    expect([body.state, body.turn, body.waiting, body.frozen]).toEqual(["Faulted", turn, 1, null]);
    expect(body.transitions.map(({ from, to, fault }: Json) => [from, to, fault])).toEqual([
      ["LoadingContext", "Faulted", true],
      ["Idle", "LoadingContext", false],
      ["Bootstrapping", "Idle", false],
    ]);
    expect(body.conversations).toEqual([{ counterpart: "shop/bo", exchanges: 1, lastAt: at }]);
    expect(body.recentTurns[0]).toMatchObject({ id: turn, steps: 1, state: "answered" });
    const { body: sections } = await operator("GET /agents/sol/sections");
    expect(body.layers).toEqual(sections.sections);
  });

  test("a section says whose it is, how it stands in the prompt, and which turn or person wrote it last", async () => {
    const { operator, store, house } = served;
    const { turn } = await house.runTurn({ agent: "sol", channel: "web", input: "Hi.", user: null });
    const context = await house.amendmentContext({ agent: "sol" });
    const operation = { kind: "append" as const, content: "- Ask before you decide." };
    const proposal = { section: "decisions", operation, actor: "agent" as const, reason: "Learned.", turn };
    expect((await store.propose(context, proposal)).verdict).toBe("accepted");
    const { body } = await operator("GET /agents/sol/sections");
    const facts = Object.fromEntries(body.sections.map((one: Json) => [one.name, one]));
    const at = "2026-02-18T12:00:00.000Z";
    const told = ({ owner, updatedAt, updatedByTurn, revision }: Json) => ({
      owner,
      updatedAt,
      updatedByTurn,
      revision,
    });
    expect(told(facts.constitution)).toEqual({
      owner: "charter",
      updatedAt: null,
      updatedByTurn: null,
      revision: null,
    });
    expect(told(facts.inbox)).toEqual({ owner: "agent", updatedAt: at, updatedByTurn: null, revision: 1 });
    expect(told(facts.decisions)).toEqual({ owner: "agent", updatedAt: at, updatedByTurn: turn, revision: 1 });
    const { body: prompt } = await operator("GET /agents/sol/prompt");
    for (const { name, rendered } of body.sections)
      expect([name, prompt.text.includes(rendered)]).toEqual([name, true]);
    expect(facts.decisions.rendered).toContain("- Ask before you decide.");
    expect(facts.now.rendered).toMatch(/^#+ /);
  });
});
