import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { Message, Native } from "../model.ts";

export type AnswerPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];

type AnswerMessage = Extract<Message, { role: "assistant" }>;
type NativeContent = Extract<Native, { model: string }>;
type NativeForm = NativeContent["form"];
/** The text and the calls in a content, whatever its form. */
type ReadContent<Part> = (content: readonly Part[]) => Pick<AnswerMessage, "text" | "calls">;

/** What must be kept of an answer beside its text and its calls; undefined when those say it all. */
export function nativeOf(model: string, content: readonly AnswerPart[]): Native | undefined {
  const [first, ...rest] = content;
  const calls = first?.type === "text" ? rest : content;
  const plain = calls.every(isOwnCall) && content.every((part) => !part.providerOptions);
  return plain ? undefined : plainNative({ model, content });
}

/** As it comes back from a record: plain JSON. */
export function plainNative(native: NativeContent): Native {
  return JSON.parse(JSON.stringify(native)) as Native;
}

type CallPart = Extract<AnswerPart, { type: "tool-call" }>;

/** A call that we are asked to run; others ran where the model is. */
function isOwnCall(part: AnswerPart): part is CallPart {
  return part.type === "tool-call" && !part.providerExecuted;
}

/**
 * The parts of an answer on its way back to a model. What is native is used by the model that made it, as long as it
 * says what the message says: a message that was changed since, or made elsewhere, goes back as its text and calls.
 */
export function answerParts(message: AnswerMessage, model: string): AnswerPart[] {
  const { text, calls } = message;
  const parts = ownContent(message, { model, form: undefined, read: readParts }) ?? [
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

/** What is native to an answer, where this model made it in this form and it says what the message says. */
export function ownContent<Part extends object>(
  message: AnswerMessage,
  { model, form, read }: { readonly model: string; readonly form: NativeForm; readonly read: ReadContent<Part> },
): readonly Part[] | undefined {
  const { native, text, calls } = message;
  if (!isNative(native) || native.model !== model || native.form !== form) return undefined;
  const content = native.content as readonly Part[];
  const said = read(content);
  const isSaid =
    said.text === text &&
    said.calls.length === calls.length &&
    said.calls.every(({ id, input }, index) => id === calls[index]?.id && input === calls[index]?.input);
  return isSaid ? content : undefined;
}

export function isNative(native: unknown): native is NativeContent {
  const { model, content } = (native ?? {}) as Partial<NativeContent>;
  return typeof model === "string" && Array.isArray(content);
}

/** The text and the calls in the AI SDK's parts. */
export function readParts(content: readonly AnswerPart[]): Pick<AnswerMessage, "text" | "calls"> {
  return {
    text: content.map((part) => (part.type === "text" ? part.text : "")).join(""),
    calls: content
      .filter(isOwnCall)
      .map(({ toolCallId, toolName, input }) => ({ id: toolCallId, name: toolName, input: String(input) })),
  };
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
  if (!isOwnCall(part)) return part;
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

/** The JSON of an object, whatever a model wrote. */
export function soundInput(input: string): string {
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
