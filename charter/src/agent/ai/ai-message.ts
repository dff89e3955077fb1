import type { Message } from "../../delivery/model.ts";

/** A message as the AI SDK's tools are given it. */
type ModelMessage =
  | { readonly role: "user"; readonly content: string }
  | { readonly role: "assistant"; readonly content: readonly object[] }
  | { readonly role: "tool"; readonly content: readonly object[] };

/** Messages in the AI SDK's words; what the system said is left out, as it is there. */
export function modelMessages(messages: readonly Message[]): ModelMessage[] {
  return messages.flatMap((message): ModelMessage[] => {
    if (message.role === "user") return [{ role: "user", content: message.text }];
    if (message.role === "assistant") return [{ role: "assistant", content: answerContent(message) }];
    if (message.role !== "tool") return [];
    const content = message.results.map(({ call, name, output, failed }) => ({
      type: "tool-result",
      toolCallId: call,
      toolName: name,
      output: { type: failed ? "error-text" : "text", value: output },
    }));
    return [{ role: "tool", content }];
  });
}

function answerContent({ text, calls }: Extract<Message, { role: "assistant" }>): object[] {
  return [
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...calls.map(({ id, name, input }) => ({
      type: "tool-call",
      toolCallId: id,
      toolName: name,
      input: valueIn(input),
    })),
  ];
}

/** What a model wrote is sound or not. */
function valueIn(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return written;
  }
}
