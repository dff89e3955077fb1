import { expect, test } from "vitest";
import { tooLongOf } from "./fault.ts";

const openai = (message: string, code: string | number | null = "context_length_exceeded", param = "messages") => ({
  error: { message, type: "invalid_request_error", param, code },
});
const anthropic = (message: string, type = "invalid_request_error") => ({ type: "error", error: { type, message } });
const google = (message: string) => ({ error: { code: 400, message, status: "INVALID_ARGUMENT" } });

/** Whose words they are, when they were seen, with which status; what they teach. */
const refusals: readonly [whose: string, seen: string, status: number, body: unknown, window: number | undefined][] = [
  [
    "OpenAI, chat",
    "2024-11",
    400,
    openai(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens. Please reduce the length of the messages.",
    ),
    128_000,
  ],
  [
    "OpenAI, chat, with room for an answer",
    "2025-03",
    400,
    openai(
      "This model's maximum context length is 8192 tokens. However, you requested 8213 tokens (6683 in the messages, 730 in the functions, and 800 in the completion). Please reduce the length of the messages, functions, or completion.",
    ),
    7392,
  ],
  [
    "OpenAI, responses",
    "2025-10",
    400,
    openai(
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
      "context_length_exceeded",
      "input",
    ),
    undefined,
  ],
  ["Anthropic", "2025-12", 400, anthropic("prompt is too long: 219898 tokens > 200000 maximum"), 200_000],
  [
    "Anthropic, with room for an answer",
    "2025-03",
    400,
    anthropic(
      "input length and `max_tokens` exceed context limit: 189136 + 20000 > 204648, decrease input length or `max_tokens` and try again",
    ),
    184_648,
  ],
  [
    "Anthropic, by bytes",
    "2026-02",
    413,
    anthropic("Request exceeds the maximum size", "request_too_large"),
    undefined,
  ],
  [
    "Google",
    "2025-08",
    400,
    google("The input token count (1200293) exceeds the maximum number of tokens allowed (1048576)."),
    1_048_576,
  ],
  [
    "Google, in a list",
    "2025-10",
    400,
    [google("The input token count (314175) exceeds the maximum number of tokens allowed (131072).")],
    131_072,
  ],
  [
    "vLLM",
    "2026-01",
    400,
    {
      error: {
        message:
          "This model's maximum context length is 16384 tokens. However, your request has 20014 input tokens. Please reduce the length of the input messages.",
        type: "BadRequestError",
        param: null,
        code: 400,
      },
    },
    16_384,
  ],
  [
    "vLLM, before",
    "2025-02",
    400,
    {
      object: "error",
      message:
        "This model's maximum context length is 6048 tokens. However, you requested 6616 tokens (5568 in the messages, 1048 in the completion). Please reduce the length of the messages or completion.",
      type: "BadRequestError",
      param: null,
      code: 400,
    },
    5000,
  ],
  [
    "vLLM, since, behind LiteLLM",
    "2026-03",
    400,
    {
      error: {
        message: `litellm.BadRequestError: OpenAIException - ${JSON.stringify({ error: { message: "You passed 98305 input tokens and requested 32768 output tokens. However, the model's context length is only 131072 tokens, resulting in a maximum input length of 98304 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=98305)", type: "BadRequestError", param: "input_tokens", code: 400 } })}. Received Model Group=x`,
        type: null,
        code: "400",
      },
    },
    98_304,
  ],
  [
    "llama.cpp",
    "2026-01",
    400,
    {
      error: {
        code: 400,
        message: "request (66202 tokens) exceeds the available context size (65536 tokens), try increasing it",
        type: "exceed_context_size_error",
        n_prompt_tokens: 66_202,
        n_ctx: 65_536,
      },
    },
    65_536,
  ],
  [
    "llama.cpp, of September 2025",
    "2025-09",
    500,
    {
      error: {
        code: 500,
        message:
          "the request exceeds the available context size. try increasing the context size or enable context shift",
        type: "exceed_context_size_error",
        n_prompt_tokens: 1407,
        n_ctx: 256,
      },
    },
    256,
  ],
  [
    "llama.cpp, before",
    "2025-07",
    500,
    {
      error: {
        code: 500,
        message:
          "the request exceeds the available context size. try increasing the context size or enable context shift",
        type: "server_error",
      },
    },
    undefined,
  ],
  [
    "llama-cpp-python",
    "2024-11",
    500,
    { error: { message: "Requested tokens (2285) exceed context window of 2048" } },
    2048,
  ],
  [
    "Ollama, what its runner said",
    "2026-08",
    400,
    {
      error:
        '{"error":{"code":400,"message":"request (7911 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":7911,"n_ctx":4096}}',
    },
    4096,
  ],
  ["LM Studio", "2026-01", 400, { error: "Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)" }, 7424],
  [
    "LM Studio, before",
    "2025-05",
    400,
    {
      error:
        "Trying to keep the first 10136 tokens when context the overflows. However, the model is loaded with context length of only 7866 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input",
    },
    7866,
  ],
  [
    "LM Studio, in Zed",
    "2025-07",
    400,
    { error: "The number of tokens to keep from the initial prompt is greater than the context length." },
    undefined,
  ],
  [
    "OpenRouter",
    "2025-07",
    400,
    {
      error: {
        message:
          'This endpoint\'s maximum context length is 65536 tokens. However, you requested about 92208 tokens (60833 of text input, 10042 of tool input, 21333 in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
        code: 400,
        metadata: { provider_name: null },
      },
    },
    44_203,
  ],
  [
    "OpenRouter, what a provider said",
    "2026-01",
    400,
    {
      error: {
        message: "Provider returned error",
        code: 400,
        metadata: {
          raw: JSON.stringify(anthropic("prompt is too long: 202609 tokens > 200000 maximum")),
          provider_name: "A",
        },
      },
    },
    200_000,
  ],
  [
    "DeepSeek",
    "2026-01",
    400,
    openai(
      "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
      "invalid_request_error",
    ),
    122_880,
  ],
  ["Groq", "2025-03", 400, openai("Please reduce the length of the messages or completion."), undefined],
  [
    "Cerebras",
    "2025-07",
    400,
    openai("Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000"),
    40_000,
  ],
  ["Cerebras, without a word", "2026-01", 413, "", undefined],
  [
    "xAI",
    "2025-11",
    400,
    {
      code: "Client specified an invalid argument",
      error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    },
    131_072,
  ],
  [
    "Mistral",
    "2025-11",
    400,
    {
      object: "error",
      message:
        "Prompt contains 150000 tokens and 0 draft tokens, too large for model with 131072 maximum context length",
      type: "invalid_request_prompt",
      code: "3051",
    },
    131_072,
  ],
  [
    "Moonshot",
    "2026-01",
    400,
    openai("Your request exceeded model token limit: 262144 (requested: 300000)", null),
    262_144,
  ],
  ["GitHub Copilot", "2026-01", 400, openai("prompt token count of 130000 exceeds the limit of 128000", null), 128_000],
  ["MiniMax", "2026-01", 400, openai("invalid params, context window exceeds limit", null), undefined],
  ["Bedrock", "2024-06", 400, { message: "Input is too long for requested model." }, undefined],
  [
    "Hugging Face",
    "2025-05",
    422,
    {
      error:
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 65537. Given: 79993 `inputs` tokens and 1024 `max_new_tokens`",
    },
    64_513,
  ],
  ["a proxy", "2026-01", 413, "<html><center><h1>413 Request Entity Too Large</h1></center></html>", undefined],
];

