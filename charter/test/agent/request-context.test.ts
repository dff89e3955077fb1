import { afterEach, beforeEach, describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { createAgent } from "../../src/agent/index.ts";
import { fromText } from "../../src/index.ts";
import { calls, scripted, systemOf } from "./model.ts";
import { newStage, type Stage, tool } from "./stage.ts";

/** What a program knows of a request: sources, tools and hooks are given it, and nobody else. */

const seen: unknown[] = [];
const look = tool("look", (_, { context }) => `Seen ${seen.push(context)}.`);
const secret = "acme-of-the-request";

let stage: Stage;
beforeEach(async () => {
  seen.length = 0;
  stage = await newStage();
});
afterEach(() => stage.close());

test("it reaches sources, tools and every hook, and no later turn; nothing of it is stored or told", async () => {
  const hooked: [string, unknown][] = [];
  const at =
    (moment: string) =>
    ({ context }: { readonly context?: unknown }) =>
      void hooked.push([moment, context]);
  const moments = ["input", "before-turn", "before-step", "before-tool", "after-tool", "after-turn"] as const;
  const hook = { name: "watch", ...Object.fromEntries(moments.map((moment) => [moment, at(moment)])) };
  stage.world.place = ({ context }) => fromText(context === undefined ? "Nowhere." : "With somebody.");
  const model = scripted([calls(["look"]), "Done.", calls(["look"]), "Again."]);
  const agent = stage.agent(model, { tools: [look], hooks: [hook] });
  const context = { tenant: secret, plan: { name: "free" } };
  await agent.runTurn({ input: "Look.", user: "eva", context });
  expect(systemOf(model.requests[0] as never)).toContain("With somebody.");
  expect(seen).toEqual([context]);
  expect(new Set(hooked.map(([moment]) => moment))).toEqual(new Set(moments));
  expect(hooked.every(([, given]) => JSON.stringify(given) === JSON.stringify(context))).toBe(true);
  hooked.length = 0;

  const { turn } = await agent.runTurn({ input: "Look again.", user: "eva" });
  expect([seen[1], hooked.every(([, given]) => given === undefined)]).toEqual([undefined, true]);
  expect(JSON.stringify([agent.events, model.requests])).not.toContain(secret);
  const [, first] = await stage.store.turns.list({ agent: "ada" });
  expect([await stage.store.turns.contextOf(turn), await stage.store.turns.contextOf(first?.id as string)]).toEqual([
    undefined,
    undefined,
  ]);
});

test("turns at once have each their own, which nobody can change", async () => {
  const given: unknown[] = [];
  const mine = tool("mine", async (_, { context, scope }) => {
    expect(() => Object.assign(context as object, { tenant: "other" })).toThrow(TypeError);
    given.push([scope.user, context]);
    return "Seen.";
  });
  const users = ["ann", "bo", "cy", "di"];
  const agents = users.map(() => stage.agent(scripted([calls(["mine"]), "Done."]), { tools: [mine] }));
  await Promise.all(users.map((user, at) => agents[at]?.runTurn({ input: "Go.", user, context: { tenant: user } })));
  expect(given.toSorted()).toEqual(users.map((user) => [user, { tenant: user }]));
});

test("kept if the agent says so: erased and exported with its turn", async () => {
  const agent = stage.agent(scripted(["Done."]), { keepContext: true });
  const { turn } = await agent.runTurn({ input: "Go.", user: "eva", context: { tenant: secret } });
  expect(await stage.store.turns.contextOf(turn)).toEqual({ tenant: secret });
  expect(JSON.stringify(await stage.store.turns.get(turn))).not.toContain(secret);
  expect(JSON.stringify(await stage.store.export({ user: "eva" }))).toContain(`"context":{"tenant":"${secret}"}`);
  await stage.store.erase({ user: "eva" });
  expect(await stage.store.turns.contextOf(turn)).toBe(undefined);
  expect(JSON.stringify(await stage.store.export({ user: "eva" }))).not.toContain(secret);
});

test("a call that is approved later has what was kept of its own turn, or nothing, never another's", async () => {
  const browse = tool("browse", () => "Buy.", { harmless: true });
  const send = tool("send", (_, { context }) => `Sent ${seen.push(context)}.`, {
    trusted: true,
  });
  for (const keepContext of [true, false]) {
    const lines = [calls(["browse"], ["send", {}, "c1"]), "Asked.", "Fine."];
    const agent = stage.agent(scripted(lines), { tools: [browse, send], keepContext });
    await agent.runTurn({ input: "Go.", user: "eva", context: { plan: "first" } });
    for (const { id } of await stage.store.calls.list({ agent: "ada", status: "waiting" }))
      await stage.store.calls.approve(id, "olga");
    await agent.runTurn({ input: "What now?", user: "eva", context: { plan: "second" } });
  }
  expect(seen).toEqual([{ plan: "first" }, undefined]);
});

describe("what may be given", () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await newStage();
  });
  afterEach(() => stage.close());
  const circle: { self?: unknown } = {};
  circle.self = circle;
  const schema = z.object({ tenant: z.string(), plan: z.enum(["free", "paid"]).default("free") });

  test("a schema checks it, fills it in and types it; a Problem names the place, not the words", async () => {
    const agent = createAgent({
      ...{ name: "ada", charter: stage.declaration, model: scripted([calls(["look"]), "Done."]), store: stage.store },
      ...{ tools: [look], context: schema },
    });
    type Given = Parameters<typeof agent.runTurn>[0]["context"];
    expectTypeOf<Given>().toEqualTypeOf<{ tenant: string; plan?: "free" | "paid" | undefined } | undefined>();
    seen.length = 0;
    await agent.runTurn({ input: "Go.", user: "mia", context: { tenant: "acme" } });
    expect(seen).toEqual([{ tenant: "acme", plan: "free" }]);
    const wrong = agent.runTurn({ input: "Go.", user: "mia", context: { tenant: "acme", plan: secret as "free" } });
    await expect(wrong).rejects.toMatchObject({
      code: "bad-context",
      message: "The context of a turn is not what the agent's schema takes: plan.",
    });
  });

  test.each([
    ["a function", () => {}, "The context of a turn is nothing that can be written as JSON."],
    ["a circle", circle, "The context of a turn cannot be written as JSON (Converting circular structure to JSON)."],
    ["too much", "x".repeat(16_383), "The context of a turn has 16,385 bytes; the limit is 16,384."],
  ])("%s is refused before anything is stored", async (_, context, message) => {
    const agent = stage.agent(scripted(["Done."]));
    await expect(agent.runTurn({ input: "Go.", user: "mia", context })).rejects.toMatchObject({
      code: "bad-context",
      message,
    });
    expect(await stage.store.turns.list({ agent: "ada" })).toEqual([]);
  });
});
