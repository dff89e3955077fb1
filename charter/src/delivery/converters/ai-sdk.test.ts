import type { LanguageModelV4Content, LanguageModelV4Message } from "@ai-sdk/provider";
import { generateText, jsonSchema, type ModelMessage, streamText, tool } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";
import { expect, test } from "vitest";
import type { Answer, ModelRequest } from "../model.ts";
import { receiverOf } from "../receiver.ts";
import { fromAiSdk, toAiSdk } from "./ai-sdk.ts";

const receiver = receiverOf("anthropic/claude-sonnet-5-5");
const usage = {
  inputTokens: { total: 1000, noCache: 10, cacheRead: 900, cacheWrite: 90 },
  outputTokens: { total: 50, text: 50, reasoning: 0 },
};
const answeredContent: LanguageModelV4Content[] = [
  { type: "reasoning", text: "Two cities.", providerMetadata: { anthropic: { signature: "c2lnbmVk" } } },
  { type: "text", text: "One moment." },
  { type: "file", mediaType: "image/png", data: { type: "data", data: "iVBO" } },
  { type: "tool-call", toolCallId: "call_1", toolName: "weather", input: '{"city":"Bern"}' },
  { type: "tool-call", toolCallId: "call_2", toolName: "weather", input: '{"city":"Basel"}' },
];

/** Answers with calls first, then with a word. */
function twice() {
  const answers = [answeredContent, [{ type: "text", text: "Rain." }] satisfies LanguageModelV4Content[]];
  return new MockLanguageModelV4({
    doGenerate: async () => {
      const content = answers.shift() ?? [];
      const unified = answers.length > 0 ? "tool-calls" : "stop";
      return { content, finishReason: { unified, raw: undefined }, usage, warnings: [] };
    },
  });
}

const weather = tool({
  description: "Tells the weather.",
  inputSchema: jsonSchema<{ city: string }>({ type: "object" }),
  execute: ({ city }) => `Rain in ${city}.`,
});

async function ownLoop() {
  const model = twice();
  const result = await generateText({
    model,
    prompt: "How is the weather?",
    tools: { weather },
    stopWhen: ({ steps }) => steps.length === 2,
  });
  return { result, sent: model.doGenerateCalls.map(({ prompt }) => prompt) };
}

test("a step of the AI SDK is an answer, with its reasoning and files", async () => {
  const { result } = await ownLoop();
  const native = {
    model: "anthropic/claude-sonnet-5-5",
    content: [
      { type: "reasoning", text: "Two cities.", providerOptions: { anthropic: { signature: "c2lnbmVk" } } },
      { type: "text", text: "One moment." },
      { type: "file", mediaType: "image/png", data: { type: "data", data: "iVBO" } },
      { type: "tool-call", toolCallId: "call_1", toolName: "weather", input: '{"city":"Bern"}' },
      { type: "tool-call", toolCallId: "call_2", toolName: "weather", input: '{"city":"Basel"}' },
    ],
  };
  const counted = { input: 1000, read: 900, written: 90, output: 50 };
  expect(result.steps.map((step) => fromAiSdk(step, receiver))).toEqual([
    {
      text: "One moment.",
      calls: [
        { id: "call_1", name: "weather", input: '{"city":"Bern"}' },
        { id: "call_2", name: "weather", input: '{"city":"Basel"}' },
      ],
      finish: "tool-calls",
      usage: counted,
      native,
    },
    { text: "Rain.", calls: [], finish: "stop", usage: counted },
  ]);
  expect(() => fromAiSdk(result, receiver)).toThrow("What fromAiSdk was given is 2 steps in one.");
});

const requestAfter = ({ text, calls, native }: Pick<Answer, "text" | "calls" | "native">): ModelRequest => ({
  tools: [],
  system: [{ text: "Be kind.", breakpoint: true }],
  messages: [
    {
      role: "user",
      text: "How is the weather?",
      attachments: [{ mediaType: "image/png", bytes: 3, digest: "d1", data: "iVBO" }],
    },
    { role: "assistant", text, calls, native },
    {
      role: "tool",
      results: calls.map(({ id, name, input }) => ({
        call: id,
        name,
        output: `Rain in ${JSON.parse(input).city}.`,
      })),
      breakpoint: true,
    },
    { role: "user", text: "[system ab12] It is noon." },
  ],
  answerTokens: 300,
});

