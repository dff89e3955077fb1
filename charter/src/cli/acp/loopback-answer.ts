/** The APIs that the loopback model speaks. */
export type LoopbackApi = "anthropic" | "openai-responses" | "openai-chat" | "gemini";

/** What is sent back: one JSON value, or events of a stream, each with the name it is sent under, if it has one. */
export type LoopbackAnswer =
  | { readonly json: unknown }
  | { readonly events: readonly { readonly name?: string; readonly data: unknown }[]; readonly closing?: string };

type Asked = { readonly model: string; readonly stream: boolean };

/** The API a path belongs to; undefined if it asks for no answer of a model. */
export function apiOf(path: string): LoopbackApi | undefined {
  if (/\/messages$/.test(path)) return "anthropic";
  if (/\/responses$/.test(path)) return "openai-responses";
  if (/\/chat\/completions$/.test(path)) return "openai-chat";
  if (/:(generate|streamGenerate)Content$/.test(path)) return "gemini";
  return undefined;
}

/** A short text, as each API says it. */
export function answerOf(api: LoopbackApi, text: string, asked: Asked): LoopbackAnswer {
  if (api === "anthropic") return anthropic(text, asked);
  if (api === "openai-responses") return responses(text, asked);
  if (api === "openai-chat") return chat(text, asked);
  return gemini(text, asked);
}

function anthropic(text: string, { model, stream }: Asked): LoopbackAnswer {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: "msg_loopback", type: "message", role: "assistant", model, stop_sequence: null, usage };
  if (!stream) return { json: { ...message, content: [{ type: "text", text }], stop_reason: "end_turn" } };
  const data = [
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ];
  return { events: data.map((one) => ({ name: one.type, data: one })) };
}

function responses(text: string, { model, stream }: Asked): LoopbackAnswer {
  const part = { type: "output_text", text, annotations: [] };
  const item = { id: "msg_loopback", type: "message", role: "assistant", status: "completed", content: [part] };
  const usage = {
    input_tokens: 1,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 1,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 2,
  };
  const begun = { id: "resp_loopback", object: "response", created_at: 0, model, status: "in_progress", output: [] };
  const response = { ...begun, status: "completed", output: [item], usage };
  if (!stream) return { json: response };
  const place = { item_id: item.id, output_index: 0, content_index: 0 };
  const data = [
    { type: "response.created", response: begun },
    { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress", content: [] } },
    { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
    { type: "response.output_text.delta", ...place, delta: text },
    { type: "response.output_text.done", ...place, text },
    { type: "response.content_part.done", ...place, part },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response },
  ];
  return { events: data.map((one, index) => ({ name: one.type, data: { ...one, sequence_number: index } })) };
}

function chat(text: string, { model, stream }: Asked): LoopbackAnswer {
  const head = { id: "chatcmpl-loopback", created: 0, model };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const message = { role: "assistant", content: text };
  if (!stream) {
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    return { json: { ...head, object: "chat.completion", choices, usage } };
  }
  const chunk = (choice: object) => ({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, ...choice }] });
  return {
    events: [
      { data: chunk({ delta: message, finish_reason: null }) },
      { data: { ...chunk({ delta: {}, finish_reason: "stop" }), usage } },
    ],
    closing: "[DONE]",
  };
}

function gemini(text: string, { model, stream }: Asked): LoopbackAnswer {
  const content = { role: "model", parts: [{ text }] };
  const json = {
    candidates: [{ index: 0, content, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    modelVersion: model,
    responseId: "loopback",
  };
  return stream ? { events: [{ data: json }] } : { json };
}
