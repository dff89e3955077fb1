import { expect, test } from "vitest";
import type { ModelRequest } from "../../src/delivery/model.ts";
import type { ModelConfig, ModelTable } from "../../src/delivery/models/model-entry.ts";
import { defaultModelName, loadModel, modelAddress } from "../../src/delivery/models/provider.ts";
import { replayBody } from "../../src/delivery/models/replay-body.ts";
import { receiverOf } from "../../src/delivery/receiver.ts";
import { type Recorder, startRecorder } from "../../src/testing/strict/recorder.ts";
import { type Kind, speak } from "../../src/testing/strict/speech.ts";
import { ask, elsewhere, hello, key } from "./loopback.ts";

/** Asks a model of a table whose server is the loopback: what came over the wire, and what was answered. */
async function asked(entry: (url: string) => ModelConfig, kind: Kind, request: ModelRequest = hello, env = {}) {
  const recorder: Recorder = await startRecorder({ answer: () => ({ body: speak(kind, { text: ["Hi."] }) }) });
  const models = { own: entry(recorder.url) };
  const model = await loadModel("own", { env, models });
  const result = await ask(model, request);
  await recorder.close();
  const [sent] = recorder.requests;
  const body = JSON.parse(sent?.body ?? "null");
  return { model, result, sent, body, url: recorder.url, models };
}

const protocols: readonly [api: ModelConfig["api"], kind: Kind, path: string, header: string, value: string][] = [
  ["openai-compatible", "openai-compatible", "/v1/chat/completions", "authorization", `Bearer ${key}`],
  ["ollama", "openai-compatible", "/v1/chat/completions", "authorization", `Bearer ${key}`],
  ["openrouter", "openai-compatible", "/api/v1/chat/completions", "authorization", `Bearer ${key}`],
  ["azure", "openai-compatible", "/openai/v1/chat/completions", "api-key", key],
  ["openai", "openai", "/v1/responses", "authorization", `Bearer ${key}`],
  ["openai-chat", "openai-chat", "/v1/chat/completions", "authorization", `Bearer ${key}`],
  ["anthropic", "anthropic", "/v1/messages", "x-api-key", key],
  ["google", "google", "/v1beta/models/one:streamGenerateContent?alt=sse", "x-goog-api-key", key],
];
for (const [api, kind, path, header, value] of protocols)
  test(`a model of the table is asked by the protocol ${api}, with its key, its headers and its own name`, async () => {
    const { sent, body, result, model, url } = await asked(
      (base) => ({ base, api: api as "openai", model: "one", key: "$OWN_KEY", headers: { "x-team": "$TEAM" } }),
      kind,
      hello,
      { OWN_KEY: key, TEAM: "ada" },
    );
    expect([sent?.path, sent?.headers[header], sent?.headers["x-team"]]).toEqual([path, value, "ada"]);
    expect(api === "azure" ? sent?.headers.authorization : undefined).toBe(undefined);
    expect(api === "google" ? "one" : body.model).toBe("one");
    expect([result.answer?.text, model.receiver.name]).toEqual(["Hi.", "own"]);
    expect(model.address).toBe(new URL(path, url).href.replace(/\/(?:chat|responses|messages|models).*$/, ""));
  });

const settings: readonly [api: ModelConfig["api"], kind: Kind, wanted: object][] = [
  ["openai-compatible", "openai-compatible", { max_tokens: 900, reasoning_effort: "low" }],
  ["azure", "openai-compatible", { max_completion_tokens: 900, reasoning_effort: "low" }],
  ["openai", "openai", { max_output_tokens: 900, reasoning: { effort: "low" } }],
  ["openai-chat", "openai-chat", { max_completion_tokens: 900, reasoning_effort: "low" }],
  ["google", "google", { generationConfig: { maxOutputTokens: 900, thinkingConfig: { thinkingLevel: "low" } } }],
];
for (const [api, kind, wanted] of settings)
  test(`the most of an answer and how much is thought are sent as ${api} calls them`, async () => {
    const model = api === "google" ? "gemini-3.8-flash" : "gpt-5.6-terra";
    const { body } = await asked(
      (base) => ({ base, api: api as "openai", model, key: "k", output: 900, reasoning: "low" }),
      kind,
    );
    expect(body).toMatchObject(wanted);
    expect(api === "azure" ? body.max_tokens : undefined).toBe(undefined);
  });

