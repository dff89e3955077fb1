import type { LanguageModelV4Content, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { experimental_createSteering, generateText, jsonSchema, streamText, ToolLoopAgent, tool } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";
import { expect, test } from "vitest";
import { charterFor } from "../../../src/agent/sdk/index.ts";
import { replayed, staged } from "./sdk-stage.ts";

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};
const finishReason = { unified: "stop", raw: undefined } as const;
const query = '{"query":"rain"}';
const own: LanguageModelV4Content[] = [
  { type: "tool-call", toolCallId: "srv_1", toolName: "web_search", input: query, providerExecuted: true },
  { type: "tool-result", toolCallId: "srv_1", toolName: "web_search", result: [{ url: "https://rain.example" }] },
  { type: "file", mediaType: "image/png", data: { type: "data", data: "iVBO" } },
];
const content: LanguageModelV4Content[] = [...own, { type: "text", text: "Rain." }];
const parts = [
  ...own,
  { type: "text-start", id: "1" },
  { type: "text-delta", id: "1", delta: "Rain." },
  { type: "text-end", id: "1" },
  { type: "finish", finishReason, usage },
] as LanguageModelV4StreamPart[];

test.for(["streamText", "generateText"])(
  "%s: files and what the provider's own tools did are sent back",
  async (by) => {
    const model = new MockLanguageModelV4({
      doGenerate: async () => ({ content, finishReason, usage, warnings: [] }),
      doStream: async () => ({ stream: convertArrayToReadableStream(parts) }),
    });
    const { stage } = await staged([]);
    const tools = { web_search: { type: "provider", id: "a.web_search", args: {}, isProviderExecuted: true } as never };
    const ada = charterFor({ ...stage.options, model, tools });
    for (const input of ["How is the weather?", "And now?"]) {
      const { settings, outcome } = await ada.turn({ input, user: "eva" });
      if (by === "generateText") await generateText(settings);
      else await streamText(settings).consumeStream();
      expect(await outcome).toMatchObject({ state: "answered", reply: "Rain." });
    }
    const asked = [...model.doGenerateCalls, ...model.doStreamCalls];
    expect(asked[1]?.tools).toMatchObject([{ type: "provider", name: "web_search" }]);
    expect(asked[1]?.prompt.find(({ role }) => role === "assistant")?.content).toMatchObject([
      { type: "tool-call", toolCallId: "srv_1", input: { query: "rain" }, providerExecuted: true },
      { type: "tool-result", toolCallId: "srv_1", output: { type: "json", value: [{ url: "https://rain.example" }] } },
      { type: "file", mediaType: "image/png", data: { type: "data", data: "iVBO" } },
      { type: "text", text: "Rain." },
    ]);
  },
);

test.for(["streamText", "generateText", "ToolLoopAgent"])(
  "%s: what steers a turn between its steps is on record, and sent",
  async (by) => {
    const steering = experimental_createSteering();
    const steered: Promise<unknown>[] = [];
    const say = tool({
      description: "Says.",
      inputSchema: jsonSchema<object>({ type: "object" }),
      execute: () => {
        steered.push(steering.steer("Subtract instead."));
        return 3;
      },
    });
    const call = { id: "1", name: "say", input: "{}" };
    const { stage, steps } = await staged([{ calls: [call] }, { text: ["One."] }, { text: ["Still one."] }]);
    const ada = charterFor({ ...stage.options, model: stage.model, tools: { say } });
    const { id, settings, call: asked, outcome } = await ada.turn({ input: "Add.", user: "eva" });
    const early = steering.steer("Quickly.");
    const late = steering.queue("And now?");

    const more = { experimental_steering: steering };
    const given = { ...settings, ...more };
    if (by === "generateText") await generateText(given);
    else if (by === "ToolLoopAgent")
      await (await new ToolLoopAgent(ada.agent).stream({ ...asked, ...more })).consumeStream();
    else await streamText(given).consumeStream();
    expect(await Promise.all([early, ...steered, late])).toMatchObject([
      { type: "not-delivered", reason: "removed-by-prepare-step" },
      { type: "delivered", stepNumber: 1 },
      { type: "not-delivered", reason: "stop-condition" },
    ]);
    expect((await steps(id))[0]?.result).toMatchObject({ steering: ["Subtract instead."] });
    await generateText((await ada.turn({ input: "Well?", user: "eva" })).settings);
    const told = stage.bodies().map((body) => JSON.stringify(body).split("Subtract instead.").length - 1);
    expect(told).toEqual([0, 1, 1]);
    expect(
      (await replayed(stage, [await outcome])).map((one) => JSON.stringify(one.messages).includes("Subtract")),
    ).toEqual([false, true]);
  },
);
