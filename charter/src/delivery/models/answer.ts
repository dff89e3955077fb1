import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import type { Answer, Finish, Message, Native, Usage } from "../model.ts";

/** What a stream came to: an answer, or how it broke; `began`: something of an answer had come by then. */
type ReadAnswerResult =
  | { readonly answer: Answer }
  | { readonly answer?: undefined; readonly error: unknown; readonly began: boolean };

type StreamedText = { type: "text" | "reasoning"; text: string; metadata?: SharedV4ProviderMetadata | undefined };
type StreamedPart = StreamedText | Exclude<AnswerPart, { type: "text" | "reasoning" }>;

/**
 * Reads a provider's stream to its end. Only a stream that says it is finished is an answer: one that just ends, or
 * reports an error, is broken, and nothing of it counts, least of all half a tool call.
 */
export async function readAnswer(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  model: string,
  onText: (delta: string) => void,
): Promise<ReadAnswerResult> {
  const parts = createParts({ onText });
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
  // After the provider said it was done, a connection that drops takes nothing from the answer.
  const ended = finish && finishOf(finish);
  if (!finish || !ended) return { error: failed?.error, began: parts.began() };
  return { answer: partsAnswer(parts.content(), model, { finish: ended, usage: usageOf(finish) }) };
}

type PartsOptions = {
  readonly onText?: (delta: string) => void;
  /** Also files, and what tools of the provider's own were asked and gave. */
  readonly whole?: boolean;
};

/** Puts the parts of a stream together as they come. */
export function createParts({ onText = () => {}, whole = false }: PartsOptions) {
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
        arrived.push(...contentParts([part], whole));
    }
  };
  return { add, began: () => arrived.length > 0, content: () => arrived.map(writtenPart) };
}

function writtenPart(part: StreamedPart): AnswerPart {
  if (part.type !== "text" && part.type !== "reasoning") return part;
  const { type, text, metadata } = part as StreamedText;
  return { type, text, ...optionsOf(metadata) };
}

/** What a provider answered at once, in the parts that are sent back to it. `whole`: as of `createParts`. */
export function contentParts(content: readonly LanguageModelV4Content[], whole = true): AnswerPart[] {
  return content.flatMap((part): AnswerPart[] => {
    const options = optionsOf("providerMetadata" in part ? part.providerMetadata : undefined);
    switch (part.type) {
      case "text":
      case "reasoning":
        return [{ type: part.type, text: part.text, ...options }];
      case "tool-call": {
        const { toolCallId, toolName, input, providerExecuted } = part;
        if (providerExecuted && !whole) return [];
        const own = providerExecuted ? { providerExecuted } : {};
        return [{ type: "tool-call", toolCallId, toolName, input, ...own, ...options }];
      }
      case "tool-result": {
        const { toolCallId, toolName, result, isError } = part;
        const output = { type: isError ? ("error-json" as const) : ("json" as const), value: result };
        return whole ? [{ type: "tool-result", toolCallId, toolName, output, ...options }] : [];
      }
      case "file":
      case "reasoning-file": {
        // Older versions of the AI SDK have the bytes as they are.
        const data = typeof part.data === "string" ? { type: "data" as const, data: part.data } : part.data;
        return whole ? [{ type: part.type, mediaType: part.mediaType, data, ...options } as AnswerPart] : [];
      }
      // Anthropic opens its stream with a part that only repeats the usage.
      case "custom":
        return part.kind === "anthropic.message_start" ? [] : [{ type: "custom", kind: part.kind, ...options }];
      default:
        return [];
    }
  });
}

/** An answer whose parts are the AI SDK's. */
export function partsAnswer(
  content: readonly AnswerPart[],
  model: string,
  end: Pick<Answer, "finish" | "usage">,
): Answer {
  return wholeAnswer({ ...readParts(content), ...end }, nativeOf(model, content));
}

/** An answer, and what is native to it. Some servers call it an ordinary end, or something of their own, when tools are called. */
export function wholeAnswer(answer: Omit<Answer, "native">, native: Native | undefined): Answer {
  const { calls, finish } = answer;
  return {
    ...answer,
    finish: calls.length > 0 && (finish === "stop" || finish === "other") ? "tool-calls" : finish,
    ...(native === undefined ? {} : { native }),
  };
}

function optionsOf(metadata: SharedV4ProviderMetadata | undefined) {
  return metadata === undefined ? {} : { providerOptions: metadata };
}

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
function readParts(content: readonly AnswerPart[]): Pick<AnswerMessage, "text" | "calls"> {
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

/** How a stream ended, in the words of every version: AI SDK 5 has plain ones. */
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

/** Why it ended; undefined where it broke. A provider of anyone's may leave the word out, or have one of its own. */
export function finishOf({ finishReason }: Partial<FinishPart>): Finish | undefined {
  const word = typeof finishReason === "string" ? finishReason : finishReason?.unified;
  if (word === "error" || word === "interrupted") return undefined;
  return finishes.find((known) => known === word) ?? "other";
}

const finishes: readonly Finish[] = ["stop", "tool-calls", "length", "content-filter", "other"];

/** What it used; what it does not say is not known. */
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

/** Anthropic's count of the input leaves out what the cache had or took; its package tells of the latter aside. */
function plainUsage(
  { inputTokens: input, outputTokens: output, cachedInputTokens: read }: Partial<PlainUsage>,
  anthropic: Readonly<Record<string, unknown>> | undefined,
): Usage {
  const { cacheCreationInputTokens: written } = anthropic ?? {};
  const besides = anthropic === undefined ? 0 : (read ?? 0) + (typeof written === "number" ? written : 0);
  return {
    input: typeof input === "number" ? input + besides : null,
    read: read ?? null,
    written: typeof written === "number" ? written : null,
    output: output ?? null,
  };
}
