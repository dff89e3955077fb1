import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Declaration, modifySystemPrompt } from "../../src/agent/index.ts";
import type { Charter } from "../../src/index.ts";
import { callsTools } from "../../src/testing/index.ts";
import { tool } from "../agent/stage.ts";
import { besieged, clocked, governed, threeTurns } from "./strict-charters.ts";
import { lawful, look, looks, newStrictStage, type StrictStage, takes } from "./strict-stage.ts";

/** Stories of sessions with Claude Sonnet 5.5, on a server that takes only what Anthropic documents. */

let stage: StrictStage;
beforeEach(async () => {
  stage = await newStrictStage();
});
afterEach(() => stage.close());

describe.each([
  "anthropic/claude-sonnet-4-6",
  "openai/gpt-5.6-terra",
  "openai-chat/gpt-5.6-terra",
  "openai-compatible/qwen3",
  "google/gemini-3.8-flash",
])("what other models are sent: %s", (name) => {
  beforeEach(async () => {
    await stage.close();
    stage = await newStrictStage({}, name);
  });

  const amend = modifySystemPrompt({ section: "goals" });
  const append = { operation: "append", content: "- Be brief.", reason: "Asked." };
  const rows: readonly [what: string, charter: Charter | Declaration][] = [
    ["a charter without state", lawful()],
    ["a clock", clocked],
    ["a stranger's words", besieged],
  ];
  for (const [what, charter] of rows)
    test(`${what}: nothing is refused`, async () => {
      await threeTurns(stage, stage.agent(charter, { tools: [look] }));
      expect(stage.server.findings).toEqual([]);
    });

  test("an amendment, a tool more, a cold cache, a restart: nothing is refused", async () => {
    const agent = stage.agent(governed(clocked), { tools: [look, amend] });
    await takes(stage, agent, "Be brief.", { lines: [callsTools(["modify_system_prompt", append]), ...looks("Yes.")] });
    stage.wait(7200);
    const take = tool("take", () => "Taken.");
    await takes(stage, stage.agent(governed(clocked), { tools: [look, amend, take] }), "Two?");
    const store = await stage.restarted();
    await takes(stage, stage.agent(governed(clocked), { tools: [look, amend, take], store }), "Three?");
    expect(stage.server.findings).toEqual([]);
  });
});
