import type { LanguageModelV4Content, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { experimental_createSteering, generateText, streamText } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";
import { expect, test } from "vitest";
import { charterFor } from "../../../src/agent/sdk/index.ts";
import { staged } from "./sdk-stage.ts";

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

test("a message that steers a turn in its midst is not taken, and the SDK says so", async () => {
  const call = { id: "1", name: "add", input: "{}" };
  const { ada } = await staged([{ calls: [call] }, { text: ["Three."] }]);
  const steering = experimental_createSteering();
  const { settings, outcome } = await ada.turn({ input: "Add.", user: "eva" });
  const early = steering.steer("Subtract instead.");
  const late = steering.queue("And now?");
  await generateText({ ...settings, experimental_steering: steering });
  expect([await early, await late]).toMatchObject([
    { reason: "removed-by-prepare-step" },
    { reason: "stop-condition" },
  ]);
  expect(await outcome).toMatchObject({ reply: "Three." });
});
