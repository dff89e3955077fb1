import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Finish, Usage } from "../model.ts";

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
