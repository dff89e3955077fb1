import type { Recorded, Reply } from "./recorder.ts";
import { type Said, speak } from "./speech.ts";

const whole = { anthropic: anthropicMessage, openai: openaiResponse, "openai-chat": chatCompletion };

/** What Anthropic, OpenAI or Google would answer to this very request: streamed where it asks for a stream, else in one piece. */
export function answerTo({ path, body }: Recorded, said: Said = { text: ["Hi."] }): Reply {
  if (path.includes(":streamGenerateContent")) return { body: speak("google", said) };
  if (path.includes(":generateContent")) return { body: JSON.stringify(googleContent(said)) };
  const kind = path.endsWith("/messages") ? "anthropic" : path.endsWith("/chat/completions") ? "openai-chat" : "openai";
  const { stream, model } = JSON.parse(body) as { stream?: boolean; model: string };
  return { body: stream ? speak(kind, said) : JSON.stringify(whole[kind](model, said)) };
}

function anthropicMessage(model: string, { thought, text = [], calls = [] }: Said): object {
  return {
    ...{ id: "msg_1", type: "message", role: "assistant", model, stop_sequence: null },
    stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
    content: [
      ...(thought === undefined ? [] : [{ type: "thinking", thinking: thought, signature: "signed" }]),
      ...text.map((one) => ({ type: "text", text: one })),
      ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input: JSON.parse(input) })),
    ],
    usage: { input_tokens: 100, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 10 },
  };
}

function openaiResponse(model: string, { thought, text = [], calls = [] }: Said): object {
  const content = text.map((one) => ({ type: "output_text", text: one, annotations: [], logprobs: [] }));
  return {
    ...{ id: "resp_1", object: "response", created_at: 1_790_000_000, status: "completed", model, error: null },
    output: [
      ...(thought === undefined ? [] : [{ type: "reasoning", id: "rs_1", summary: [], encrypted_content: thought }]),
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

function chatCompletion(model: string, { thought, text = [], calls = [] }: Said): object {
  const called = calls.map(({ id, name, input }) => ({ id, type: "function", function: { name, arguments: input } }));
  const message = {
    ...{ role: "assistant", content: text.join("") || null, refusal: null },
    ...(thought === undefined ? {} : { reasoning_content: thought }),
    ...(calls.length === 0 ? {} : { tool_calls: called }),
  };
  const finish = calls.length > 0 ? "tool_calls" : "stop";
  return {
    ...{ id: "chat_1", object: "chat.completion", created: 1_790_000_000, model },
    choices: [{ index: 0, message, finish_reason: finish, logprobs: null }],
    usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
  };
}

function googleContent({ thought, text = [], calls = [] }: Said): object {
  const parts = [
    ...(thought === undefined ? [] : [{ text: thought, thought: true, thoughtSignature: "signed" }]),
    ...text.map((one) => ({ text: one })),
    ...calls.map(({ id, name, input }, index) => ({
      functionCall: { id, name, args: JSON.parse(input) },
      ...(index === 0 ? { thoughtSignature: "signed" } : {}),
    })),
  ];
  return {
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 100, cachedContentTokenCount: 0, candidatesTokenCount: 10 },
  };
}
