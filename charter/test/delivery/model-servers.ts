import type { RecordedRequest, Reply } from "../../src/testing/strict/recorder.ts";
import type { ContextProvider } from "./context-refusal.ts";
import { type ContextServer, type ContextServerOptions, startContextServer } from "./context-servers.ts";

/** The servers that docs/models.md has a block for, by the heading of the block. */
export const modelServers = [
  ["Ollama", "ollama"],
  ["llama.cpp", "llama.cpp"],
  ["vLLM", "vllm"],
  ["LM Studio", "lm-studio"],
  ["OpenRouter", "openrouter"],
  ["Azure", "azure"],
  ["Anthropic", "anthropic"],
  ["OpenAI", "openai"],
  ["Google", "google"],
] as const satisfies readonly (readonly [string, ContextProvider])[];

export type ModelServerOptions = ContextServerOptions & {
  readonly served: string;
  /** The key it wants. */
  readonly key?: string;
  /** Its model takes no pictures. */
  readonly blind?: true;
  /** Its chat template takes only user and assistant in turn. */
  readonly alternates?: true;
};

type Words = (model: string) => { readonly status: number; readonly body: object };

const openaiError = (message: string, code: string | null, type = "invalid_request_error") => ({
  error: { message, type, param: null, code },
});

/** What the real ones say to a key they do not know. */
const wrongKeys: Readonly<Record<string, Words>> = {
  "llama.cpp": () => ({
    status: 401,
    body: { error: { code: 401, message: "Invalid API Key", type: "authentication_error" } },
  }),
  vllm: () => ({ status: 401, body: { error: "Unauthorized" } }),
  "lm-studio": () => ({
    status: 401,
    body: openaiError("Malformed LM Studio API token provided: wrong", "invalid_api_key"),
  }),
  openrouter: () => ({ status: 401, body: { error: { message: "User not found.", code: 401 } } }),
  azure: () => ({
    status: 401,
    body: {
      error: {
        code: "401",
        message:
          "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.",
      },
    },
  }),
  anthropic: () => ({
    status: 401,
    body: { type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } },
  }),
  openai: () => ({
    status: 401,
    body: openaiError(
      "Incorrect API key provided: sk-wrong-*****. You can find your API key at https://platform.openai.com/account/api-keys.",
      "invalid_api_key",
    ),
  }),
  google: () => ({
    status: 400,
    body: {
      error: { code: 400, message: "API key not valid. Please pass a valid API key.", status: "INVALID_ARGUMENT" },
    },
  }),
};

/** What the real ones say to a model they do not have. llama.cpp serves the one it has, under any name. */
const wrongNames: Readonly<Record<string, Words>> = {
  ollama: (model) => ({
    status: 404,
    body: { error: { message: `model "${model}" not found, try pulling it first`, type: "api_error", code: null } },
  }),
  vllm: (model) => ({
    status: 404,
    body: { error: { message: `The model \`${model}\` does not exist.`, type: "NotFoundError", code: 404 } },
  }),
  "lm-studio": (model) => ({
    status: 400,
    body: openaiError(
      `Invalid model identifier "${model}". Please specify a valid downloaded model (e.g. qwen/qwen3-8b).`,
      "model_not_found",
    ),
  }),
  openrouter: (model) => ({ status: 400, body: { error: { message: `${model} is not a valid model ID`, code: 400 } } }),
  azure: () => ({
    status: 404,
    body: {
      error: {
        code: "DeploymentNotFound",
        message:
          "The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.",
      },
    },
  }),
  anthropic: (model) => ({
    status: 404,
    body: { type: "error", error: { type: "not_found_error", message: `model: ${model}` } },
  }),
  openai: (model) => ({
    status: 400,
    body: openaiError(`The requested model '${model}' does not exist.`, "model_not_found"),
  }),
  google: (model) => ({
    status: 404,
    body: {
      error: {
        code: 404,
        message: `models/${model} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`,
        status: "NOT_FOUND",
      },
    },
  }),
};

