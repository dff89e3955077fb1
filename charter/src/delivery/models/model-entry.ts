import { isRecord } from "../../prompt/argument.ts";
import { listed, Problem } from "../../prompt/problem.ts";
import type { Model } from "../model.ts";
import type { CacheRules, Price, ReasoningEffort, Receiver } from "../receiver.ts";

/**
 * Models of your own, by the names agents use for them: `models` of `charter.config.ts`, of `models.json` and of `createHost`. A
 * name in this table takes precedence over one of a provider.
 */
export type ModelTable = Readonly<Record<string, ModelEntry>>;

/** A model of the AI SDK as it is, or the description of a model on a server: how to reach it and what is known about it. */
export type ModelEntry = LanguageModel | Model | ModelConfig;

/** The description of a model: how to reach it, and what you know about it. Missing facts are its provider's, or unknown. */
export type ModelConfig = {
  /** The server's address, up to what the protocol adds: http://localhost:8000/v1. Needed where `api` has no usual one. */
  readonly base?: string;
  /** The model's name on that server; by default its name in the table. */
  readonly model?: string;
  /** The protocol; by default that of a well-known address, else "openai-compatible". */
  readonly api?: ModelApi;
  /** The key: `{ env: "MY_KEY" }` or "$MY_KEY" names a variable that contains it. */
  readonly key?: string | { readonly env: string };
  /** Maximum tokens of a request. */
  readonly window?: number;
  /** Dollars per million tokens. By default, tokens read from the cache and written to it cost as much as other input. */
  readonly price?: Pick<Price, "input" | "output"> & Partial<Price>;
  /** "one-string": everything in the system prompt. */
  readonly slots?: Receiver["slots"];
  /** Cache rules, or a kind of cache with its usual rules. */
  readonly cache?: CacheRules | CacheRules["kind"];
  /** Kinds of attachment it takes; others are described to it in words. */
  readonly attachments?: Receiver["attachments"];
  /** Maximum tokens of an answer. */
  readonly output?: number;
  /** Reasoning effort before an answer. */
  readonly reasoning?: ReasoningEffort;
  /** Headers of every request. A value may name a variable, like a key. */
  readonly headers?: Readonly<Record<string, string | { readonly env: string }>>;
  /**
   * Shows that its server treats control tokens of chat templates in a message as plain text; by default they are sent escaped.
   */
  readonly guardsTokens?: boolean;
  /** "alternate": it takes only messages whose roles alternate, user and assistant. */
  readonly roles?: "alternate" | "any";
};

