import { expect, test } from "vitest";
import { z } from "zod";
import { createAgent } from "../agent/agent.ts";
import { defineTool } from "../agent/tool.ts";
import { modifySystemPrompt } from "../agent/tools/index.ts";
import { defineCharter } from "../prompt/charter.ts";
import { expectRequest, transcriptOf } from "./expect-request.ts";
import { callsTools, memoryStore, replyOf, scriptedModel, testClock } from "./scripted-model.ts";

const charter = defineCharter({
  name: "librarian",
  layers: [
    { name: "law", mutability: "fixed", sections: [{ name: "safety", heading: "## Safety", words: "Be kind." }] },
    {
      name: "own",
      mutability: { amendableBy: ["agent"], scope: "user" },
      sections: [{ name: "goals", heading: "## Goals", original: "Help people." }],
    },
  ],
});
const weather = defineTool({
  name: "weather",
  input: z.object({ city: z.string() }),
  summary: "Look up the weather",
  trusted: true,
  harmless: true,
  run: ({ city }) => `It rains in ${city}.`,
});

test("an agent takes turns on a real store by a clock that stands still, and each sees what came before", async () => {
  const clock = testClock("2026-02-18T09:00:00Z");
  const store = await memoryStore({ clock });
  const model = scriptedModel([
    callsTools(["weather", { city: "Rome" }]),
    "Yes.",
    callsTools(["modify_system_prompt", { operation: "append", content: "Know the weather.", reason: "Asked to." }]),
    "I will.",
    "Good night.",
  ]);
  const agent = createAgent({
    charter,
    model,
    store,
    clock,
    tools: [weather, modifySystemPrompt({ section: "goals" })],
  });
  const say = async (input: string) => replyOf(await agent.runTurn({ input, user: "mia" }));
  expect([await say("An umbrella?"), await say("Know it always.")]).toEqual(["Yes.", "I will."]);
  clock.advance({ hours: 12 });
  expect(await say("Good night.")).toBe("Good night.");
  expect(transcriptOf(model.requests[1])).toEqual([
    "user: An umbrella?",
    'assistant: weather {"city":"Rome"}',
    "tool: It rains in Rome.",
  ]);
  expectRequest(model.requests[0]).offers("weather", "modify_system_prompt").hasNot("Know the weather.");
  expectRequest(model.requests[4]).has("Know the weather.").has("An umbrella?");
  const [amendment] = await store.history.listWhole({ agent: "librarian", user: "mia" }, "goals");
  expect([amendment?.after, amendment?.at]).toEqual(["Help people.\nKnow the weather.", "2026-02-18T09:00:00.000Z"]);
  await store.close();
});

test("a turn whose script is over says so", async () => {
  const store = await memoryStore();
  const agent = createAgent({ charter, model: scriptedModel(["Hello."]), store });
  expect(replyOf(await agent.runTurn({ input: "Hi.", user: "mia" }))).toBe("Hello.");
  const outcome = await agent.runTurn({ input: "Hi.", user: "mia" });
  expect(() => replyOf(outcome)).toThrow(
    "The turn has no reply: model-failed: “test/scripted” gave no answer: The model was asked a 2nd time, and its script has one line.",
  );
  await store.close();
});
