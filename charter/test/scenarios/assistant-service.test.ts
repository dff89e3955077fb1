import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exampleSoul } from "../../src/charters/index.ts";
import { calls, spoken, systemOf } from "../agent/model.ts";
import { type Ask, newService, type ServiceStage, soul } from "../service/stage.ts";

describe("the assistant as a service", () => {
  let stage: ServiceStage;
  let operator: Ask;
  let bo: Ask;
  let cy: Ask;
  const chat = 77;
  beforeAll(async () => {
    stage = await newService("sqlite");
    operator = await stage.as({ kind: "operator" });
    bo = await stage.as({ kind: "user", user: "bo" });
    cy = await stage.as({ kind: "user", user: "cy" });
    await stage.link("bo", chat);
  });
  afterAll(() => stage.close());

  const say = async (ask: Ask, input: string, more: object = {}) => {
    const { status, body } = await ask("POST /agents/ada/turns", { input, ...more });
    expect([status, body.state]).toEqual([200, "answered"]);
    return body;
  };
  /** Waits until the schedule of this input has run; the clock is where the test set it. */
  const ran = async (count: number) => {
    for (;;) {
      const runs = await stage.store.runs.list({ agent: "ada", user: "bo" });
      const over = runs.filter(({ endedAt }) => endedAt !== null);
      if (over.length >= count) return over[0];
      await sleep(20);
    }
  };

  test("AC-1: the prompt is assembled from sections, in the seed's order, and each is told apart", async () => {
    const { body } = await operator("GET /agents/ada/prompt?user=bo&channel=web");
    const headings = body.text.match(/^## .*/gm);
    expect(headings).toEqual([
      "## Identity",
      "## Soul",
      "## Safety",
      "## Channel",
      "## Current Time",
      "## Memory",
      "## User Instructions",
      "## Tools",
    ]);
    expect(body.sections.map(({ name }: { name: string }) => name)).toEqual([
      "identity",
      "soul",
      "safety",
      "channel",
      "time",
      "memory",
      "instructions",
      "tools",
    ]);
  });

  test("AC-2: soul and identity are sections of their own, an operator's to change, and nobody else's", async () => {
    const change = { section: "soul", operation: { kind: "rewrite", content: "Be stern." } };
    const denied = await bo("POST /agents/ada/proposals", change);
    expect([denied.status, denied.body.error.code]).toEqual([404, "not-found"]);
    const identity = { section: "identity", operation: { kind: "rewrite", content: '{"name":"Eda","mood":"odd"}' } };
    const refused = await operator("POST /agents/ada/proposals", identity);
    expect([refused.status, refused.body.error.code]).toEqual([422, "refused"]);
    expect(refused.body.error.refusals[0].because).toContain("mood");
    expect((await operator("POST /agents/ada/proposals", change)).status).toBe(201);
    await say(bo, "Hello.", { session: "new" });
    expect(systemOf(stage.model.requests.at(-1) as never)).toContain("## Soul\nBe stern.");
    const reverted = await operator("POST /agents/ada/sections/soul/revert", { to: 0 });
    expect(reverted.status).toBe(201);
    await say(bo, "Hello.", { session: "new" });
    expect(systemOf(stage.model.requests.at(-1) as never)).toContain(`## Soul\n${soul}`);
  });

  test("AC-3: the user's own time, to the minute, with its zone", async () => {
    expect((await bo("PATCH /me", { zone: "Asia/Kolkata" })).status).toBe(200);
    await say(bo, "What time is it?");
    expect(stage.lastPrompt()).toContain("Wednesday, February 18, 2026 at 08:34 PM (Asia/Kolkata)");
    await say(cy, "And here?");
    expect(stage.lastPrompt()).toContain("Wednesday, February 18, 2026 at 03:04 PM (UTC)");
    const bad = await bo("PATCH /me", { zone: "Mars/Olympus" });
    expect([bad.status, bad.body.error.code]).toEqual([400, "bad-zone"]);
  });

  test("AC-4, AC-10: each of the three entries says which it is, in turns that come between each other", async () => {
    stage.model.say("Fine.");
    await operator("POST /agents/ada/schedules", {
      user: "bo",
      title: "Round",
      input: "Make your round.",
      at: "2026-02-18T15:05:00Z",
    });
    await say(bo, "On the web.", { session: "new" });
    expect(stage.lastPrompt()).toContain("You are responding via web.\nUser is on the web app.");
    await stage.tell(chat, "On Telegram.");
    expect(stage.lastPrompt()).toContain("You are responding via telegram.\nUser is on Telegram.");
    const before = stage.telegram.textsTo(chat).length;
    stage.time.now = new Date("2026-02-18T15:05:00Z");
    expect(await ran(1)).toMatchObject({ state: "answered" });
    await stage.telegram.until(() => stage.telegram.textsTo(chat).length > before);
    expect(stage.lastPrompt()).toContain("You are responding via scheduled.\nThis is an automated scheduled run.");
    expect(stage.lastPrompt()).toContain("at 08:35 PM (Asia/Kolkata)");
    await say(bo, "On the web again.", { session: "new" });
    expect(stage.lastPrompt()).toContain("You are responding via web.");
    const unknown = await bo("POST /agents/ada/turns", { input: "Coo.", channel: "pigeon" });
    expect([unknown.status, unknown.body.error.code]).toEqual([404, "unknown-channel"]);
  });

  test("AC-5: no memory stands in the prompt; the model is told to ask for it, and gets it when it does", async () => {
    expect((await bo("POST /agents/ada/memory", { text: "The bicycle is red." })).status).toBe(201);
    stage.model.say(calls(["read_memory", { query: "bicycle" }]), "It is red.");
    const { turn } = await say(bo, "What colour is my bicycle?", { session: "new" });
    const [first, second] = stage.model.requests.slice(-2);
    expect(JSON.stringify(first)).not.toContain("The bicycle is red.");
    expect(JSON.stringify(first)).toContain("call read_memory FIRST");
    expect(spoken(second as never).join("\n")).toContain("The bicycle is red.");
    const sent = await operator(`GET /turns/${turn}?parts=bytes&step=1`);
    expect(JSON.stringify(sent.body.bytes)).not.toContain("The bicycle is red.");
    stage.model.say("Fine.");
    expect((await cy("GET /agents/ada/memory?query=bicycle")).body.notes).toEqual([]);
  });

  test("AC-6, AC-7, AC-8: update_instructions writes one text, which stands in every next prompt, on any channel", async () => {
    stage.model.say(
      calls(["update_instructions", { instructions: "Always answer in bullet points." }]),
      "- Noted.",
      "Fine.",
    );
    expect(await stage.tell(chat, "Always answer in bullet points.")).toBe("• Noted.");
    await say(bo, "Hello.", { session: "new" });
    expect(stage.lastPrompt()).toContain("## User Instructions\nAlways answer in bullet points.\nThe user can change");
    stage.model.say(calls(["update_instructions", { instructions: "Answer in French." }]), "Oui.", "Fine.");
    await say(bo, "In French instead.");
    await stage.tell(chat, "Hello.");
    expect(stage.lastPrompt()).toContain("Answer in French.");
    const { body } = await bo("GET /agents/ada/sections/instructions/history");
    expect(
      body.amendments.map(({ actor, revision }: { actor: string; revision: number }) => [revision, actor]),
    ).toEqual(
      expect.arrayContaining([
        [1, "agent"],
        [2, "agent"],
      ]),
    );
    await say(cy, "Hello.", { session: "new" });
    expect(stage.lastPrompt()).toContain("(No custom instructions set.)");
    expect(stage.lastPrompt()).not.toContain("French");
  });

  test("AC-9: no prompt is kept from one turn to the next, in this process or another", async () => {
    const elsewhere = await stage.replica({ kind: "operator" });
    const change = { section: "soul", operation: { kind: "rewrite", content: "Be swift." } };
    expect((await elsewhere("POST /agents/ada/proposals", change)).status).toBe(201);
    await say(bo, "Hello.");
    expect(systemOf(stage.model.requests.at(-1) as never)).toContain("Be swift.");
    expect(systemOf(stage.model.requests.at(-1) as never)).not.toContain(soul);
  });

  test("several agents: each has instructions of its own for the same user", async () => {
    await operator("POST /agents", { name: "eve", charter: "assistant" });
    const rewrite = { section: "instructions", operation: { kind: "rewrite", content: "Only with ada." } };
    expect((await bo("POST /agents/ada/proposals", rewrite)).status).toBe(201);
    await bo("POST /agents/eve/turns", { input: "Hello." });
    expect(stage.lastPrompt()).toContain("(No custom instructions set.)");
    expect(stage.lastPrompt()).toContain("## Soul\nYou are a helpful assistant.");
    expect(stage.lastPrompt()).not.toContain("## Identity");
    await bo("POST /agents/ada/proposals", { section: "instructions", operation: { kind: "reset" } });
  });
});

test("the example soul of the seed is what the demo assistant is born with", () => {
  expect(exampleSoul).toContain('Be genuinely helpful, not performatively helpful. Skip the "Great question!"');
});
