import type { CompatibleServerOptions } from "./compatible-server.ts";
import type { LanguageModel } from "./language-model.ts";
import { loadProviderPackage } from "./provider-package.ts";
import type { Connection, ProviderPackage } from "./table/connection.ts";

/** How a provider is reached. Its package is loaded when one of its models is. */
export type Provider = {
  readonly package: ProviderPackage;
  /** The variables its key is looked for in, and whether it does without. */
  readonly keys: readonly string[];
  readonly keyless?: true;
  /** The variable that overrides its address, and the address; one without a path gets the usual one. */
  readonly address: readonly [variable: string, address: string | undefined, path: string];
  readonly open: (model: string, connection: Connection) => Promise<LanguageModel>;
};

const openaiKeys = ["OPENAI_API_KEY"];
const openaiAddress = ["OPENAI_BASE_URL", "https://api.openai.com/v1", "/v1"] as const;

export const providers: Readonly<Record<string, Provider>> = {
  anthropic: {
    package: "@ai-sdk/anthropic",
    keys: ["ANTHROPIC_API_KEY"],
    address: ["ANTHROPIC_BASE_URL", "https://api.anthropic.com/v1", "/v1"],
    open: async (model, to) => (await loadProviderPackage("@ai-sdk/anthropic")).createAnthropic(keyed(to))(model),
  },
  openai: {
    package: "@ai-sdk/openai",
    keys: openaiKeys,
    address: openaiAddress,
    open: async (model, to) => (await loadProviderPackage("@ai-sdk/openai")).createOpenAI(keyed(to)).responses(model),
  },
  "openai-chat": {
    package: "@ai-sdk/openai",
    keys: openaiKeys,
    address: openaiAddress,
    open: async (model, to) => (await loadProviderPackage("@ai-sdk/openai")).createOpenAI(keyed(to)).chat(model),
  },
  google: {
    package: "@ai-sdk/google",
    keys: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"],
    address: ["GOOGLE_BASE_URL", "https://generativelanguage.googleapis.com/v1beta", "/v1beta"],
    open: async (model, to) => (await loadProviderPackage("@ai-sdk/google")).createGoogle(keyed(to))(model),
  },
  openrouter: {
    package: "@ai-sdk/openai-compatible",
    keys: ["OPENROUTER_API_KEY"],
    address: ["OPENROUTER_BASE_URL", "https://openrouter.ai/api/v1", "/api/v1"],
    open: compatible("openrouter"),
  },
  azure: {
    package: "@ai-sdk/openai-compatible",
    keys: ["AZURE_OPENAI_API_KEY"],
    address: ["AZURE_OPENAI_ENDPOINT", undefined, "/openai/v1"],
    open: compatible("azure"),
  },
  ollama: {
    package: "@ai-sdk/openai-compatible",
    keys: ["OLLAMA_API_KEY"],
    keyless: true,
    address: ["OLLAMA_BASE_URL", "http://localhost:11434/v1", "/v1"],
    open: compatible("ollama"),
  },
  "openai-compatible": {
    package: "@ai-sdk/openai-compatible",
    keys: ["OPENAI_COMPATIBLE_API_KEY"],
    keyless: true,
    address: ["OPENAI_COMPATIBLE_BASE_URL", undefined, "/v1"],
    open: compatible("openai-compatible"),
  },
};

export function providerNamed(name: string): Provider | undefined {
  return Object.hasOwn(providers, name) ? providers[name] : undefined;
}

function compatible(name: string): Provider["open"] {
  return async (model, to) =>
    (await import("./compatible-server.ts")).compatible(name, model, settings(to) as CompatibleServerOptions);
}

function settings({ baseURL, apiKey, headers, fetch }: Connection) {
  return { baseURL, headers, ...(apiKey ? { apiKey } : {}), ...(fetch ? { fetch } : {}) };
}

/** These packages look for a key of their own where they are given none: a server that wants none is told so. */
function keyed(to: Connection) {
  return settings({ ...to, apiKey: to.apiKey || "none" });
}
