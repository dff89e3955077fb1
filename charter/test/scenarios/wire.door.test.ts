import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kinds } from "../../src/testing/strict/speech.ts";
import { expectAsKept } from "../agent/as-kept.ts";
import { newLoopback } from "../agent/extensions/loopback-agent.ts";
import { testSession } from "./wire-session.ts";
import { bo, charter, drafts, lookUp, wireOf } from "./wire-stage.ts";

/** wire.test.ts has it with Anthropic. */
describe.each(kinds.filter((kind) => kind !== "anthropic"))("a session with %s", testSession);

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
