import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createAnthropic as anthropic5 } from "ai-sdk-5-anthropic";
import { createOpenAICompatible as compatible6 } from "ai-sdk-6-compatible";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LanguageModel, type ModelRequest, modelOf } from "../../src/delivery/index.ts";
import { type Recorder, startRecorder } from "../../src/testing/strict/recorder.ts";
import { type Kind, speak } from "../../src/testing/strict/speech.ts";
import { ask, elsewhere } from "./loopback.ts";

let kind: Kind = "anthropic";
let recorder: Recorder;
const call = { id: "call_1", name: "add", input: '{"a": 1}' };
const usage = { input: 100, read: 60, written: 30, output: 10 };
beforeAll(async () => {
  recorder = await startRecorder({ answer: () => ({ body: speak(kind, { text: ["Hi."], calls: [call], usage }) }) });
});
afterAll(() => recorder.close());

const request: ModelRequest = {
  tools: [{ name: "add", description: "Adds.", input: { type: "object", properties: { a: { type: "number" } } } }],
  system: [{ text: "Be kind.", breakpoint: true }],
  messages: [
    { role: "user", text: "1?" },
    { role: "assistant", text: "", calls: [call] },
    { role: "tool", results: [{ call: "call_1", name: "add", output: "It broke.", failed: true }] },
  ],
};

describe("a model of the AI SDK is taken as it is", () => {
  const settings = () => ({ baseURL: `${recorder.url}/v1`, apiKey: "k" });
  const lastJson = () => JSON.parse(recorder.requests.at(-1)?.body ?? "");

  test("of AI SDK 5, whose streams end in plain words, and whose Anthropic counts only what is fresh", async () => {
    kind = "anthropic";
    const language = anthropic5(settings())("claude-opus-5-5");
    expect(language.specificationVersion).toBe("v2");
    const { answer, heard } = await ask(modelOf(language), request);
    expect(heard).toEqual(["Hi."]);
    expect(answer).toMatchObject({ text: "Hi.", calls: [call], finish: "tool-calls", usage });
    const { system, messages, tools } = lastJson();
    expect(tools).toMatchObject([{ name: "add", description: "Adds." }]);
    expect(system).toEqual([{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }]);
    expect(messages).toMatchObject([
      { role: "user", content: [{ type: "text", text: "1?" }] },
      { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "add", input: { a: 1 } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "It broke.", is_error: true }] },
    ]);
  });

  test("of AI SDK 6, whose packages would quote the JSON of a call once more", async () => {
    kind = "openai-compatible";
    const language = compatible6({ ...settings(), name: "lab" }).chatModel("qwen3");
    expect(language.specificationVersion).toBe("v3");
    const { answer } = await ask(modelOf(language), request);
    expect(answer).toMatchObject({ text: "Hi.", calls: [call], finish: "tool-calls" });
    expect(lastJson().messages[2]).toMatchObject({ tool_calls: [{ function: { name: "add", arguments: '{"a":1}' } }] });
  });
});

describe("what is known of its receiver", () => {
  const at = { baseURL: "http://127.0.0.1:9/v1", apiKey: "k" };
  const rows: [language: () => LanguageModel, name: string][] = [
    [() => createOpenAI(at)("gpt-5.6-terra"), "openai/gpt-5.6-terra"],
    [() => createOpenAI(at).chat("gpt-5.6-terra"), "openai-chat/gpt-5.6-terra"],
    [() => createAnthropic(at)("claude-opus-5-5"), "anthropic/claude-opus-5-5"],
    [() => createGoogle(at)("gemini-3.8-flash"), "google/gemini-3.8-flash"],
    [() => createOpenAICompatible({ ...at, name: "ollama" }).chatModel("qwen3"), "ollama/qwen3"],
    [() => createOpenAICompatible({ ...at, name: "lab" }).chatModel("qwen3"), "lab/qwen3"],
  ];
  for (const [language, name] of rows)
    test(`is what is known of ${name}`, () => expect(modelOf(language()).receiver).toEqual(elsewhere(name)));

  test("a provider guards itself at its own address, and only there", () => {
    const guards = (language: LanguageModel) => modelOf(language).receiver.guardsTokens ?? false;
    expect([createOpenAI({ apiKey: "k" })("gpt-5.6"), createOpenAI(at)("gpt-5.6")].map(guards)).toEqual([true, false]);
    expect(
      [createAnthropic({ apiKey: "k" })("claude-opus-5-5"), createAnthropic(at)("claude-opus-5-5")].map(guards),
    ).toEqual([true, false]);
    expect(
      [createGoogle({ apiKey: "k" })("gemini-3.8-flash"), createGoogle(at)("gemini-3.8-flash")].map(guards),
    ).toEqual([true, false]);
  });

  test("another service's copy of a model is another receiver", () => {
    const { modelId, specificationVersion, ...google } = createGoogle(at)("gemini-3.8-flash");
    const doStream = () => Promise.reject(new Error("not asked"));
    const vertex = { ...google, modelId, specificationVersion, doStream, provider: "google.vertex.chat" };
    expect(modelOf(vertex as never).receiver).toMatchObject({
      name: "google-vertex-chat/gemini-3.8-flash",
      price: null,
    });
  });
});