test("a request may say less than that of its own answer", async () => {
  const sent = async (output: number | undefined, answerTokens: number) => {
    const entry = (base: string) => ({ base, api: "openai-compatible" as const, model: "one", key: "k" });
    const request = { ...hello, answerTokens };
    return (await asked((base) => ({ ...entry(base), ...(output && { output }) }), "openai-compatible", request)).body;
  };
  expect([(await sent(900, 7)).max_tokens, (await sent(undefined, 7)).max_tokens]).toEqual([7, 7]);
});

test("Anthropic is told both in its own words", async () => {
  const { body } = await asked(
    (base) => ({ base, api: "anthropic", model: "claude-opus-5-5", key: "k", output: 9000, reasoning: "low" }),
    "anthropic",
  );
  expect([body.max_tokens, body.thinking?.type, body.output_config?.effort]).toEqual([9000, "adaptive", "low"]);
});

test("window, price, slots and cache are what the receiver is known by", async () => {
  const cache = { kind: "prefix", min: 1024, granularity: 128, ttlSeconds: 300 };
  const { model } = await asked(
    (base) => ({
      base,
      window: 8192,
      price: { input: 1, output: 3, read: 0.1 },
      slots: "one-string",
      cache: "prefix",
      roles: "alternate",
      attachments: [],
    }),
    "openai-compatible",
  );
  expect(model.receiver).toEqual({
    ...receiverOf("openai-compatible/own"),
    name: "own",
    window: 8192,
    price: { input: 1, read: 0.1, write: 1, output: 3 },
    slots: "one-string",
    cache,
    roles: "alternate",
    attachments: [],
    voice: "user",
  });
});

test("cache marks go to Claude behind OpenRouter under any name of the table", async () => {
  const { body } = await asked(
    (base) => ({ base, api: "openrouter", model: "anthropic/claude-sonnet-5.5", key: "k" }),
    "openai-compatible",
    { ...hello, system: [{ text: "Be kind.", breakpoint: true }] },
  );
  expect(body.messages[0].content).toEqual([{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }]);
});

test("the query of an address goes with every request", async () => {
  const { sent } = await asked(
    (url) => ({ base: `${url}/openai/deployments/gpt?api-version=2026-10-01`, api: "azure", key: "k" }),
    "openai-compatible",
  );
  expect(sent?.path).toBe("/openai/deployments/gpt/chat/completions?api-version=2026-10-01");
});

test("a provider's key goes to the provider alone, unless the entry names it", async () => {
  const env = { OPENAI_API_KEY: key, ANTHROPIC_API_KEY: key, OPENROUTER_API_KEY: key };
  const kinds = { openai: "openai", anthropic: "anthropic", openrouter: "openai-compatible" } as const;
  for (const api of ["openai", "anthropic", "openrouter"] as const) {
    const { sent } = await asked((base) => ({ base, api }), kinds[api], hello, env);
    expect(JSON.stringify(sent?.headers)).not.toContain(key);
  }
  const { sent } = await asked((base) => ({ base, api: "openai", key: "$OPENAI_API_KEY" }), "openai", hello, env);
  expect(sent?.headers.authorization).toBe(`Bearer ${key}`);
});

test("the protocol of a well-known address need not be named", () => {
  const address = (base: string, env = {}) => modelAddress("own", { env, models: { own: { base } } });
  expect([
    address("https://ada.openai.azure.com"),
    address("http://localhost:11434"),
    address("https://openrouter.ai"),
    address("https://generativelanguage.googleapis.com"),
    address("http://localhost:8000"),
  ]).toEqual([
    "https://ada.openai.azure.com/openai/v1",
    "http://localhost:11434/v1",
    "https://openrouter.ai/api/v1",
    "https://generativelanguage.googleapis.com/v1beta",
    "http://localhost:8000/v1",
  ]);
});

