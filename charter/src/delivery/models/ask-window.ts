import { isRecord } from "../../prompt/argument.ts";
import type { Model } from "../model.ts";
import type { Connection } from "./model-entry.ts";

/** The address of a model, and the question for it: none of it goes to another host. */
type WindowQuestion = Connection & {
  /** The protocol: a provider's name. */
  readonly api: string;
  readonly model: string;
};

type Get = (path: string, sent?: GetOptions) => Promise<unknown>;
type GetOptions = { readonly body?: object; readonly withinMs?: number };

const answerTimeoutMs = 3000;
/** Time for a local model to load: the turn that asks would wait for that anyway. */
const loadTimeoutMs = 120_000;
/** Maximum size of an answer; the longest list of models has some 2 MB. */
const maxBytes = 16 * 1024 * 1024;

/** Makes a function that asks a model's server for its window, in the way that kind of server is known to answer. */
export function windowQuestion(question: WindowQuestion): NonNullable<Model["askWindow"]> | undefined {
  const { api, model } = question;
  const ask = asksOf(api, question.baseURL);
  if (!ask) return undefined;
  return async ({ signal }) => {
    try {
      const tokens = await ask(model, getter(question, signal));
      return isCount(tokens) ? tokens : null;
    } catch {
      return null;
    }
  };
}

type Ask = (model: string, get: Get) => Promise<unknown>;

function asksOf(provider: string, baseURL: string): Ask | undefined {
  if (provider === "ollama") return askOllama;
  if (provider === "openrouter") return askOpenRouter;
  if (provider === "google") return askGoogle;
  if (provider === "anthropic") return askAnthropic;
  // OpenAI itself does not answer; a server that speaks its protocol at another address may.
  const speaksOpenAI = provider === "openai" || provider === "openai-chat";
  return provider === "openai-compatible" || (speaksOpenAI && !/^https:\/\/api\.openai\.com\//.test(baseURL))
    ? askCompatible
    : undefined;
}

/**
 * Asks Ollama for the window it really uses, because it silently cuts a longer prompt. A Modelfile's `num_ctx` applies to callers
 * that set nothing else. Otherwise the window is a variable of the server, or depends on its memory: it is known once the model
 * is loaded.
 */
async function askOllama(model: string, get: Get): Promise<unknown> {
  const shown = await get("/api/show", { body: { model } });
  if (!isRecord(shown)) return null;
  const info = isRecord(shown.model_info) ? shown.model_info : {};
  const trained = info[`${String(info["general.architecture"])}.context_length`];
  const set = /^num_ctx\s+(\d+)\s*$/m.exec(typeof shown.parameters === "string" ? shown.parameters : "")?.[1];
  if (set !== undefined) return smallerCount(Number(set), trained);
  // A model in Ollama's cloud has all of its window.
  if (typeof shown.remote_host === "string" && shown.remote_host !== "") return trained;
  const running = await loadedInOllama(model, get);
  if (running !== undefined) return smallerCount(running, trained);
  await get("/api/generate", { body: { model, stream: false }, withinMs: loadTimeoutMs });
  return smallerCount(await loadedInOllama(model, get), trained);
}

async function loadedInOllama(model: string, get: Get): Promise<unknown> {
  const names = model.includes(":") ? [model] : [model, `${model}:latest`];
  const listed = await get("/api/ps");
  const all = isRecord(listed) && Array.isArray(listed.models) ? listed.models.filter(isRecord) : [];
  return all.find((one) => [one.name, one.model].some((name) => names.includes(name as string)))?.context_length;
}

async function askOpenRouter(model: string, get: Get): Promise<unknown> {
  const all = await modelsAt("/models", get);
  const entry = all.find(({ id }) => id === model) ?? all.find(({ id }) => id === model.replace(/:[^:/]*$/, ""));
  const { context_length: top } = isRecord(entry?.top_provider) ? entry.top_provider : {};
  return smallerCount(entry?.context_length, top);
}

async function askGoogle(model: string, get: Get): Promise<unknown> {
  const entry = await get(`/models/${encodeURIComponent(model)}`);
  return isRecord(entry) ? entry.inputTokenLimit : null;
}

async function askAnthropic(model: string, get: Get): Promise<unknown> {
  const entry = await get(`/models/${encodeURIComponent(model)}`);
  return isRecord(entry) ? entry.max_input_tokens : null;
}

/** Asks for a slot's size (llama.cpp), the loaded context (LM Studio), and the listed window (vLLM, SGLang, Groq, Mistral). */
async function askCompatible(model: string, get: Get): Promise<unknown> {
  const [props, studio, listed] = await Promise.all([
    get(`/props?model=${encodeURIComponent(model)}`),
    modelsAt("/api/v0/models", get),
    modelsAt("/models", get),
  ]);
  const settings =
    isRecord(props) && isRecord(props.default_generation_settings) ? props.default_generation_settings : {};
  const loaded = studio.find(({ id }) => id === model)?.loaded_context_length;
  const one = listed.find(({ id }) => id === model) ?? {};
  const names = ["max_model_len", "context_length", "context_window", "max_context_length"];
  return [settings.n_ctx, loaded, ...names.map((name) => one[name])].find(isCount);
}

async function modelsAt(path: string, get: Get): Promise<readonly Record<string, unknown>[]> {
  const listed = await get(path);
  return isRecord(listed) && Array.isArray(listed.data) ? listed.data.filter(isRecord) : [];
}

/**
 * Returns the smaller count; undefined where the first is missing: the length a model was trained with is not its server's
 * window.
 */
function smallerCount(count: unknown, max: unknown): number | undefined {
  if (!isCount(count)) return undefined;
  return isCount(max) ? Math.min(count, max) : count;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

/**
 * Makes a reader of JSON from the model's own host, with limits of time and size; null where there is none. No redirect is
 * followed.
 */
function getter(question: WindowQuestion, signal: AbortSignal): Get {
  const { api, baseURL, apiKey, headers: own, fetch: fetcher = fetch } = question;
  const key = apiKey === undefined ? {} : keyHeaders(api, apiKey);
  return async (path, { body, withinMs = answerTimeoutMs } = {}) => {
    try {
      const response = await fetcher(addressFor(baseURL, path), {
        method: body ? "POST" : "GET",
        headers: {
          accept: "application/json",
          ...(body ? { "content-type": "application/json" } : {}),
          ...key,
          ...own,
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
        redirect: "manual",
        signal: AbortSignal.any([signal, AbortSignal.timeout(withinMs)]),
      });
      if (response.status === 200) return JSON.parse(await textOf(response));
      await response.body?.cancel();
      return null;
    } catch {
      return null;
    }
  };
}

/** Returns the header that carries a key. */
export function keyHeaders(provider: string, key: string): Readonly<Record<string, string>> {
  if (provider === "google") return { "x-goog-api-key": key };
  if (provider === "anthropic") return { "x-api-key": key, "anthropic-version": "2023-06-01" };
  return { authorization: `Bearer ${key}` };
}

/** Builds the address of a path: a server's own paths are beside the path of OpenAI's protocol. */
function addressFor(baseURL: string, path: string): string {
  const url = new URL(baseURL);
  const [at = "", query = ""] = path.split("?");
  const own = /^\/(?:api|props)\b/.test(at);
  url.pathname = `${own ? url.pathname.replace(/\/v1$/, "") : url.pathname}${at}`.replaceAll(/\/{2,}/g, "/");
  if (query !== "") url.search = query;
  return url.href;
}

async function textOf(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.length;
    // Ends the transfer by leaving the loop.
    if (size > maxBytes) return "";
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}