test.each(refusals)("%s (%s) with %i", (_whose, _seen, status, body, window) => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const expected = window === undefined ? {} : { window };
  expect(tooLongOf({ status, body: text })).toEqual(expected);
  // As the error of a package, and inside a stream that opened well.
  if (typeof body !== "string") {
    expect(tooLongOf({ status, said: Object.assign(new Error("Bad Request"), { data: null }), body: text })).toEqual(
      expected,
    );
    if (status !== 413) expect(tooLongOf({ said: body })).toEqual(expected);
  }
});

const others: readonly [story: string, status: number, body: unknown][] = [
  [
    "a rate limit of Groq",
    413,
    {
      error: {
        message:
          "Request too large for model `llama-3.3-70b-versatile` in organization `org_01` service tier `on_demand` on tokens per minute (TPM): Limit 12000, Requested 14137, please reduce your message size and try again.",
        type: "tokens",
        code: "rate_limit_exceeded",
      },
    },
  ],
  [
    "a rate limit of OpenAI",
    429,
    openai(
      "Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 52000. The input or output tokens must be reduced in order to run successfully.",
      "rate_limit_exceeded",
    ),
  ],
  [
    "a rate limit of Anthropic",
    429,
    anthropic(
      "This request would exceed your organization's rate limit of 40,000 input tokens per minute",
      "rate_limit_error",
    ),
  ],
  [
    "an output limit of Anthropic",
    400,
    anthropic(
      "max_tokens: 10000 > 4096, which is the maximum allowed number of output tokens for claude-3-5-sonnet-20240620",
    ),
  ],
  [
    "an output limit of OpenAI",
    400,
    openai(
      "max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.",
      null,
      "max_tokens",
    ),
  ],
  [
    "an answer that would fill the window by itself",
    400,
    {
      error: {
        message:
          "this endpoint's maximum context length is 131072 tokens. however, you requested about 138956 tokens (7884 of text input, 131072 in the output). please reduce the length of either one",
        code: 400,
      },
    },
  ],
  [
    "the same of vLLM",
    400,
    openai(
      "'max_tokens' or 'max_completion_tokens' is too large: 9000. This model's maximum context length is 8192 tokens and your request has 100 input tokens (9000 > 8192 - 100).",
      null,
      "max_tokens",
    ),
  ],
  ["a model that is not there", 404, openai("The model has a maximum context length is 10 tokens", "model_not_found")],
  ["another mistake", 400, openai("Invalid schema for function 'add'.", "invalid_function_parameters", "tools[0]")],
  [
    "a user's words that a server repeats",
    400,
    {
      error: { message: "1 validation error", type: "BadRequestError", code: 400 },
      input: [{ role: "user", content: "prompt is too long: 5 tokens > 300 maximum" }],
      body: "maximum context length is 300 tokens",
    },
  ],
  ["nothing", 400, ""],
  ["a server that failed", 500, "<html>Internal Server Error</html>"],
];

test.each(others)("%s is something else", (_story, status, body) => {
  expect(tooLongOf({ status, body: typeof body === "string" ? body : JSON.stringify(body) })).toBeUndefined();
});

test("what is no error at all says nothing", () => {
  const self: { error?: unknown } = {};
  self.error = self;
  for (const said of [undefined, null, 7, "", "{", "[[[[[[[[[[", self, [self], () => {}])
    expect(tooLongOf({ said })).toBeUndefined();
});