export const reasonings: readonly string[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** A protocol of models. */
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

/** The usual rules of each kind of cache. */
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

/** Says where the price of a model is set. */
export function priceHint(name: string): string {
  return `Set it under “models” in charter.config.ts or in models.json, in dollars per million tokens: "${name}": { …, price: { input: 0.4, output: 1.6 } }.`;
}

type Check = readonly [isSound: (value: unknown) => boolean, what: string];

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0;
const isAmount = (value: unknown) => typeof value === "number" && Number.isFinite(value) && value >= 0;
const isOneOf = (names: readonly string[]): Check => [
  (value) => names.includes(value as string),
  `is none of ${listed(names)}`,
];
const isVariable = (value: unknown) => isText(value) && /^[a-z_][a-z0-9_]*$/i.test(value);
const isSecret = (value: unknown) =>
  isRecord(value)
    ? Object.keys(value).join() === "env" && isVariable(value.env)
    : isText(value) && !/[\r\n\0]/.test(value) && (!value.startsWith("$") || isVariable(value.slice(1)));
const isHeader = ([name, value]: readonly [string, unknown]) => /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && isSecret(value);

const fields: Readonly<Record<string, Check>> = {
  base: [isAddress, "is no address of a server: one begins with http:// or https://, and has no password in it"],
  model: [isText, "is no name"],
  api: isOneOf(modelApis),
  key: [isSecret, 'is no key, and names no variable, as in "$MY_KEY" or { env: "MY_KEY" }'],
  window: [(value) => isCount(value) && (value as number) >= 1000, "is no number of tokens: a whole one from 1000 up"],
  price: [
    isPrice,
    "is no price: dollars per million tokens, as in { input: 0.4, output: 1.6 }; read and write may be added",
  ],
  slots: isOneOf(["layered", "one-string"]),
  cache: [
    isCache,
    `is none of ${listed(Object.keys(usualCaches))}, nor rules like { kind: "prefix", min: 1024, granularity: 128, ttlSeconds: 300 }`,
  ],
  attachments: [
    (value) => Array.isArray(value) && value.every((one) => ["image", "pdf", "text"].includes(one)),
    'is no list of what it takes, as in ["image", "pdf"] or []',
  ],
  output: [isCount, "is no number of tokens: a whole one from 1 up"],
  reasoning: isOneOf(reasonings),
  headers: [
    (value) => isRecord(value) && Object.entries(value).every(isHeader),
    'is no object of headers, as in { "x-team": "ada", "x-key": "$TEAM_KEY" }',
  ],
  guardsTokens: [(value) => typeof value === "boolean", "is neither true nor false"],
  roles: isOneOf(["alternate", "any"]),
};

const modelFields: readonly string[] = Object.keys(fields);

/** Name of a table's place for its Problems, and their code. */
type TablePlace = { readonly place: string; readonly code: "bad-config" | "bad-model" };

/** Checks a table of models. A wrong value is named by its field, and never repeated: it may be a key. */
export function checkModels(models: unknown, { place, code }: TablePlace): ModelTable {
  const bad = (message: string) =>
    new Problem(
      code,
      message,
      'As in { local: { base: "http://localhost:8000/v1", model: "qwen3" } }: docs/models.md.',
    );
  if (!isRecord(models)) throw bad(`The models in ${place} are no object.`);
  for (const [name, entry] of Object.entries(models)) {
    if (!/^[a-z0-9][a-z0-9._:@/+-]{0,99}$/i.test(name))
      throw bad(
        `A name of a model in ${place} is none: 1 to 100 letters, digits and ._:@/+-, a letter or digit first.`,
      );
    // Allows a host to put the stand-in, made already, under names of its own.
    const isOwnStandIn = /^stand-in\/(?!scripted$)/.test(name) && isGivenModel(entry);
    if (/^(?:acp\/|stand-in(?:\/|$))/.test(name) && !isOwnStandIn)
      throw bad(`“${name}” in ${place} cannot be the name of a model of yours: it is taken.`);
    if (isGivenModel(entry)) continue;
    if (!isRecord(entry) || isLanguageModel(entry))
      throw bad(`“${name}” in ${place} is no model, of the AI SDK or otherwise, and does not say how one is reached.`);
    for (const [field, value] of Object.entries(entry)) {
      const check = Object.hasOwn(fields, field) ? fields[field] : undefined;
      if (!check)
        throw bad(
          `“${field}” of the model “${name}” in ${place} is not a setting. Those are ${modelFields.join(", ")}.`,
        );
      if (value !== undefined && !check[0](value))
        throw bad(`“${field}” of the model “${name}” in ${place} ${check[1]}.`);
    }
    if (entry.base === undefined && (entry.api === undefined || needBase.includes(entry.api as string)))
      throw bad(`The model “${name}” in ${place} does not say where it is served: it has no “base”.`);
  }
  return models as ModelTable;
}

const needBase: readonly string[] = ["openai-compatible", "azure"];

/** Returns true for an entry that is a model already: of the AI SDK, or `{ receiver, ask }`. */
function isGivenModel(entry: unknown): boolean {
  if (isLanguageModel(entry)) return specificationVersions.includes(entry.specificationVersion);
  const { ask, receiver } = Object(entry) as {
    readonly ask?: unknown;
    readonly receiver?: { readonly name?: unknown };
  };
  return typeof ask === "function" && typeof receiver?.name === "string";
}

function isAddress(value: unknown): boolean {
  const url = isText(value) ? URL.parse(value) : null;
  return (url?.protocol === "http:" || url?.protocol === "https:") && url.username === "" && url.password === "";
}

function isPrice(value: unknown): boolean {
  if (!isRecord(value) || value.input === undefined || value.output === undefined) return false;
  return Object.entries(value).every(
    ([name, amount]) => ["input", "read", "write", "output"].includes(name) && isAmount(amount),
  );
}

function isCache(value: unknown): boolean {
  if (typeof value === "string") return Object.hasOwn(usualCaches, value);
  if (!isRecord(value) || !Object.hasOwn(usualCaches, String(value.kind))) return false;
  const defaults = usualCaches[value.kind as keyof typeof usualCaches];
  const isSound = (name: string, given: unknown) =>
    name === "kind" ||
    (name === "implicit" ? typeof given === "boolean" : isAmount(given) || (name === "lookback" && given === null));
  return (
    Object.keys(defaults).every((name) => value[name] !== undefined) &&
    Object.entries(value).every(([name, given]) => Object.hasOwn(defaults, name) && isSound(name, given))
  );
}

/**
 * A language model of the AI SDK, by its shape: `openai("gpt-…")`, `anthropic("claude-…")` and those of every other provider
 * package of AI SDK 5, 6 and 7. No package of it is needed to compile this.
 */
export type LanguageModel = {
  /** Version of the interface: v4 is AI SDK 7, v3 is 6, v2 is 5. */
  readonly specificationVersion: "v2" | "v3" | "v4";
  /** Name of the provider, such as “openai.responses”. */
  readonly provider: string;
  readonly modelId: string;
  readonly doStream: (options: never) => PromiseLike<{ readonly stream: object }>;
};

export const specificationVersions: readonly string[] = ["v2", "v3", "v4"];

/** Returns true if a value has the shape of a language model of any version. */
export function isLanguageModel(given: unknown): given is LanguageModel {
  const { doStream, provider, modelId } = Object(given) as Partial<LanguageModel>;
  return typeof doStream === "function" && typeof provider === "string" && typeof modelId === "string";
}

/**
 * Returns the name of a language model as `receiverOf` knows it. A service that resells another provider's models does not share
 * that provider's facts: it may cost and cache differently.
 */
export function languageModelName({ provider, modelId }: Pick<LanguageModel, "provider" | "modelId">): string {
  if (provider === "openai.chat" || provider === "openai.completion") return `openai-chat/${modelId}`;
  if (/^google\.(?!generative-ai)/.test(provider)) return `${provider.replaceAll(".", "-")}/${modelId}`;
  return `${provider.split(".")[0]}/${modelId}`;
}

/** Environment variables with API keys and addresses, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The address of requests, with key, headers and `fetch`. */
export type Connection = {
  readonly baseURL: string;
  readonly apiKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch | undefined;
};

/** The packages that providers' models come from. */
export type ProviderPackage = "@ai-sdk/anthropic" | "@ai-sdk/openai" | "@ai-sdk/google" | "@ai-sdk/openai-compatible";
