import { expect, test } from "vitest";
import { splitModelName } from "../receiver.ts";
import { windowQuestion } from "./ask-window.ts";

type Pages = Readonly<Record<string, unknown>>;

/** Asks a server that has these pages: what it tells, and what it was asked. */
async function asked(name: string, pages: Pages, { baseURL = "http://127.0.0.1:9/v1", apiKey = "sk-own" } = {}) {
  const requests: string[] = [];
  const fetching = async (url: string | URL | Request, init?: RequestInit) => {
    const { pathname, search } = new URL(String(url));
    const headers = new Headers(init?.headers);
    requests.push(
      `${init?.method} ${url} ${["authorization", "x-goog-api-key", "x-api-key"].map((name) => headers.get(name) ?? "").join("")}`,
    );
    const page = pages[`${init?.method} ${pathname}${search}`];
    if (page === undefined) return new Response("404 page not found", { status: 404 });
    return page instanceof Response ? page : new Response(typeof page === "string" ? page : JSON.stringify(page));
  };
  const { provider: api, model } = splitModelName(name);
  const ask = windowQuestion({ api, model, baseURL, apiKey, headers: {}, fetch: fetching as typeof fetch });
  const tokens = await ask?.({ signal: new AbortController().signal });
  return { tokens, requests };
}

const llama = { "general.architecture": "llama", "llama.context_length": 131_072 };
const loaded = (context_length: number) => ({
  models: [{ name: "qwen3:latest", model: "qwen3:latest", context_length }],
});

const rows: readonly [story: string, name: string, pages: Pages, tokens: number | null][] = [
  [
    "Ollama: the Modelfile's num_ctx holds for whoever asks for nothing else",
    "ollama/qwen3",
    {
      "POST /api/show": {
        model_info: llama,
        parameters: 'stop      "x"\nnum_ctx                        16384\ntop_k 20',
      },
      "GET /api/ps": loaded(4096),
    },
    16_384,
  ],
  [
    "Ollama: no more than the model was trained with",
    "ollama/qwen3",
    { "POST /api/show": { model_info: { ...llama, "llama.context_length": 8192 }, parameters: "num_ctx 16384" } },
    8192,
  ],
  [
    "Ollama: what it loaded the model with, and not what that was trained with",
    "ollama/qwen3",
    { "POST /api/show": { model_info: llama }, "GET /api/ps": loaded(4096) },
    4096,
  ],
  [
    "Ollama: a model in its cloud has all of it",
    "ollama/qwen3",
    { "POST /api/show": { model_info: llama, remote_host: "https://ollama.com", remote_model: "qwen3" } },
    131_072,
  ],
  [
    "Ollama: of a model it cannot load nothing is known",
    "ollama/qwen3",
    { "POST /api/show": { model_info: llama } },
    null,
  ],
  ["Ollama: a model it does not have", "ollama/none", {}, null],
  [
    "llama.cpp: what a slot has",
    "openai-compatible/qwen3",
    {
      "GET /props?model=qwen3": { default_generation_settings: { n_ctx: 6144 }, total_slots: 4 },
      "GET /v1/models": { data: [{ id: "qwen3", meta: { n_ctx_train: 40_960 } }] },
    },
    6144,
  ],
  [
    "vLLM: the model of several that is meant",
    "openai-compatible/org/qwen3",
    {
      "GET /v1/models": {
        data: [
          { id: "other", max_model_len: 1 },
          { id: "org/qwen3", max_model_len: 32_768 },
        ],
      },
    },
    32_768,
  ],
  [
    "LM Studio: what the model is loaded with",
    "openai-compatible/qwen3",
    {
      "GET /api/v0/models": {
        data: [{ id: "qwen3", state: "loaded", max_context_length: 131_072, loaded_context_length: 4096 }],
      },
      "GET /v1/models": { data: [{ id: "qwen3" }] },
    },
    4096,
  ],
  [
    "LM Studio: nothing of one that is not loaded yet",
    "openai-compatible/qwen3",
    { "GET /api/v0/models": { data: [{ id: "qwen3", state: "not-loaded", max_context_length: 131_072 }] } },
    null,
  ],
  [
    "Groq's list",
    "openai-compatible/qwen3",
    { "GET /v1/models": { data: [{ id: "qwen3", context_window: 131_072 }] } },
    131_072,
  ],
  [
    "OpenRouter: the less of what the model and its first provider take; a variant has its model's",
    "openrouter/meta/llama:nitro",
    {
      "GET /v1/models": {
        data: [{ id: "meta/llama", context_length: 131_072, top_provider: { context_length: 65_536 } }],
      },
    },
    65_536,
  ],
  ["Anthropic", "anthropic/claude-new", { "GET /v1/models/claude-new": { max_input_tokens: 1_000_000 } }, 1_000_000],
  ["Google", "google/gemini-new", { "GET /v1/models/gemini-new": { inputTokenLimit: 1_048_576 } }, 1_048_576],
  [
    "vLLM where OpenAI is usually",
    "openai/qwen3",
    { "GET /v1/models": { data: [{ id: "qwen3", max_model_len: 8192 }] } },
    8192,
  ],
  ["no JSON", "openai-compatible/qwen3", { "GET /v1/models": "<html>" }, null],
  ["another JSON", "openai-compatible/qwen3", { "GET /v1/models": [null], "GET /props?model=qwen3": 7 }, null],
  [
    "no number",
    "openai-compatible/qwen3",
    { "GET /v1/models": { data: [null, { id: "qwen3", max_model_len: "8192" }] } },
    null,
  ],
  [
    "more than anyone would list",
    "openai-compatible/qwen3",
    { "GET /v1/models": `{"data":[{"id":"qwen3","max_model_len":8192}],"x":"${"x".repeat(17 * 1024 * 1024)}"}` },
    null,
  ],
];

