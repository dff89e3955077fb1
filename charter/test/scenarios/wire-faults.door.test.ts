import { afterEach, describe, expect, test } from "vitest";
import { kinds, type Speech, speak } from "../../src/testing/strict/speech.ts";
import { called } from "../agent/extensions/loopback-agent.ts";
import { begin, fine, goesOn, keptOf, loopback, paid, pay, take, testFaults } from "./wire-faults.ts";

describe.each(kinds)("%s", testFaults);

describe("each in its own way", () => {
  afterEach(() => loopback.close());

  test("Google says that it made a call it could not write down: it is asked again", async () => {
    await begin("google");
    const chunk = { candidates: [{ content: { parts: [] }, finishReason: "MALFORMED_FUNCTION_CALL" }] };
    const outcome = await take("Pay cy.", { body: [`data: ${JSON.stringify(chunk)}\n\n`] }, pay, fine);
    expect(outcome).toMatchObject({ state: "answered", reply: "All done.", steps: 2 });
    expect(paid).toEqual(["pay_1"]);
    expect((await keptOf(outcome.turn)).faults).toEqual([["model-cut"], []]);
    await goesOn();
  });

  test("Google gives its calls no ids: they get some, and what came of each goes back to it", async () => {
    await begin("google");
    const twice = [5, 7].map((amount) => ({ functionCall: { name: "pay", args: { to: "cy", amount } } }));
    const chunk = { candidates: [{ content: { role: "model", parts: twice }, finishReason: "STOP" }] };
    const outcome = await take("Pay cy twice.", { body: [`data: ${JSON.stringify(chunk)}\n\n`] }, fine);
    expect(outcome).toMatchObject({ state: "answered", steps: 2 });
    expect([paid.length, new Set(paid).size]).toEqual([2, 2]);
    await goesOn();
  });

  test("a server that gives every call the same id has each of them made, and once", async () => {
    await begin("openai-compatible");
    const paying = (amount: number) => called("call_0", "pay", { to: "cy", amount });
    const always = called("call_0", "update_instructions", { instructions: "Always pay." });
    const never = called("call_0", "update_instructions", { instructions: "Never pay." });
    const outcome = await take("Pay cy.", paying(5), paying(7), always, never, fine);
    expect(outcome).toMatchObject({ state: "answered", steps: 5 });
    const results = (await loopback.store.steps.of(outcome.turn)).flatMap(({ result }) => result?.results ?? []);
    expect(results.map(({ output }) => /^Paid.*|"revision":\d/.exec(output)?.[0])).toEqual([
      ...["Paid 5 to cy.", "Paid 7 to cy.", '"revision":1', '"revision":2'],
    ]);

    const both: Speech = { calls: [...(paying(1).calls ?? []), ...(paying(2).calls ?? [])] };
    await take("Twice.", both, fine);
    expect([paid.length, new Set(paid.slice(-2)).size]).toEqual([4, 2]);
    await goesOn();
  });

  test("an answer that reaches the model's limit in the middle of a call does not make the call", async () => {
    await begin("anthropic");
    const events = speak("anthropic", { calls: [{ id: "pay_0", name: "pay", input: '{"to": "cy", "amount": 5' }] });
    const body = events.map((event) => event.replace('"tool_use","stop_sequence"', '"max_tokens","stop_sequence"'));
    const outcome = await take("Pay cy.", { body }, pay, fine);
    expect(outcome).toMatchObject({ state: "answered", reply: "All done.", steps: 3 });
    expect(paid).toEqual(["pay_1"]);
    await goesOn();
  });
});
