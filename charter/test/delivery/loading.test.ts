import { expect, test } from "vitest";
import { modelOf } from "../../src/delivery/models/language.ts";
import { defaultModelName, type Environment, loadModel } from "../../src/delivery/models/provider.ts";
import { receiverOf } from "../../src/delivery/receiver.ts";
import { startRecorder } from "../../src/testing/strict/recorder.ts";
import { speak } from "../../src/testing/strict/speech.ts";
import { ask, elsewhere, environmentAt, hello, key, modelAt } from "./loopback.ts";

const problems: readonly [name: string, env: Environment, code: string, message: string, hint: string][] = [
  [
    "anthropic/claude-opus-5-5",
    {},
    "needs-key",
    "“anthropic/claude-opus-5-5” needs a key, and ANTHROPIC_API_KEY is not set.",
    "Set ANTHROPIC_API_KEY, or use “stand-in/scripted”, which needs none.",
  ],
  [
    "google/gemini-3.8-flash",
    { GEMINI_API_KEY: " " },
    "needs-key",
    "“google/gemini-3.8-flash” needs a key, and GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY is not set.",
    "Set GOOGLE_GENERATIVE_AI_API_KEY, or use “stand-in/scripted”, which needs none.",
  ],
  [
    "openai-compatible/qwen3",
    {},
    "needs-address",
    "Where “openai-compatible/qwen3” is served is not known: OPENAI_COMPATIBLE_BASE_URL is not set.",
    "Set OPENAI_COMPATIBLE_BASE_URL to the server's address, like http://localhost:8000/v1.",
  ],
  [
    "ollama/llama3.3",
    { OLLAMA_BASE_URL: "localhost:11434" },
    "bad-address",
    "OLLAMA_BASE_URL is “localhost:11434”, which is no address of a server.",
    "Give one that begins with http:// or https://.",
  ],
  ["gpt-5", {}, "unknown-model", "“gpt-5” does not say which provider it is of.", "Name it “openai/gpt-5”."],
  [
    "llama",
    {},
    "unknown-model",
    "“llama” does not say which provider it is of.",
    "Name it as provider/model, with one of the providers “anthropic”, “openai”, “openai-chat”, “google”, “openrouter”, “azure”, “ollama”, “openai-compatible”, “stand-in”.",
  ],
  [
    "mistral/large",
    {},
    "unknown-model",
    "There is no provider “mistral” for the model “mistral/large”.",
    expect.stringContaining("provider/model"),
  ],
  [
    "openai/",
    { OPENAI_API_KEY: "k" },
    "unknown-model",
    "“openai/” names no model of “openai”.",
    expect.stringContaining("provider/model"),
  ],
  [
    "acp/claude",
    {},
    "unknown-model",
    "“acp/claude” is an agent over ACP, and loadModel knows no command for it.",
    "Describe it in `acp` of charter.config.ts or of createHost; in a program of your own, load it with createAcpModels of charter/host.",
  ],
  ["stand-in/clever", {}, "unknown-model", expect.stringContaining("stand-in/clever"), expect.anything()],
  ["toString/x", {}, "unknown-model", expect.stringContaining("toString"), expect.anything()],
];
for (const [name, env, code, message, hint] of problems)
  test(`${name} with ${JSON.stringify(env)} is a problem: ${code}`, () =>
    expect(loadModel(name, { env })).rejects.toMatchObject({ code, message, hint }));

