import type { RecordedRequest, Reply } from "./recorder.ts";
import { anthropicEnd, type Kind, reasons, type Speech, speak } from "./speech.ts";

const whole = {
  anthropic: anthropicMessage,
  openai: openaiResponse,
  "openai-chat": chatCompletion,
  "openai-compatible": chatCompletion,
};

/** What Anthropic, OpenAI or Google would answer to this very request: streamed where it asks for a stream, else in one piece. */
export function answerTo(
  { path, body }: RecordedRequest,
  said: Speech = { text: ["Hi."] },
  kind = kindAt(path),
): Reply {
  if (kind === "google")
    return { body: path.includes(":stream") ? speak(kind, said) : JSON.stringify(googleContent(said)) };
  const { stream, model } = JSON.parse(body) as { stream?: boolean; model: string };
  return { body: stream ? speak(kind, said) : JSON.stringify(whole[kind](model, said)) };
}

/** The protocol that is spoken at a path. */
export function kindAt(path: string): Kind {
  const [at = ""] = path.split("?");
  if (/:(?:streamGenerateContent|generateContent)$/.test(at)) return "google";
  return at.endsWith("/messages") ? "anthropic" : at.endsWith("/chat/completions") ? "openai-chat" : "openai";
}

function anthropicMessage(model: string, said: Speech): object {
  const { thought, signature = "signed", text = [], calls = [], transformations } = said;
  return {
    ...{ id: "msg_1", type: "message", role: "assistant", model },
    ...anthropicEnd(said),
    ...(transformations ? { input_transformations: transformations } : {}),
    content: [
      ...(thought === undefined ? [] : [{ type: "thinking", thinking: thought, signature }]),
      ...text.map((one) => ({ type: "text", text: one })),
      ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input: JSON.parse(input) })),
    ],
    usage: { input_tokens: 100, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 10 },
  };
}

function openaiResponse(model: string, { thought, signature = thought, text = [], calls = [], end }: Speech): object {
  const content = text.map((one) => ({ type: "output_text", text: one, annotations: [], logprobs: [] }));
  return {
    ...{ id: "resp_1", object: "response", created_at: 1_790_000_000, model, error: null },
    status: end ? "incomplete" : "completed",
    ...(end ? { incomplete_details: { reason: reasons.openai[end] } } : {}),
    output: [
      ...(thought === undefined ? [] : [{ type: "reasoning", id: "rs_1", summary: [], encrypted_content: signature }]),
      ...(content.length === 0
        ? []
        : [{ type: "message", id: "msg_1", role: "assistant", status: "completed", content }]),
      ...calls.map(({ id, name, input }) => ({
        ...{ type: "function_call", id: `fc_${id}`, call_id: id, name, arguments: input, status: "completed" },
      })),
    ],
    usage: {
      ...{ input_tokens: 100, output_tokens: 10, total_tokens: 110 },
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  };
}

function chatCompletion(model: string, { thought, text = [], calls = [], end }: Speech): object {
  const called = calls.map(({ id, name, input }) => ({ id, type: "function", function: { name, arguments: input } }));
  const message = {
    ...{ role: "assistant", content: text.join("") || null, refusal: null },
    ...(thought === undefined ? {} : { reasoning_content: thought }),
    ...(calls.length === 0 ? {} : { tool_calls: called }),
  };
  const finish = end ? reasons.chat[end] : calls.length > 0 ? "tool_calls" : "stop";
  return {
    ...{ id: "chat_1", object: "chat.completion", created: 1_790_000_000, model },
    choices: [{ index: 0, message, finish_reason: finish, logprobs: null }],
    usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
  };
}

function googleContent({ thought, signature = "signed", text = [], calls = [], end }: Speech): object {
  const parts = [
    ...(thought === undefined ? [] : [{ text: thought, thought: true, thoughtSignature: signature }]),
    ...text.map((one) => ({ text: one })),
    ...calls.map(({ id, name, input }, index) => ({
      functionCall: { id, name, args: JSON.parse(input) },
      ...(index === 0 ? { thoughtSignature: signature } : {}),
    })),
  ];
  return {
    candidates: [{ content: { role: "model", parts }, finishReason: end ? reasons.google[end] : "STOP" }],
    usageMetadata: { promptTokenCount: 100, cachedContentTokenCount: 0, candidatesTokenCount: 10 },
  };
}
