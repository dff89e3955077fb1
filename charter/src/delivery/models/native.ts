import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { Message } from "../model.ts";

export type AnswerPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];

/**
 * An answer as its provider wants it back: reasoning, signatures and ids, in the order in which they came. Such things
 * are bound to the model that made them, so they carry its name. It is plain JSON.
 */
export type Native = { readonly model: string; readonly content: readonly AnswerPart[] };

/** What must be kept of an answer beside its text and its calls; undefined when those say it all. */
export function nativeOf(model: string, content: readonly AnswerPart[]): Native | undefined {
  const [first, ...rest] = content;
  const calls = first?.type === "text" ? rest : content;
  const plain = calls.every(({ type }) => type === "tool-call") && content.every((part) => !part.providerOptions);
  return plain ? undefined : (JSON.parse(JSON.stringify({ model, content })) as Native);
}

/**
 * The parts of an answer on its way back to a model. What is native is used by the model that made it, as long as it
 * says what the message says: a message that was changed since, or made elsewhere, goes back as its text and calls.
 */
export function answerParts(message: Extract<Message, { role: "assistant" }>, model: string): AnswerPart[] {
  const { text, calls, native } = message;
  const parts: readonly AnswerPart[] =
    isNative(native) && native.model === model && says(native.content, message)
      ? native.content
      : [
          ...(text === "" ? [] : [{ type: "text" as const, text }]),
          ...calls.map(({ id, name, input }) => ({
            type: "tool-call" as const,
            toolCallId: id,
            toolName: name,
            input,
          })),
        ];
  return parts.filter((part) => !isBlank(part)).map(withSoundInput);
}

function isNative(native: unknown): native is Native {
  const { model, content } = (native ?? {}) as Partial<Native>;
  return typeof model === "string" && Array.isArray(content);
}

function says(content: readonly AnswerPart[], message: Extract<Message, { role: "assistant" }>): boolean {
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
  const calls = content.flatMap((part) => (part.type === "tool-call" ? [part] : []));
  return (
    text === message.text &&
    calls.length === message.calls.length &&
    calls.every(({ toolCallId, input }, index) => {
      const call = message.calls[index];
      return toolCallId === call?.id && input === call.input;
    })
  );
}

/** Nothing but white space, and nothing tied to it. Anthropic rejects such a text, though its models write them. */
function isBlank(part: AnswerPart): boolean {
  return part.type === "text" && part.text.trim() === "" && part.providerOptions === undefined;
}

/** Arguments that are no JSON object are rejected by some providers and servers: such a call goes back without any. */
function withSoundInput(part: AnswerPart): AnswerPart {
  return part.type === "tool-call" && !isObject(part.input) ? { ...part, input: "{}" } : part;
}

function isObject(input: unknown): boolean {
  try {
    const value: unknown = JSON.parse(String(input));
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
