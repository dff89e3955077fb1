import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { Message } from "../model.ts";

export type AnswerPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];

/**
 * An answer as its provider wants it back: reasoning, signatures and ids, in the order in which they came. Such things
 * are bound to the model that made them, so they carry its name. It is plain JSON.
 */
type NativeContent = { readonly model: string; readonly content: readonly AnswerPart[] };

/** What must be kept of an answer beside its text and its calls; undefined when those say it all. */
export function nativeOf(model: string, content: readonly AnswerPart[]): NativeContent | undefined {
  const [first, ...rest] = content;
  const calls = first?.type === "text" ? rest : content;
  const plain = calls.every(({ type }) => type === "tool-call") && content.every((part) => !part.providerOptions);
  return plain ? undefined : (JSON.parse(JSON.stringify({ model, content })) as NativeContent);
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
  return parts.filter((part) => !isBlank(part)).map(soundCall);
}

export function isNative(native: unknown): native is NativeContent {
  const { model, content } = (native ?? {}) as Partial<NativeContent>;
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

/**
 * A call as every provider takes it back: one under a name that cannot be a tool's, with arguments that are no JSON
 * object, or half a character in them, would have this and every later request of the session rejected.
 */
function soundCall(part: AnswerPart): AnswerPart {
  if (part.type !== "tool-call") return part;
  return { ...part, toolName: soundName(part.toolName), input: soundInput(String(part.input)) };
}

/** Models make up names, “multi_tool_use.parallel” say. */
export function soundName(name: string): string {
  return (
    name
      .replace(/[^\w-]/g, "_")
      .replace(/^(?=[\d-])/, "_")
      .slice(0, 64) || "unknown"
  );
}

function soundInput(input: string): string {
  let whole = true;
  const mended = (key: string, value: unknown) => {
    if (!key.isWellFormed()) throw new Error("A key is no text.");
    if (typeof value !== "string" || value.isWellFormed()) return value;
    whole = false;
    return value.toWellFormed();
  };
  try {
    const value: unknown = JSON.parse(input, /\\ud/i.test(input) ? mended : undefined);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return "{}";
    return whole ? input : JSON.stringify(value);
  } catch {
    return "{}";
  }
}