/** What the real ones say to a picture. */
const refusedPictures: Readonly<Record<string, Words>> = {
  ollama: () => ({ status: 500, body: openaiError("this model is missing data required for image input", null) }),
  "llama.cpp": () => ({
    status: 500,
    body: {
      error: {
        code: 500,
        message: "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
        type: "server_error",
      },
    },
  }),
  vllm: (model) => ({ status: 400, body: { error: { message: `${model} is not a multimodal model`, code: 400 } } }),
  "lm-studio": () => ({ status: 400, body: openaiError("Model does not support images.", null) }),
  openrouter: () => ({
    status: 404,
    body: { error: { message: "No endpoints found that support image input", code: 404 } },
  }),
};

const alternate =
  "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...";

/** How a chat template's complaint reaches whoever asked. LM Studio opens its stream first. */
const strictRoles: Readonly<Record<string, Reply>> = {
  "llama.cpp": {
    status: 500,
    body: JSON.stringify({ error: { code: 500, message: `Jinja Exception: ${alternate}`, type: "server_error" } }),
  },
  vllm: { status: 400, body: JSON.stringify({ error: { message: alternate, type: "BadRequestError", code: 400 } }) },
  "lm-studio": {
    body: [
      `event: error\ndata: ${JSON.stringify({ error: { message: `Error rendering prompt with jinja template: "${alternate}"` } })}\n\n`,
    ],
  },
};

const prefixes: Readonly<Record<string, string>> = { google: "/v1beta", openrouter: "/api/v1", azure: "/openai/v1" };

/** A server on the loopback like one of these: it wants its key and its model's name, and complains as they do. */
export async function startModelServer(options: ModelServerOptions): Promise<ContextServer> {
  const { provider, served, key, alternates, blind } = options;
  const refuses = (request: RecordedRequest): Reply | undefined => {
    const said = (words: Words | undefined, model: string): Reply | undefined => {
      const answer = words?.(model);
      return answer && { status: answer.status, body: JSON.stringify(answer.body) };
    };
    if (key !== undefined && keyOf(request) !== key) return said(wrongKeys[provider], served);
    if (!request.path.startsWith(`${prefixes[provider] ?? "/v1"}/`) && !/^\/(?:api|props)\b/.test(request.path))
      return { status: 404, body: JSON.stringify({ detail: "Not Found" }) };
    if (request.method === "GET") return lists(options, request);
    if (!/(?:completions|responses|messages|Content)/.test(request.path)) return undefined;
    const body = JSON.parse(request.body) as { readonly model?: string; readonly messages?: readonly Spoken[] };
    const model = body.model ?? /models\/(.*?):/.exec(request.path)?.[1] ?? "";
    if (decodeURIComponent(model) !== served && wrongNames[provider]) return said(wrongNames[provider], model);
    if (blind && /"image_url"/.test(request.body)) return said(refusedPictures[provider], served);
    return alternates && !isAlternating(body.messages ?? []) ? strictRoles[provider] : undefined;
  };
  return startContextServer({ ...options, refuses });
}

function keyOf({ headers }: RecordedRequest): string | undefined {
  const found = headers["api-key"] ?? headers["x-api-key"] ?? headers["x-goog-api-key"] ?? headers.authorization;
  return String(found ?? "").replace(/^Bearer /, "");
}

/** The models it has, where the windows' part of it does not list them. */
function lists({ provider, served }: ModelServerOptions, { path }: RecordedRequest): Reply | undefined {
  const json = (body: object): Reply => ({ body: JSON.stringify(body) });
  if (provider === "google" && path === "/v1beta/models") return json({ models: [{ name: `models/${served}` }] });
  const own: readonly ContextProvider[] = ["ollama", "openai", "anthropic"];
  return own.includes(provider) && path === "/v1/models"
    ? json({ object: "list", data: [{ id: served, object: "model" }] })
    : undefined;
}

type Spoken = { readonly role: string; readonly tool_calls?: unknown };

/** As the template of a Mistral has it: a system message may come first; calls and their results do not count. */
function isAlternating(messages: readonly Spoken[]): boolean {
  const [first] = messages;
  const turns = (first?.role === "system" ? messages.slice(1) : messages).filter(
    ({ role, tool_calls }) => role !== "tool" && !(role === "assistant" && tool_calls),
  );
  return turns.every(({ role }, index) => role === (index % 2 === 0 ? "user" : "assistant"));
}
