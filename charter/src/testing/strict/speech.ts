/** The protocols models are spoken to in. */
export const kinds = ["anthropic", "openai", "openai-chat", "openai-compatible", "google"] as const;

export type Kind = (typeof kinds)[number];

/** An answer, as a provider of any kind might give it. */
export type Speech = {
  /** Reasoning that must come back as it was: signed, encrypted, or plain, as the protocol has it. */
  readonly thought?: string;
  /** What its reasoning is signed with. */
  readonly signature?: string;
  /** Why it ended, where it did neither finish nor call a tool. */
  readonly end?: Ending;
  /** What Anthropic says it left out of the request. */
  readonly transformations?: readonly object[];
  readonly text?: readonly string[];
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: string }[];
  readonly usage?: {
    readonly input: number;
    readonly read: number;
    readonly written: number;
    readonly output: number;
  };
};

/** Why an answer ended: it is too long, was refused, or goes on with the next request. */
type Ending = "cut" | "refused" | "paused";

/** The reason for which an answer ended, in each protocol. */
export const reasons = {
  anthropic: { cut: "max_tokens", refused: "refusal", paused: "pause_turn" },
  openai: { cut: "max_output_tokens", refused: "content_filter", paused: "max_output_tokens" },
  chat: { cut: "length", refused: "content_filter", paused: "length" },
  google: { cut: "MAX_TOKENS", refused: "SAFETY", paused: "MAX_TOKENS" },
} as const satisfies Record<string, Record<Ending, string>>;

/** What Anthropic says of an answer's end. */
export function anthropicEnd({ calls = [], end }: Speech): object {
  return {
    stop_reason: end ? reasons.anthropic[end] : calls.length > 0 ? "tool_use" : "end_turn",
    stop_sequence: null,
    ...(end === "refused" ? { stop_details: { type: "refusal", category: null, explanation: null } } : {}),
  };
}

const counted = { input: 100, read: 0, written: 0, output: 10 };

/** The server-sent events a provider would stream the answer in. */
export function speak(kind: Kind, said: Speech): string[] {
  const events = { anthropic, openai: responses, "openai-chat": chat, "openai-compatible": chat, google }[kind](said);
  return events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
}

/** What a provider's error bodies look like. */
export function complaint(kind: Kind, message: string, type = "error"): string {
  if (kind === "anthropic") return JSON.stringify({ type: "error", error: { type, message } });
  if (kind === "google") return JSON.stringify({ error: { code: 400, message, status: type } });
  return JSON.stringify({ error: { message, type, code: type } });
}

