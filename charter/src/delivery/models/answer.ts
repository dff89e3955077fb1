import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import { defined, isRecord } from "../../prompt/argument.ts";
import type { Answer, DroppedReasoning, Finish, Message, Native, Usage } from "../model.ts";

/** The result of a stream: an answer, or the error that broke it; `began` shows that a part of an answer had arrived. */
type ReadAnswerResult =
  | { readonly answer: Answer }
  | { readonly answer?: undefined; readonly error: unknown; readonly began: boolean };

type StreamedText = { type: "text" | "reasoning"; text: string; metadata?: SharedV4ProviderMetadata | undefined };
type StreamedPart = StreamedText | Exclude<AnswerPart, { type: "text" | "reasoning" }>;

/**
 * Reads a provider's stream to its end. Only a stream that says it is finished is an answer: one that just ends, or reports an
 * error, is broken, and nothing of it counts, least of all half a tool call.
 */
export async function readAnswer(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  model: string,
  onText: (delta: string) => void,
): Promise<ReadAnswerResult> {
  const parts = createParts(onText);
  let finish: FinishPart | undefined;
  let failed: { readonly error: unknown } | undefined;
  const reader = stream.getReader();
  try {
    for (;;) {
      const next = await reader.read().catch((error: unknown) => ({ error }));
      if ("error" in next) {
        failed ??= next;
        break;
      }
      if (next.done) break;
      const part = next.value;
      if (part.type === "error") failed ??= { error: part.error };
      else if (part.type === "finish") finish = failed ? finish : part;
      else parts.add(part);
    }
  } finally {
    reader.cancel().catch(() => {});
  }
  // Ignores a connection that drops after the provider finished: the answer is whole.
  const ended = finish && finishOf(finish);
  if (!finish || !ended) return { error: failed?.error, began: parts.began() };
  const content = parts.content();
  // Only an interrupted answer needs what the provider did for it: the model goes on from there.
  const kept = ended === "pause" ? content : content.filter(isOurs);
  return { answer: partsAnswer(kept, model, { finish: ended, ...countsOf(finish) }) };
}

/** Returns true for a part that is no file, and no use of the provider's own tools. */
function isOurs(part: AnswerPart): boolean {
  return part.type === "tool-call" ? isOwnCall(part) : ["text", "reasoning", "custom"].includes(part.type);
}

/** Collects the parts of a stream as they arrive. */
export function createParts(onText: (delta: string) => void) {
  const arrived: StreamedPart[] = [];
  const open = new Map<string, StreamedText>();
  const add = (part: LanguageModelV4StreamPart): void => {
    switch (part.type) {
      case "text-start":
      case "reasoning-start": {
        const type = part.type === "text-start" ? "text" : "reasoning";
        const written: StreamedText = { type, text: "", metadata: part.providerMetadata };
        open.set(`${type} ${part.id}`, written);
        arrived.push(written);
        break;
      }
      case "text-delta":
      case "text-end":
      case "reasoning-delta":
      case "reasoning-end": {
        const written = open.get(`${part.type.startsWith("text") ? "text" : "reasoning"} ${part.id}`);
        if (!written) break;
        written.metadata = part.providerMetadata ?? written.metadata;
        if (!("delta" in part)) break;
        written.text += part.delta;
        if (written.type === "text" && part.delta !== "") onText(part.delta);
        break;
      }
      case "tool-call":
      case "tool-result":
      case "file":
      case "reasoning-file":
      case "custom":
        arrived.push(...contentParts([part]));
    }
  };
  return { add, began: () => arrived.length > 0, content: () => arrived.map(writtenPart) };
}

function writtenPart(part: StreamedPart): AnswerPart {
  if (part.type !== "text" && part.type !== "reasoning") return part;
  const { type, text, metadata } = part as StreamedText;
  return { type, text, ...optionsOf(metadata) };
}

