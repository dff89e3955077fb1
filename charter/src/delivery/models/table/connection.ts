/** The environment variables that API keys and addresses are taken from, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a request goes, and with what. */
export type Connection = {
  readonly baseURL: string;
  readonly apiKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch | undefined;
};

/** The packages that providers' models come from. */
export type ProviderPackage = "@ai-sdk/anthropic" | "@ai-sdk/openai" | "@ai-sdk/google" | "@ai-sdk/openai-compatible";