function anthropic(said: Speech): object[] {
  const { thought, signature = "signed", text = [], calls = [], usage = counted, transformations } = said;
  const blocks = [
    ...(thought === undefined
      ? []
      : [
          {
            block: { type: "thinking", thinking: "" },
            deltas: [
              ...(thought === "" ? [] : [{ type: "thinking_delta", thinking: thought }]),
              { type: "signature_delta", signature },
            ],
          },
        ]),
    ...(text.length === 0
      ? []
      : [{ block: { type: "text", text: "" }, deltas: text.map((piece) => ({ type: "text_delta", text: piece })) }]),
    ...calls.map(({ id, name, input }) => ({
      block: { type: "tool_use", id, name, input: {} },
      deltas: halves(input).map((half) => ({ type: "input_json_delta", partial_json: half })),
    })),
  ];
  return [
    {
      type: "message_start",
      message: {
        ...{ id: "msg_1", type: "message", role: "assistant", model: "claude", content: [], stop_reason: null },
        ...(transformations ? { input_transformations: transformations } : {}),
        usage: {
          input_tokens: usage.input - usage.read - usage.written,
          cache_read_input_tokens: usage.read,
          cache_creation_input_tokens: usage.written,
          output_tokens: 1,
        },
      },
    },
    ...blocks.flatMap(({ block, deltas }, index) => [
      { type: "content_block_start", index, content_block: block },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    {
      type: "message_delta",
      delta: anthropicEnd(said),
      usage: { output_tokens: usage.output },
    },
    { type: "message_stop" },
  ];
}

function responses({ thought, signature = thought, text = [], calls = [], usage = counted, end }: Speech): object[] {
  const items = [
    ...(thought === undefined
      ? []
      : [{ item: { type: "reasoning", id: "rs_1", summary: [], encrypted_content: signature }, deltas: [] }]),
    ...(text.length === 0
      ? []
      : [
          {
            item: { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [] },
            deltas: text.map((delta) => ({ type: "response.output_text.delta", item_id: "msg_1", delta })),
          },
        ]),
    ...calls.map(({ id, name, input }) => ({
      item: { type: "function_call", id: `fc_${id}`, call_id: id, name, arguments: input, status: "completed" },
      deltas: halves(input).map((delta) => ({
        type: "response.function_call_arguments.delta",
        item_id: `fc_${id}`,
        delta,
      })),
    })),
  ];
  return [
    { type: "response.created", response: { id: "resp_1", created_at: 1_790_000_000, model: "gpt" } },
    ...items.flatMap(({ item, deltas }, index) => [
      { type: "response.output_item.added", output_index: index, item: { ...item, ...opening(item) } },
      ...deltas.map((delta) => ({ ...delta, output_index: index })),
      { type: "response.output_item.done", output_index: index, item },
    ]),
    {
      type: end ? "response.incomplete" : "response.completed",
      response: {
        ...(end ? { incomplete_details: { reason: reasons.openai[end] } } : {}),
        usage: {
          input_tokens: usage.input,
          input_tokens_details: { cached_tokens: usage.read, cache_write_tokens: usage.written },
          output_tokens: usage.output,
          output_tokens_details: { reasoning_tokens: 0 },
        },
      },
    },
  ];
}

function opening({ type }: { readonly type: string }): object {
  return type === "function_call" ? { arguments: "" } : {};
}

function chat({ thought, text = [], calls = [], usage = counted, end }: Speech): (object | string)[] {
  const about = { id: "chat_1", created: 1_790_000_000, model: "gpt" };
  const chunk = (delta: object, reason: string | null = null) => ({
    ...about,
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  return [
    chunk({ role: "assistant" }),
    ...(thought === undefined ? [] : [chunk({ reasoning_content: thought })]),
    ...text.map((content) => chunk({ content })),
    ...calls.flatMap(({ id, name, input }, index) => {
      const [first, second] = halves(input);
      return [
        chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: first } }] }),
        chunk({ tool_calls: [{ index, function: { arguments: second } }] }),
      ];
    }),
    chunk({}, end ? reasons.chat[end] : calls.length > 0 ? "tool_calls" : "stop"),
    {
      ...about,
      choices: [],
      usage: {
        prompt_tokens: usage.input,
        prompt_tokens_details: { cached_tokens: usage.read, cache_write_tokens: usage.written },
        completion_tokens: usage.output,
        total_tokens: usage.input + usage.output,
      },
    },
    "[DONE]",
  ];
}

function google({ thought, signature = "signed", text = [], calls = [], usage = counted, end }: Speech): object[] {
  const chunk = (part: object) => ({ candidates: [{ content: { role: "model", parts: [part] } }] });
  return [
    ...(thought === undefined ? [] : [chunk({ text: thought, thought: true, thoughtSignature: signature })]),
    ...text.map((piece) => chunk({ text: piece })),
    ...calls.map(({ id, name, input }, index) =>
      chunk({
        functionCall: { id, name, args: JSON.parse(input) },
        ...(index === 0 ? { thoughtSignature: signature } : {}),
      }),
    ),
    {
      candidates: [{ content: { role: "model", parts: [] }, finishReason: end ? reasons.google[end] : "STOP" }],
      usageMetadata: {
        promptTokenCount: usage.input,
        cachedContentTokenCount: usage.read,
        candidatesTokenCount: usage.output,
      },
    },
  ];
}

function halves(text: string): [string, string] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
