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

/** Why it ended; undefined where it broke. */
export function finishOf({ finishReason }: FinishPart): Finish | undefined {
  const word = typeof finishReason === "string" ? finishReason : finishReason.unified;
  if (word === "error" || word === "interrupted") return undefined;
  return word === "unknown" ? "other" : word;
}

export function usageOf(part: FinishPart): Usage {
  const { usage } = part;
  if (isPlain(usage)) return plainUsage(usage, part.providerMetadata?.anthropic);
  const { inputTokens, outputTokens } = usage;
  return {
    input: inputTokens.total ?? null,
    read: inputTokens.cacheRead ?? null,
    written: inputTokens.cacheWrite ?? null,
    output: outputTokens.total ?? null,
  };
}

function isPlain(usage: FinishPart["usage"]): usage is PlainUsage {
  return typeof usage.inputTokens !== "object";
}

/** Anthropic's count of the input leaves out what the cache had or took; its package tells of the latter aside. */
function plainUsage(
  { inputTokens: input, outputTokens: output, cachedInputTokens: read }: PlainUsage,
  anthropic: Readonly<Record<string, unknown>> | undefined,
): Usage {
  const { cacheCreationInputTokens: written } = anthropic ?? {};
  const besides = anthropic === undefined ? 0 : (read ?? 0) + (typeof written === "number" ? written : 0);
  return {
    input: input === undefined ? null : input + besides,
    read: read ?? null,
    written: typeof written === "number" ? written : null,
    output: output ?? null,
  };
}