const defaults: readonly [env: Environment, name: string][] = [
  [{}, "stand-in/scripted"],
  [{ ANTHROPIC_API_KEY: "", OPENAI_API_KEY: " " }, "stand-in/scripted"],
  [{ OPENAI_COMPATIBLE_BASE_URL: "http://localhost:8000/v1" }, "stand-in/scripted"],
  [{ ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" }, "anthropic/claude-sonnet-5-5"],
  [{ OPENAI_API_KEY: "k", GEMINI_API_KEY: "k" }, "openai/gpt-6.1-sol"],
  [{ GEMINI_API_KEY: "k" }, "google/gemini-3.8-flash"],
  [{ OPENROUTER_API_KEY: "k" }, "openrouter/anthropic/claude-sonnet-5.5"],
];
for (const [env, name] of defaults)
  test(`with ${JSON.stringify(env)} the default is ${name}`, () => expect(defaultModelName(env)).toBe(name));

test("the stand-in is a model like any other", async () => {
  for (const name of ["stand-in", "stand-in/scripted"]) {
    const model = await loadModel(name, { env: {} });
    expect(model.receiver.name).toBe("stand-in/scripted");
    expect((await ask(model, hello)).answer?.finish).toBe("stop");
  }
  const { receiver } = await loadModel("stand-in", { env: {}, overrides: { slots: "one-string" } });
  expect(receiver.slots).toBe("one-string");
});

const paths: readonly [name: string, path: string, header: string, value: string | undefined][] = [
  ["anthropic/claude-opus-5-5", "/v1/messages", "x-api-key", key],
  ["openai/gpt-5.6", "/v1/responses", "authorization", `Bearer ${key}`],
  ["openai-chat/gpt-5.6", "/v1/chat/completions", "authorization", `Bearer ${key}`],
  ["google/gemini-4-argon", "/v1beta/models/gemini-4-argon:streamGenerateContent?alt=sse", "x-goog-api-key", key],
  ["openrouter/qwen/qwen3", "/api/v1/chat/completions", "authorization", `Bearer ${key}`],
  ["ollama/llama3.3", "/v1/chat/completions", "authorization", undefined],
  ["openai-compatible/org/qwen3", "/v1/chat/completions", "authorization", undefined],
];
for (const [name, path, header, value] of paths)
  test(`${name} is asked at ${path}, with its key in ${header}`, async () => {
    const recorder = await startRecorder({ answer: [] });
    const model = await modelAt(recorder.url, name);
    await ask(model, hello);
    await recorder.close();
    expect(model.receiver).toEqual(elsewhere(name));
    expect(recorder.requests.map((request) => [request.path, request.headers[header]])).toEqual([[path, value]]);
  });

test("an address with a path of its own is taken as it is", async () => {
  const recorder = await startRecorder({ answer: [] });
  const env = { ...environmentAt(recorder.url), OPENAI_COMPATIBLE_BASE_URL: `${recorder.url}/llm/v3/` };
  await ask(await loadModel("openai-compatible/qwen3", { env }), hello);
  await recorder.close();
  expect(recorder.requests[0]?.path).toBe("/llm/v3/chat/completions");
});

test("the environment of the process is not looked at", async () => {
  const recorder = await startRecorder({ answer: [] });
  process.env.ANTHROPIC_BASE_URL = recorder.url;
  const never: typeof fetch = async (url) => {
    throw new TypeError("fetch failed", { cause: new Error(`not to ${new URL(String(url)).host}`) });
  };
  const model = await loadModel("anthropic/claude-opus-5-5", { env: { ANTHROPIC_API_KEY: "k" }, fetch: never });
  const { fault } = await ask(model, hello);
  delete process.env.ANTHROPIC_BASE_URL;
  await recorder.close();
  expect(fault?.message).toBe(
    "“anthropic/claude-opus-5-5” cannot be reached: Cannot connect to API: not to api.anthropic.com",
  );
});

test("a host may bring an AI SDK model of its own", async () => {
  const recorder = await startRecorder({ answer: [{ body: speak("anthropic", { text: ["Hi."] }) }] });
  const { createAnthropic } = await import("@ai-sdk/anthropic");
  const language = createAnthropic({ baseURL: `${recorder.url}/v1`, apiKey: "k" })("claude-opus-5-5");
  const model = modelOf(language, receiverOf("anthropic/claude-opus-5-5", { window: 10_000 }));
  expect(model.receiver.window).toBe(10_000);
  expect((await ask(model, { ...hello, system: [{ text: "Be kind.", breakpoint: true }] })).answer?.text).toBe("Hi.");
  await recorder.close();
  expect(JSON.parse(recorder.requests[0]?.body ?? "").system).toEqual([
    { type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } },
  ]);
});
