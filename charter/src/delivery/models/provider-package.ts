import type { LanguageModelV4, LanguageModelV4Usage } from "@ai-sdk/provider";
import { loadPackage } from "../../packages/load-package.ts";
import type { ProviderPackage } from "./model-entry.ts";

/** Loads a provider's package, or throws a Problem that names it and its purpose. */
export const loadProviderPackage = <Name extends ProviderPackage>(name: Name) =>
  loadPackage(name, { purpose: "Loading a model by its name" });

export type CompatibleServerOptions = {
  readonly baseURL: string;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
};

/** Makes a model on a server that speaks OpenAI's chat protocol. */
export async function compatible(
  name: string,
  model: string,
  settings: CompatibleServerOptions,
): Promise<LanguageModelV4> {
  const { createOpenAICompatible } = await loadProviderPackage("@ai-sdk/openai-compatible");
  const own = name === "azure" ? { transformRequestBody: withCompletionLimit } : {};
  return createOpenAICompatible({
    name,
    includeUsage: true,
    supportsStructuredOutputs: true,
    convertUsage,
    ...own,
    ...settings,
  }).chatModel(model);
}

/** Renames the limit of an answer: OpenAI's newer models know it by this name alone, and the older ones know it as well. */
function withCompletionLimit({ max_tokens: limit, ...body }: Record<string, unknown>): Record<string, unknown> {
  return limit === undefined ? body : { ...body, max_completion_tokens: limit };
}

type CompatibleUsage = {
  readonly prompt_tokens?: number | null | undefined;
  readonly completion_tokens?: number | null | undefined;
  readonly prompt_tokens_details?: { readonly [name: string]: unknown } | null | undefined;
};

/** Converts usage; uncounted tokens stay unknown, since not every server has a cache, or reports it. */
function convertUsage(usage: CompatibleUsage | null | undefined): LanguageModelV4Usage {
  const { cached_tokens: read, cache_write_tokens: written } = usage?.prompt_tokens_details ?? {};
  const inputTokens = {
    total: usage?.prompt_tokens ?? undefined,
    noCache: undefined,
    cacheRead: typeof read === "number" ? read : undefined,
    cacheWrite: typeof written === "number" ? written : undefined,
  };
  const outputTokens = { total: usage?.completion_tokens ?? undefined, text: undefined, reasoning: undefined };
  return { inputTokens, outputTokens };
}
