import { setTimeout as sleep } from "node:timers/promises";
import { type RecordedRequest, type Recorder, type Reply, startRecorder } from "../../src/testing/strict/recorder.ts";
import { type Kind, type Speech, speak } from "../../src/testing/strict/speech.ts";
import { type ContextProvider, contextRefusals } from "./context-refusal.ts";
import { key } from "./loopback.ts";

/** A request for an answer, as the server sees it: how often it was asked before, and the tokens it counts in it. */
export type ContextRequest = { readonly index: number; readonly tokens: number; readonly recorded: RecordedRequest };

export type ContextServerOptions = {
  readonly provider: ContextProvider;
  /** The most tokens a request may have, as this server counts them. */
  readonly window: number;
  /** What is answered to what fits; a word or two, unless given. `usage` in it replaces what was counted. */
  readonly say?: (request: ContextRequest) => Speech;
  /** It says nothing of what was used. */
  readonly withoutUsage?: true;
  /** Each answer, and each refusal, takes so long to begin. */
  readonly slowMs?: number;
  /** Ollama's own way with most models: what is too long is cut, and answered with 200. */
  readonly truncates?: true;
  /** It does not say what its window is when it is asked. */
  readonly silent?: true;
  /** Ollama and LM Studio: the model is loaded with the first request only. */
  readonly unloaded?: true;
  /** The name it serves its model under, if it is another. */
  readonly served?: string;
  /** What it has to say to a request before anything else: a wrong key, a wrong name. */
  readonly refuses?: (request: RecordedRequest) => Reply | undefined;
  /** Tokens of a text; a quarter of its characters, unless given. */
  readonly count?: (text: string) => number;
};

export type ContextServer = Recorder & {
  /** The model's name, as `loadModel` and `--model` take it. */
  readonly model: string;
  /** The variables with which that model is found here. */
  readonly env: Readonly<Record<string, string>>;
  /** The tokens of every request for an answer, in order; which were refused, and which cut. */
  readonly asked: readonly { readonly tokens: number; readonly became: "answered" | "refused" | "cut" }[];
};

const faces: Readonly<Record<ContextProvider, { kind: Kind; model: string; variable: string; key?: string }>> = {
  openai: { kind: "openai", model: "openai/own-1", variable: "OPENAI_BASE_URL", key: "OPENAI_API_KEY" },
  "openai-chat": {
    kind: "openai-chat",
    model: "openai-chat/own-1",
    variable: "OPENAI_BASE_URL",
    key: "OPENAI_API_KEY",
  },
  anthropic: { kind: "anthropic", model: "anthropic/own-1", variable: "ANTHROPIC_BASE_URL", key: "ANTHROPIC_API_KEY" },
  google: { kind: "google", model: "google/own-1", variable: "GOOGLE_BASE_URL", key: "GEMINI_API_KEY" },
  ollama: { kind: "openai-compatible", model: "ollama/own:1b", variable: "OLLAMA_BASE_URL" },
  vllm: { kind: "openai-compatible", model: "openai-compatible/own-1", variable: "OPENAI_COMPATIBLE_BASE_URL" },
  "llama.cpp": { kind: "openai-compatible", model: "openai-compatible/own-1", variable: "OPENAI_COMPATIBLE_BASE_URL" },
  "old-llama.cpp": {
    kind: "openai-compatible",
    model: "openai-compatible/own-1",
    variable: "OPENAI_COMPATIBLE_BASE_URL",
  },
  "lm-studio": { kind: "openai-compatible", model: "openai-compatible/own-1", variable: "OPENAI_COMPATIBLE_BASE_URL" },
  azure: {
    kind: "openai-compatible",
    model: "azure/own-1",
    variable: "AZURE_OPENAI_ENDPOINT",
    key: "AZURE_OPENAI_API_KEY",
  },
  openrouter: {
    kind: "openai-compatible",
    model: "openrouter/own/own-1",
    variable: "OPENROUTER_BASE_URL",
    key: "OPENROUTER_API_KEY",
  },
};

/**
 * A server on the loopback with a window: it streams an answer to what fits, refuses what does not in the words of the
 * real one, and tells its window where the real one would.
 */
