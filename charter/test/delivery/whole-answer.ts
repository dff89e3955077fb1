import type { Recorded, Reply } from "./recorder.ts";
import { type Said, speak } from "./speech.ts";

/** What Anthropic or OpenAI would answer to this very request: streamed where it asks for a stream, else in one piece. */
export function answerTo({ path, body }: Recorded, said: Said = { text: ["Hi."] }): Reply {
  const kind = path.endsWith("/messages") ? "anthropic" : "openai";
  const { stream, model } = JSON.parse(body) as { stream?: boolean; model: string };
  if (stream) return { body: speak(kind, said) };
  return { body: JSON.stringify(kind === "anthropic" ? anthropicMessage(model, said) : openaiResponse(model, said)) };
}

function anthropicMessage(model: string, { text = [], calls = [] }: Said): object {
  return {
    ...{ id: "msg_1", type: "message", role: "assistant", model, stop_sequence: null },
    stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
    content: [
      ...text.map((one) => ({ type: "text", text: one })),
      ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input: JSON.parse(input) })),
    ],
    usage: { input_tokens: 100, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 10 },
  };
}

function openaiResponse(model: string, { text = [] }: Said): object {
  const content = text.map((one) => ({ type: "output_text", text: one, annotations: [], logprobs: [] }));
  return {
    ...{ id: "resp_1", object: "response", created_at: 1_790_000_000, status: "completed", model, error: null },
    output: [{ type: "message", id: "msg_1", role: "assistant", status: "completed", content }],
    usage: {
      ...{ input_tokens: 100, output_tokens: 10, total_tokens: 110 },
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  };
}