test("a request with pictures, calls, results and reasoning sends what the SDK itself would send back", async () => {
  const { result, sent } = await ownLoop();
  const settings = toAiSdk(requestAfter(fromAiSdk(result.steps[0] as never, receiver)), receiver);
  const messages: ModelMessage[] = settings.messages;
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "system"]);
  const model = twice();
  await generateText({ model, ...settings });
  const [call] = model.doGenerateCalls;
  const mark = { anthropic: { cacheControl: { type: "ephemeral" } } };
  const [, answer, results] = sent[1] as LanguageModelV4Message[];
  const told = results as Extract<LanguageModelV4Message, { role: "tool" }>;
  const [user, ...rest] = call?.prompt.slice(1) ?? [];
  expect(call?.maxOutputTokens).toBe(300);
  expect(user?.content).toMatchObject([
    { type: "file", mediaType: "image/png" },
    { type: "text", text: "How is the weather?" },
  ]);
  expect(rest[0]).toEqual(answer);
  expect(rest[1]?.content).toEqual([told.content[0], { ...told.content[1], providerOptions: mark }]);
});

test("another model is sent text and calls alone", async () => {
  const { result } = await ownLoop();
  const request = requestAfter(fromAiSdk(result.steps[0] as never, receiver));
  expect(toAiSdk(request, receiverOf("anthropic/claude-opus-5-5")).messages[1]).toEqual({
    role: "assistant",
    content: [
      { type: "text", text: "One moment." },
      { type: "tool-call", toolCallId: "call_1", toolName: "weather", input: { city: "Bern" } },
      { type: "tool-call", toolCallId: "call_2", toolName: "weather", input: { city: "Basel" } },
    ],
  });
});

test("what the provider ran itself is kept, and is no call of ours", async () => {
  const content: LanguageModelV4Content[] = [
    {
      type: "tool-call",
      toolCallId: "srv_1",
      toolName: "web_search",
      input: '{"query":"rain"}',
      providerExecuted: true,
    },
    { type: "tool-result", toolCallId: "srv_1", toolName: "web_search", result: [{ url: "https://rain.example" }] },
    { type: "text", text: "Rain." },
  ];
  const finishReason = { unified: "stop", raw: undefined } as const;
  const model = new MockLanguageModelV4({ doGenerate: { content, finishReason, usage, warnings: [] } });
  const search = { type: "provider", id: "a.web_search", args: {}, isProviderExecuted: true } as never;
  const { finalStep } = await generateText({ model, prompt: "Hello.", tools: { web_search: search } });
  const answer = fromAiSdk(finalStep, receiver);
  expect(answer).toMatchObject({ text: "Rain.", calls: [], finish: "stop" });
  const messages = [
    { role: "assistant", text: answer.text, calls: [], native: answer.native, breakpoint: true },
  ] as const;
  expect(toAiSdk({ tools: [], system: [], messages }, receiver).messages[0]?.content).toMatchObject([
    { type: "tool-call", toolCallId: "srv_1", input: { query: "rain" }, providerExecuted: true },
    { type: "tool-result", toolCallId: "srv_1", toolName: "web_search" },
    { type: "text", text: "Rain." },
  ]);
});

test("a stream is read by its steps, and refused as it is", async () => {
  const model = new MockLanguageModelV4({
    doStream: {
      stream: convertArrayToReadableStream([
        { type: "text-start", id: "1" },
        { type: "text-delta", id: "1", delta: "Rain." },
        { type: "text-end", id: "1" },
        { type: "finish", finishReason: { unified: "stop", raw: undefined }, usage },
      ]),
    },
  });
  const result = streamText({ model, prompt: "Hello." });
  const steps = await result.steps;
  expect(steps.map((step) => fromAiSdk(step, receiver).text)).toEqual(["Rain."]);
  expect(() => fromAiSdk(result as never, receiver)).toThrow("What fromAiSdk was given is a stream.");
});

test("an answer that its provider interrupted says so, with the reasoning that was left out", () => {
  const inputTransformations = [
    { type: "thinking_dropped", path: "messages.1.content.0", reason: "model_binding_mismatch" },
  ];
  const step = {
    ...{
      finishReason: "stop",
      rawFinishReason: "pause_turn",
      providerMetadata: { anthropic: { inputTransformations } },
    },
    usage: { inputTokens: 3, outputTokens: 1 },
    response: { messages: [{ role: "assistant", content: "Let me see." }] },
  };
  expect(fromAiSdk(step, receiverOf("anthropic/claude-sonnet-5-5"))).toEqual({
    ...{ text: "Let me see.", calls: [], finish: "pause", dropped: inputTransformations },
    usage: { input: 3, read: null, written: null, output: 1 },
  });
});