export async function startContextServer(options: ContextServerOptions): Promise<ContextServer> {
  const { provider, window, say = () => ({ text: ["All ", "right."] }), slowMs = 0 } = options;
  const face = faces[provider];
  const served = options.served ?? face.model.slice(face.model.indexOf("/") + 1);
  const asked: { tokens: number; became: "answered" | "refused" | "cut" }[] = [];
  let loaded = !options.unloaded;
  const answer = async (recorded: RecordedRequest): Promise<Reply> => {
    const refused = options.refuses?.(recorded);
    if (refused) return refused;
    const told = tells(options, served, recorded, loaded);
    if (/\/api\/generate$/.test(recorded.path)) loaded = true;
    if (told) return told;
    if (recorded.method !== "POST" || !/(?:completions|responses|messages|Content)/.test(recorded.path))
      return { status: 404, body: "404 page not found" };
    if (slowMs > 0) await sleep(slowMs);
    loaded = true;
    const tokens = tokensIn(recorded, options.count);
    const fits = tokens <= window;
    asked.push({ tokens, became: fits ? "answered" : options.truncates ? "cut" : "refused" });
    if (!fits && !options.truncates) {
      const refusal = contextRefusals[provider]({ tokens, window, model: served });
      return "events" in refusal
        ? { body: refusal.events }
        : { status: refusal.status, body: JSON.stringify(refusal.body) };
    }
    const said: Speech = say({ index: asked.length - 1, tokens, recorded });
    const words = [...(said.text ?? []), ...(said.calls ?? []).map(({ input }) => input)].join("");
    const usage = {
      input: Math.min(tokens, window),
      read: 0,
      written: 0,
      output: Math.max(1, Math.ceil(words.length / 4)),
    };
    const events = speak(face.kind, { usage, ...said });
    return { body: options.withoutUsage ? withoutUsage(events) : events };
  };
  const recorder = await startRecorder({ answer });
  return {
    ...recorder,
    model: face.model,
    env: { [face.variable]: recorder.url, ...(face.key ? { [face.key]: key } : {}) },
    asked,
  };
}

/** The events without a word of what was used. */
function withoutUsage(events: readonly string[]): string[] {
  return events.flatMap((event) => {
    const said = /^data: (\{.*\})\n\n$/s.exec(event)?.[1];
    if (said === undefined) return [event];
    const { usage: _usage, usageMetadata: _metadata, ...rest } = JSON.parse(said) as Record<string, unknown>;
    const choices = rest.choices as readonly unknown[] | undefined;
    // The last of OpenAI's chat holds nothing else.
    if (choices?.length === 0) return [];
    for (const inner of ["message", "response"]) {
      const held = rest[inner] as Record<string, unknown> | undefined;
      if (held?.usage)
        rest[inner] = { ...held, usage: inner === "message" ? { input_tokens: 0, output_tokens: 0 } : null };
    }
    return [`data: ${JSON.stringify(rest)}\n\n`];
  });
}

/** Everything in a request that a model reads: the texts of its messages, its instructions and its tools. */
export function tokensIn({ body }: Pick<RecordedRequest, "body">, count = (text: string) => text.length / 4): number {
  const { messages, system, input, instructions, contents, systemInstruction, tools } = JSON.parse(body);
  return Math.ceil(
    count(textsIn([system, instructions, systemInstruction, messages, input, contents, tools]).join("")),
  );
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** What the real ones answer to whoever asks about the model. */
function tells(
  { provider, window, silent }: ContextServerOptions,
  model: string,
  { method, path }: RecordedRequest,
  loaded: boolean,
): Reply | undefined {
  const at = path.replace(/\?.*$/, "");
  const json = (body: object): Reply => ({ body: JSON.stringify(body) });
  if (silent) return undefined;
  if (provider === "ollama") {
    const info = { "general.architecture": "llama", "llama.context_length": 131_072, "llama.embedding_length": 2048 };
    if (method === "POST" && at === "/api/show")
      return json({
        parameters: 'stop                           "<|eot_id|>"',
        model_info: info,
        capabilities: ["completion", "tools"],
      });
    if (at === "/api/ps")
      return json({ models: loaded ? [{ name: model, model, size: 1, context_length: window }] : [] });
    if (method === "POST" && at === "/api/generate")
      return json({ model, response: "", done: true, done_reason: "load" });
  }
  if (provider === "vllm" && at === "/v1/models")
    return json({
      object: "list",
      data: [{ id: model, object: "model", owned_by: "vllm", root: model, max_model_len: window }],
    });
  if (provider.endsWith("llama.cpp")) {
    if (at === "/props") return json({ default_generation_settings: { id: 0, n_ctx: window }, total_slots: 1 });
    if (at === "/v1/models")
      return json({ object: "list", data: [{ id: model, object: "model", meta: { n_ctx_train: 131_072 } }] });
  }
  if (provider === "lm-studio") {
    const held = loaded ? { state: "loaded", loaded_context_length: window } : { state: "not-loaded" };
    if (at === "/api/v0/models")
      return json({
        object: "list",
        data: [{ id: model, object: "model", type: "llm", max_context_length: 131_072, ...held }],
      });
    if (at === "/v1/models") return json({ object: "list", data: [{ id: model, object: "model" }] });
  }
  if (provider === "openrouter" && at === "/api/v1/models")
    return json({ data: [{ id: model, context_length: window, top_provider: { context_length: window } }] });
  return undefined;
}
