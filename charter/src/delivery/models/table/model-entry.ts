import type { Model } from "../../model.ts";
import type { CacheRules, Price, ReasoningEffort, Receiver } from "../../receiver.ts";
import type { LanguageModel } from "../language-model.ts";

/**
 * Models of your own, by the names agents know them by: `models` of `charter.config.ts`, of `models.json` and of
 * `createHost`. A name in this table is taken before one of a provider.
 */
export type ModelTable = Readonly<Record<string, ModelEntry>>;

/** A model of the AI SDK as it is, or how a model on a server is reached and what is known of it. */
export type ModelEntry = LanguageModel | Model | ModelConfig;

/** How a model is reached, and what you know of it. What is left out is as its provider has it, or unknown. */
export type ModelConfig = {
  /** The server's address, up to what the protocol adds: http://localhost:8000/v1. Needed where `api` has no usual one. */
  readonly base?: string;
  /** Its name on that server; the name in the table, unless given. */
  readonly model?: string;
  /** The protocol. Found by a well-known address, else "openai-compatible". */
  readonly api?: ModelApi;
  /** The key: `{ env: "MY_KEY" }` or "$MY_KEY" is the variable it is in. */
  readonly key?: string | { readonly env: string };
  /** The most tokens a request may have. */
  readonly window?: number;
  /** Dollars per million tokens. What the cache reads and is written costs as much as other input, unless given. */
  readonly price?: Pick<Price, "input" | "output"> & Partial<Price>;
  /** "one-string": everything in the system prompt. */
  readonly slots?: Receiver["slots"];
  /** How it caches: its rules, or the usual ones of a kind. */
  readonly cache?: CacheRules | CacheRules["kind"];
  /** Which pictures and files it takes; it is told in words of others. */
  readonly attachments?: Receiver["attachments"];
  /** The most tokens of an answer. */
  readonly output?: number;
  /** How much it thinks before it answers. */
  readonly reasoning?: ReasoningEffort;
  /** Headers of every request. A value may name a variable, as a key does. */
  readonly headers?: Readonly<Record<string, string | { readonly env: string }>>;
  /** Whether its server takes control tokens of chat templates in a message for words; else they are sent escaped. */
  readonly guardsTokens?: boolean;
  /** "alternate": it takes only messages whose roles alternate, user and assistant. */
  readonly roles?: "alternate" | "any";
};

export const reasonings: readonly string[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** A protocol that models are asked by. */
export type ModelApi = (typeof modelApis)[number];

export const modelApis = [
  "openai-compatible",
  "openai",
  "openai-chat",
  "anthropic",
  "google",
  "azure",
  "ollama",
  "openrouter",
] as const;

/** The rules that are meant by the kind alone. */
export const usualCaches: Readonly<Record<CacheRules["kind"], CacheRules>> = {
  none: { kind: "none" },
  prefix: { kind: "prefix", min: 1024, granularity: 128, ttlSeconds: 300 },
  breakpoint: {
    kind: "breakpoint",
    min: 1024,
    maxBreakpoints: 4,
    implicit: false,
    lookback: 20,
    ttlSeconds: 300,
  },
};

/** Where the price of a model is set. */
export function priceHint(name: string): string {
  return `Set it under “models” in charter.config.ts or in models.json, in dollars per million tokens: "${name}": { …, price: { input: 0.4, output: 1.6 } }.`;
}