/** Converts a whole answer to the parts that are sent back to the provider. */
export function contentParts(content: readonly LanguageModelV4Content[]): AnswerPart[] {
  return content.flatMap((part): AnswerPart[] => {
    const options = optionsOf("providerMetadata" in part ? part.providerMetadata : undefined);
    switch (part.type) {
      case "text":
      case "reasoning":
        return [{ type: part.type, text: part.text, ...options }];
      case "tool-call": {
        const { toolCallId, toolName, input, providerExecuted } = part;
        const own = providerExecuted ? { providerExecuted } : {};
        return [{ type: "tool-call", toolCallId, toolName, input, ...own, ...options }];
      }
      case "tool-result": {
        const { toolCallId, toolName, result, isError } = part;
        const output = { type: isError ? ("error-json" as const) : ("json" as const), value: result };
        return [{ type: "tool-result", toolCallId, toolName, output, ...options }];
      }
      case "file":
      case "reasoning-file": {
        // Wraps the bytes, which older versions of the AI SDK leave bare.
        const data = typeof part.data === "string" ? { type: "data" as const, data: part.data } : part.data;
        return [{ type: part.type, mediaType: part.mediaType, data, ...options } as AnswerPart];
      }
      // Drops the part with which Anthropic opens a stream: it only repeats the usage.
      case "custom":
        return part.kind === "anthropic.message_start" ? [] : [{ type: "custom", kind: part.kind, ...options }];
      default:
        return [];
    }
  });
}

/** Makes an answer of the AI SDK's parts. */
export function partsAnswer(
  content: readonly AnswerPart[],
  model: string,
  end: Pick<Answer, "finish" | "usage" | "dropped">,
): Answer {
  return wholeAnswer({ ...readParts(content), ...end }, nativeOf(model, content));
}

/**
 * Completes an answer with its native content, and corrects how it finished: some servers report an ordinary end, or a word of
 * their own, when tools are called.
 */
export function wholeAnswer(answer: Omit<Answer, "native">, native: Native | undefined): Answer {
  const { calls, finish } = answer;
  return {
    ...answer,
    finish: calls.length > 0 && ["stop", "pause", "other"].includes(finish) ? "tool-calls" : finish,
    ...defined({ native }),
  };
}

function optionsOf(metadata: SharedV4ProviderMetadata | undefined) {
  return metadata === undefined ? {} : { providerOptions: metadata };
}

export type AnswerPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];

type AnswerMessage = Extract<Message, { role: "assistant" }>;
type NativeContent = Extract<Native, { model: string }>;
type NativeForm = NativeContent["form"];
/** Reads the text and the calls in a content, in whatever form. */
type ReadContent<Part> = (content: readonly Part[]) => Pick<AnswerMessage, "text" | "calls">;

/** Returns the parts of an answer that must be kept besides its text and its calls; undefined when there are none. */
export function nativeOf(model: string, content: readonly AnswerPart[]): Native | undefined {
  const [first, ...rest] = content;
  const calls = first?.type === "text" ? rest : content;
  const plain = calls.every(isOwnCall) && content.every((part) => !part.providerOptions);
  return plain ? undefined : plainNative({ model, content });
}

/** Returns native content as it comes back from a record: plain JSON. */
export function plainNative(native: NativeContent): Native {
  return JSON.parse(JSON.stringify(native)) as Native;
}

type CallPart = Extract<AnswerPart, { type: "tool-call" }>;

/** Returns true for a call that we are asked to run; others ran at the provider. */
function isOwnCall(part: AnswerPart): part is CallPart {
  return part.type === "tool-call" && !part.providerExecuted;
}

/**
 * Returns the parts of an answer on its way back to a model. Native content is used for the model that made it, as long as it
 * agrees with the message: a message that was changed since, or made elsewhere, goes back as its text and calls.
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

/** Returns an answer's native content, if this model made it in this form and it agrees with the message. */
export function ownContent<Part extends object>(
  message: AnswerMessage,
  { model, form, read }: { readonly model: string; readonly form: NativeForm; readonly read: ReadContent<Part> },
): readonly Part[] | undefined {
  const { native, text, calls } = message;
  if (!isNative(native) || native.model !== model || native.form !== form) return undefined;
  const content = native.content as readonly Part[];
  const answer = read(content);
  const isSaid =
    answer.text === text &&
    answer.calls.length === calls.length &&
    answer.calls.every(({ id, input }, index) => id === calls[index]?.id && input === calls[index]?.input);
  return isSaid ? content : undefined;
}

export function isNative(native: unknown): native is NativeContent {
  const { model, content } = (native ?? {}) as Partial<NativeContent>;
  return typeof model === "string" && Array.isArray(content);
}

/** Reads the text and the calls in the AI SDK's parts. */
function readParts(content: readonly AnswerPart[]): Pick<AnswerMessage, "text" | "calls"> {
  return {
    text: content.map((part) => (part.type === "text" ? part.text : "")).join(""),
    calls: content
      .filter(isOwnCall)
      .map(({ toolCallId, toolName, input }) => ({ id: toolCallId, name: toolName, input: String(input) })),
  };
}

