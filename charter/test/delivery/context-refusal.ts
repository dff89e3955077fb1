/** The servers whose answers to a request that is too long are known to the letter. */
export const contextProviders = [
  "openai",
  "openai-chat",
  "anthropic",
  "google",
  "ollama",
  "vllm",
  "llama.cpp",
  "old-llama.cpp",
  "lm-studio",
  "openrouter",
  "azure",
] as const;

export type ContextProvider = (typeof contextProviders)[number];

/** What was sent and what fits, in the server's own count. */
export type Overflow = { readonly tokens: number; readonly window: number; readonly model: string };

/** How a server refuses: with a status, or inside a stream that opened well. */
export type Refusal = { readonly status: number; readonly body: object } | { readonly events: readonly string[] };

const llamaCpp = ({ tokens, window }: Overflow) => ({
  error: {
    code: 400,
    message: `request (${tokens} tokens) exceeds the available context size (${window} tokens), try increasing it`,
    type: "exceed_context_size_error",
    n_prompt_tokens: tokens,
    n_ctx: window,
  },
});

const event = (said: object) => `data: ${JSON.stringify(said)}\n\n`;

const openaiChat = ({ tokens, window }: Overflow) => ({
  status: 400,
  body: {
    error: {
      message: `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
      type: "invalid_request_error",
      param: "messages",
      code: "context_length_exceeded",
    },
  },
});

/** What the real ones answered in 2025 and 2026. OpenAI's responses and LM Studio open their stream first. */
export const contextRefusals: Readonly<Record<ContextProvider, (about: Overflow) => Refusal>> = {
  openai: () => {
    const error = {
      type: "invalid_request_error",
      code: "context_length_exceeded",
      message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
      param: "input",
    };
    const created = { type: "response.created", response: { id: "resp_1", created_at: 1_790_000_000, model: "gpt" } };
    return { events: [event(created), event({ type: "error", sequence_number: 2, error })] };
  },
  "openai-chat": openaiChat,
  azure: openaiChat,
  anthropic: ({ tokens, window }) => ({
    status: 400,
    body: {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: `prompt is too long: ${tokens} tokens > ${window} maximum`,
      },
      request_id: "req_011CVjxiYzEFcAQC4Fk87zw2",
    },
  }),
  google: ({ tokens, window }) => ({
    status: 400,
    body: {
      error: {
        code: 400,
        message: `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${window}).`,
        status: "INVALID_ARGUMENT",
      },
    },
  }),
  // It passes on what its runner said, as a text.
  ollama: (about) => ({ status: 400, body: { error: JSON.stringify(llamaCpp(about)) } }),
  vllm: ({ tokens, window }) => ({
    status: 400,
    body: {
      error: {
        message: `This model's maximum context length is ${window} tokens. However, your request has ${tokens} input tokens. Please reduce the length of the input messages.`,
        type: "BadRequestError",
        param: null,
        code: 400,
      },
    },
  }),
  "llama.cpp": (about) => ({ status: 400, body: llamaCpp(about) }),
  "old-llama.cpp": () => ({
    status: 500,
    body: {
      error: {
        code: 500,
        message:
          "the request exceeds the available context size. try increasing the context size or enable context shift",
        type: "server_error",
      },
    },
  }),
  "lm-studio": ({ tokens, window }) => {
    const message = `The number of tokens to keep from the initial prompt is greater than the context length (n_keep: ${tokens}>= n_ctx: ${window}). Try to load the model with a larger context length, or provide a shorter input.`;
    return { events: [`event: error\n${event({ error: { message }, message })}`] };
  },
  openrouter: ({ tokens, window }) => ({
    status: 400,
    body: {
      error: {
        message: `This endpoint's maximum context length is ${window} tokens. However, you requested about ${tokens} tokens (${tokens} of text input). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.`,
        code: 400,
        metadata: { provider_name: null },
      },
    },
  }),
};
