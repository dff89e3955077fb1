/**
 * A language model of the AI SDK, by its shape: `openai("gpt-…")`, `anthropic("claude-…")` and those of every other
 * provider package of AI SDK 5, 6 and 7. No package of it is needed to compile this.
 */
export type LanguageModel = {
  /** v4 is that of AI SDK 7, v3 of 6, v2 of 5. */
  readonly specificationVersion: "v2" | "v3" | "v4";
  /** “openai.responses”, say. */
  readonly provider: string;
  readonly modelId: string;
  readonly doStream: (options: never) => PromiseLike<{ readonly stream: object }>;
};

export const specificationVersions: readonly string[] = ["v2", "v3", "v4"];

/** Has it the shape of one, of whatever version? */
export function isLanguageModel(given: unknown): given is LanguageModel {
  const { doStream, provider, modelId } = Object(given) as Partial<LanguageModel>;
  return typeof doStream === "function" && typeof provider === "string" && typeof modelId === "string";
}

/**
 * The name of a language model as `receiverOf` knows it. What one service passes on of another's models is not known by
 * the other's facts: it may cost and cache differently.
 */
export function languageModelName({ provider, modelId }: Pick<LanguageModel, "provider" | "modelId">): string {
  if (provider === "openai.chat" || provider === "openai.completion") return `openai-chat/${modelId}`;
  if (/^google\.(?!generative-ai)/.test(provider)) return `${provider.replaceAll(".", "-")}/${modelId}`;
  return `${provider.split(".")[0]}/${modelId}`;
}