const problems: readonly [entry: ModelConfig, message: string, hint: string][] = [
  [
    { base: "http://localhost:8000", key: "$OWN_KEY" },
    "“own” needs a key, and OWN_KEY is not set.",
    "Set OWN_KEY, or use “stand-in/scripted”, which needs none.",
  ],
  [
    { api: "anthropic", model: "claude-opus-5-5" },
    "“own” needs a key, and ANTHROPIC_API_KEY is not set.",
    "Set ANTHROPIC_API_KEY, or use “stand-in/scripted”, which needs none.",
  ],
  [
    { base: "http://localhost:8000", headers: { "x-key": { env: "TEAM" } } },
    "“own” needs the header “x-key”, and TEAM is not set.",
    "Set TEAM, or change the header where “own” is described.",
  ],
];
for (const [entry, message, hint] of problems)
  test(message, () =>
    expect(loadModel("own", { env: {}, models: { own: entry } })).rejects.toMatchObject({
      code: "needs-key",
      message,
      hint,
    }),
  );

test("a name in the table is taken before a provider's, the first of it is the default, others are told of it", async () => {
  const models: ModelTable = { "openai/gpt-5": { base: "http://localhost:8000/v1" } };
  expect((await loadModel("openai/gpt-5", { env: {}, models })).address).toBe("http://localhost:8000/v1");
  expect(defaultModelName({ OPENAI_API_KEY: "k" }, models)).toBe("openai/gpt-5");
  await expect(loadModel("qwen", { env: {}, models })).rejects.toMatchObject({
    hint: expect.stringMatching(/Those of your own are “openai\/gpt-5”\.$/),
  });
});

test("a model of the AI SDK has the name of the table, and what is known of it", async () => {
  const recorder = await startRecorder({ answer: [{ body: speak("anthropic", { text: ["Hi."] }) }] });
  const { createAnthropic } = await import("@ai-sdk/anthropic");
  const language = createAnthropic({ baseURL: `${recorder.url}/v1`, apiKey: "k" })("claude-opus-5-5");
  const model = await loadModel("opus", { env: {}, models: { opus: language } });
  expect(model.receiver).toEqual({ ...elsewhere("anthropic/claude-opus-5-5"), name: "opus" });
  expect((await ask(model, hello)).answer?.text).toBe("Hi.");
  await recorder.close();
});

test("a body is made again from the table, byte for byte, and no key stands in it", async () => {
  const entry = (base: string): ModelConfig => ({
    ...{ base, model: "one", key, output: 900, reasoning: "low", roles: "alternate", cache: "prefix" },
    headers: { "x-token": "very-secret", "x-team": "$TEAM" },
  });
  const request: ModelRequest = { ...hello, messages: [...hello.messages, { role: "user", text: "Now." }] };
  const { result, models } = await asked(entry, "openai-compatible", request, { TEAM: "ada" });
  const body = await replayBody("own", request, result.sent ?? null, { env: { TEAM: "ada" }, models });
  expect(body?.same).toBe(true);
  expect(JSON.stringify(body)).not.toContain(key);
  expect(body?.headers).toMatchObject({
    authorization: "Bearer $API_KEY",
    "x-token": "$API_KEY",
    "x-team": "$TEAM",
  });
});

test("roles that must alternate do, and no word is lost", async () => {
  const request: ModelRequest = {
    tools: [],
    system: [{ text: "Be kind." }],
    messages: [
      { role: "assistant", text: "Good morning.", calls: [] },
      { role: "assistant", text: "It rains.", calls: [] },
      { role: "user", text: "Hello" },
      { role: "system", text: "The rules changed." },
      { role: "user", text: "What time is it?" },
      { role: "assistant", text: "", calls: [{ id: "1", name: "clock", input: "{}" }] },
      { role: "tool", results: [{ call: "1", name: "clock", output: "Noon." }] },
      { role: "user", text: "State: sunny." },
    ],
  };
  const { body } = await asked((base) => ({ base, roles: "alternate" }), "openai-compatible", request);
  expect(
    body.messages.map(({ role, content, tool_calls }: Record<string, unknown>) => [
      role,
      tool_calls ? "call" : content,
    ]),
  ).toEqual([
    ["system", "Be kind."],
    ["user", "(Nothing was said before this.)"],
    ["assistant", "Good morning.\n\nIt rains."],
    ["user", "Hello\n\nThe rules changed.\n\nWhat time is it?"],
    ["assistant", "call"],
    ["tool", "Noon.\n\nState: sunny."],
  ]);
});
