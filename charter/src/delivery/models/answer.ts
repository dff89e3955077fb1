import type { LanguageModelV4Content, LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { Answer, Native } from "../model.ts";
import { type FinishPart, finishOf, usageOf } from "./finish.ts";
import { type AnswerPart, nativeOf, readParts } from "./native.ts";

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
