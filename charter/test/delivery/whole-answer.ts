import type { Recorded, Reply } from "./recorder.ts";
import { speak } from "./speech.ts";

/** What Anthropic or OpenAI would answer to this very request: streamed where it asks for a stream, else in one piece. */
export function answerTo({ path, body }: Recorded, text = "Hi."): Reply {
  const kind = path.endsWith("/messages") ? "anthropic" : "openai";
  const { stream, model } = JSON.parse(body) as { stream?: boolean; model: string };
  if (stream) return { body: speak(kind, { text: [text] }) };
  return { body: JSON.stringify(kind === "anthropic" ? anthropicMessage(model, text) : openaiResponse(model, text)) };
}

function anthropicMessage(model: string, text: string): object {
  return {
    ...{ id: "msg_1", type: "message", role: "assistant", model, stop_reason: "end_turn", stop_sequence: null },
    content: [{ type: "text", text }],
    usage: { input_tokens: 100, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 10 },
  };
}

function openaiResponse(model: string, text: string): object {
  const content = [{ type: "output_text", text, annotations: [], logprobs: [] }];
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