test.each(rows)("%s", async (_story, name, pages, tokens) => {
  expect((await asked(name, pages)).tokens).toBe(tokens);
});

test("a model of Ollama's that is not loaded is loaded, and then asked about", async () => {
  let isLoaded = false;
  const pages = {
    "POST /api/show": { model_info: llama },
    get "GET /api/ps"() {
      return isLoaded ? loaded(32_768) : { models: [] };
    },
    get "POST /api/generate"() {
      isLoaded = true;
      return { model: "qwen3", response: "", done: true, done_reason: "load" };
    },
  };
  const { tokens, requests } = await asked("ollama/qwen3", pages);
  expect([tokens, requests.map((request) => request.split(" ").slice(0, 2).join(" "))]).toEqual([
    32_768,
    [
      "POST http://127.0.0.1:9/api/show",
      "GET http://127.0.0.1:9/api/ps",
      "POST http://127.0.0.1:9/api/generate",
      "GET http://127.0.0.1:9/api/ps",
    ],
  ]);
});

test("the key goes to the model's own address, and after no redirect", async () => {
  const elsewhere = new Response(null, { status: 307, headers: { location: "http://elsewhere.test/v1/models" } });
  const { tokens, requests } = await asked(
    "openai-compatible/qwen3",
    { "GET /proxy/v1/models": elsewhere },
    {
      baseURL: "http://127.0.0.1:9/proxy/v1",
    },
  );
  expect(tokens).toBeNull();
  expect(requests.toSorted()).toEqual([
    "GET http://127.0.0.1:9/proxy/api/v0/models Bearer sk-own",
    "GET http://127.0.0.1:9/proxy/props?model=qwen3 Bearer sk-own",
    "GET http://127.0.0.1:9/proxy/v1/models Bearer sk-own",
  ]);
  expect((await asked("anthropic/c", {})).requests).toEqual(["GET http://127.0.0.1:9/v1/models/c sk-own"]);
  expect((await asked("google/g", {})).requests).toEqual(["GET http://127.0.0.1:9/v1/models/g sk-own"]);
});

test("those that do not tell are not asked", () => {
  const question = { apiKey: "sk-own", headers: {}, model: "new", fetch: undefined };
  expect([
    windowQuestion({ ...question, api: "openai", baseURL: "https://api.openai.com/v1" }),
    windowQuestion({ ...question, api: "openai-chat", baseURL: "https://api.openai.com/v1" }),
  ]).toEqual([undefined, undefined]);
});

test("a server that cannot be reached, or whoever calls it off, tells nothing", async () => {
  const ask = windowQuestion({
    api: "ollama",
    model: "qwen3",
    headers: {},
    baseURL: "http://127.0.0.1:9/v1",
    apiKey: undefined,
    fetch: () => Promise.reject(new TypeError("fetch failed")),
  });
  expect(await ask?.({ signal: new AbortController().signal })).toBeNull();
  const hangs = windowQuestion({
    api: "openai-compatible",
    model: "qwen3",
    headers: {},
    baseURL: "http://127.0.0.1:9/v1",
    apiKey: undefined,
    fetch: (_url, init) =>
      new Promise((_done, failed) => init?.signal?.addEventListener("abort", () => failed(new Error("aborted")))),
  });
  const off = new AbortController();
  const told = hangs?.({ signal: off.signal });
  off.abort();
  expect(await told).toBeNull();
});
