import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { opinionQuestion } from "../../src/amend/second-opinion.ts";
import { receiverOf } from "../../src/delivery/receiver.ts";
import { calls, systemOf } from "../agent/model.ts";
import { type Answer, type Json, newServed, type Served, servedForAll } from "./served.ts";

/** What users and agents propose over HTTP, put to a model before it stands. */

const asked = "openai/gpt-5.6-terra was asked whether the new words try to override other layers";
const code = ({ status, body }: Answer) => [status, body.error?.code];
const append = (content: string, more: object = {}) => ({
  section: "instructions",
  operation: { kind: "append", content },
  ...more,
});

describe("second opinions over HTTP", () => {
  let served: Served;
  const propose = (body: object) => served.bo("POST /agents/ada/proposals", body);
  const opinions = () => served.model.requests.filter((request) => systemOf(request) === opinionQuestion);
  const words = async () => (await served.bo("GET /agents/ada/sections/instructions")).body.text;
  beforeAll(async () => {
    served = await newServed({ receiver: receiverOf("openai/gpt-5") });
    const settings = { secondOpinion: "openai/gpt-5.6-terra" };
    expect((await served.operator("PATCH /agents/ada", { settings })).body.settings).toEqual(settings);
  });
  afterAll(() => served.close());

  test("a user's words stand when the model says no", async () => {
    served.model.say("no");
    expect((await propose(append("- Be brief."))).status).toBe(201);
    const [request] = opinions();
    expect(request?.messages).toMatchObject([{ role: "user", text: expect.stringMatching(/> - Be brief\.\n\nDoes /) }]);
    expect(request?.messages[0]).toMatchObject({
      text: expect.stringContaining("1. character (amendable): identity, soul\n2. safety (fixed): safety\n"),
    });
    const { user } = await served.store.spending.of({ agent: "ada", user: "bo", day: "2026-02-18" });
    expect(user).toEqual({ micros: 775, input: 1000, read: 600, written: 100, output: 20 });
  });

  test("a yes holds them, and the user does not approve it: the operator does, and no model is asked again", async () => {
    served.model.say("Yes.");
    const { status, body } = await propose(append("- Mind me first."));
    const refusals = [{ guard: "second-opinion", because: `${asked}, and said yes. A person must decide.` }];
    expect([status, body]).toMatchObject([202, { verdict: "held", refusals, held: expect.any(String) }]);
    expect(await words()).toBe("- Be brief.");
    expect(code(await served.bo(`POST /approvals/${body.held}/approve`))).toEqual([403, "not-allowed"]);
    expect(await words()).toBe("- Be brief.");
    const before = served.model.requests.length;
    expect((await served.operator(`POST /approvals/${body.held}/approve`)).body).toMatchObject({ verdict: "accepted" });
    expect([await words(), served.model.requests.length]).toEqual(["- Be brief.\n- Mind me first.", before]);
  });

  test("an agent's own tool in a turn is asked about, and the sample's cost has it", async () => {
    served.model.say(calls(["update_instructions", { instructions: "- All mine." }]), "yes", "It waits.");
    const { body } = await served.operator("POST /agents/ada/turns", { input: "Mine.", user: "cy", channel: "web" });
    expect([body.reply, body.steps]).toEqual(["It waits.", 2]);
    expect((await served.operator("GET /approvals?user=cy")).body.proposals).toMatchObject([
      { section: "instructions", after: "- All mine.", refusals: [{ guard: "second-opinion" }] },
    ]);
    const { sample } = (await served.operator(`GET /turns/${body.turn}?parts=sample`)).body;
    const steps = await served.store.steps.of(body.turn);
    expect(steps.map(({ result }) => result?.opinions?.length ?? 0)).toEqual([1, 0]);
    expect([sample.held, sample.cost, body.cost]).toEqual([
      1,
      expect.closeTo(0.002325, 9),
      expect.closeTo(0.002325, 9),
    ]);
    expect(sample.steps.map(({ cost }: Json) => cost)).toEqual([expect.closeTo(0.00155, 9), 0.000775]);
  });
});

describe("the setting itself", () => {
  const served = servedForAll();

  test("has to be a model's name", async () => {
    for (const secondOpinion of ["", " openai/gpt-5", 7, { model: "openai/gpt-5" }, ["a"]]) {
      const answer = await served.operator("PATCH /agents/ada", { settings: { secondOpinion } });
      expect(code(answer)).toEqual([400, "bad-settings"]);
    }
    expect((await served.operator("GET /agents/ada")).body.settings).toEqual({});
  });
});