/**
 * Returns true for a text of white space with no options of its own. Anthropic rejects such a text, though its models write them.
 */
function isBlank(part: AnswerPart): boolean {
  return part.type === "text" && part.text.trim() === "" && part.providerOptions === undefined;
}

/**
 * Makes a call acceptable to every provider: a name that cannot be a tool's, or arguments that are no JSON object or contain half
 * a character, would have this and every later request of the session rejected.
 */
function soundCall(part: AnswerPart): AnswerPart {
  if (!isOwnCall(part)) return part;
  return { ...part, toolName: soundName(part.toolName), input: soundInput(String(part.input)) };
}

/** Replaces characters that no tool's name has: models make up names, “multi_tool_use.parallel” say. */
export function soundName(name: string): string {
  return (
    name
      .replace(/[^\w-]/g, "_")
      .replace(/^(?=[\d-])/, "_")
      .slice(0, 64) || "unknown"
  );
}

/** Returns the JSON of an object, whatever a model wrote. */
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

/** The end of a stream, in the form of every version: AI SDK 5 has plain values. */
export type FinishPart = {
  readonly finishReason: LanguageModelV4FinishReason | FinishWord;
  readonly usage: LanguageModelV4Usage | PlainUsage;
  readonly providerMetadata?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
};

type FinishWord = Finish | "error" | "unknown";

type PlainUsage = {
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly cachedInputTokens?: number | undefined;
};

/** Returns how a stream finished; undefined where it broke. A custom provider may leave the word out, or have one of its own. */
export function finishOf({ finishReason }: Partial<FinishPart>): Finish | undefined {
  const { unified: word, raw } =
    typeof finishReason === "object" ? (finishReason ?? {}) : { unified: finishReason, raw: undefined };
  if (word === "error" || word === "interrupted") return undefined;
  // Anthropic's package reports a turn that its provider interrupts as an ordinary end.
  if (raw === "pause_turn") return "pause";
  return finishes.find((known) => known === word) ?? "other";
}

const finishes: readonly Finish[] = ["stop", "tool-calls", "length", "content-filter", "other"];

/** Returns what a stream's end says besides its reason: the usage, and what was left out of the request. */
export function countsOf(finish: Partial<FinishPart>): Pick<Answer, "usage" | "dropped"> {
  return { usage: usageOf(finish), ...droppedIn(finish.providerMetadata?.anthropic?.inputTransformations) };
}

/** Reads Anthropic's report on reasoning that does not belong to the request it was in. Entries of other types are ignored. */
export function droppedIn(report: unknown): Pick<Answer, "dropped"> {
  const entries: readonly unknown[] = Array.isArray(report) ? report : [];
  const dropped = entries.flatMap((entry): DroppedReasoning[] => {
    const { type, path, reason } = isRecord(entry) ? entry : {};
    if (type !== "thinking_dropped" && type !== "thinking_mismatch_allowed") return [];
    return [{ type, path: String(path), reason: String(reason) }];
  });
  return dropped.length > 0 ? { dropped } : {};
}

/** Returns the usage; unreported counts are null. */
export function usageOf({ usage, providerMetadata }: Partial<FinishPart>): Usage {
  if (!usage || isPlain(usage)) return plainUsage(usage ?? {}, providerMetadata?.anthropic);
  const { inputTokens, outputTokens }: Partial<LanguageModelV4Usage> = usage;
  return {
    input: inputTokens?.total ?? null,
    read: inputTokens?.cacheRead ?? null,
    written: inputTokens?.cacheWrite ?? null,
    output: outputTokens?.total ?? null,
  };
}

function isPlain(usage: FinishPart["usage"]): usage is PlainUsage {
  const { inputTokens, outputTokens } = usage;
  const counts: readonly unknown[] = [inputTokens, outputTokens];
  return !counts.some((count) => typeof count === "object" && count !== null);
}

/**
 * Reads plain usage. Anthropic's count of the input leaves out tokens read from the cache and written to it; its package reports
 * the latter separately.
 */
function plainUsage(
  { inputTokens: input, outputTokens: output, cachedInputTokens: read }: Partial<PlainUsage>,
  anthropic: Readonly<Record<string, unknown>> | undefined,
): Usage {
  const { cacheCreationInputTokens: written } = anthropic ?? {};
  const cached = anthropic === undefined ? 0 : (read ?? 0) + (typeof written === "number" ? written : 0);
  return {
    input: typeof input === "number" ? input + cached : null,
    read: read ?? null,
    written: typeof written === "number" ? written : null,
    output: output ?? null,
  };
}
