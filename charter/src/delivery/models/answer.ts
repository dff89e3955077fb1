import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider";
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
  const arrived: StreamedPart[] = [];
  const open = new Map<string, StreamedText>();
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
      else takePart(part, arrived, open, onText);
    }
  } finally {
    reader.cancel().catch(() => {});
  }
  // After the provider said it was done, a connection that drops takes nothing from the answer.
  const ended = finish && finishOf(finish);
  if (!finish || !ended) return { error: failed?.error, began: arrived.length > 0 };
  return { answer: partsAnswer(contentOf(arrived), model, { finish: ended, usage: usageOf(finish) }) };
}

function takePart(
  part: LanguageModelV4StreamPart,
  arrived: StreamedPart[],
  open: Map<string, StreamedText>,
  onText: (delta: string) => void,
): void {
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
    case "tool-call": {
      const { toolCallId, toolName, input, providerExecuted, providerMetadata } = part;
      if (providerExecuted) break;
      arrived.push({ type: "tool-call", toolCallId, toolName, input, ...optionsOf(providerMetadata) });
      break;
    }
    case "custom": {
      // Anthropic opens its stream with a part that only repeats the usage.
      if (part.kind !== "anthropic.message_start")
        arrived.push({ type: "custom", kind: part.kind, ...optionsOf(part.providerMetadata) });
    }
  }
}

function contentOf(arrived: readonly StreamedPart[]): AnswerPart[] {
  return arrived.map((part): AnswerPart => {
    if (part.type !== "text" && part.type !== "reasoning") return part;
    return { type: part.type, text: part.text, ...optionsOf(part.metadata) };
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
