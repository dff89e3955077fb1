import { defined } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Model } from "../model.ts";
import { type Receiver, receiverFacts, receiverOf, splitModelName } from "../receiver.ts";
import {
  type Connection,
  type Environment,
  isLanguageModel,
  type LanguageModel,
  languageModelName,
  type ModelApi,
  type ModelConfig,
  type ModelEntry,
  type ModelTable,
  type ProviderPackage,
  usualCaches,
} from "./model-entry.ts";
import { type CompatibleServerOptions, loadProviderPackage, compatible as openCompatible } from "./provider-package.ts";

/** The sources of models: keys and addresses of providers in the environment, your own models in a table. */
export type ModelSources = { readonly env: Environment; readonly models?: ModelTable | undefined };

/** A model that is known by its name, and how to reach it. Nothing was loaded or asked to find it. */
export type FoundModel = {
  readonly name: string;
  /** The protocol: a provider's name. */
  readonly api: string;
  readonly provider: Provider;
  /** The model's name at the provider. */
  readonly model: string;
  readonly receiver: Receiver;
  /** Shows that its cache rules are not the usual ones. */
  readonly ownCache: boolean;
  /** The source of its key: a variable, or a place in the settings. */
  readonly keyFrom: string;
  /** The variables without which it cannot be asked. */
  readonly needs: readonly string[];
  /** Returns the address that serves it; throws a Problem where none is set. */
  readonly address: () => string;
  /** Returns key and headers, from the variables they are in; throws a Problem where one is missing. */
  readonly credentials: (env: Environment) => Credentials;
};

type Credentials = Pick<Connection, "apiKey" | "headers"> & {
  /** The parts of them that no error may contain. */
  readonly secrets: readonly string[];
};

/** Returns a table's entry for a name. */
export function entryNamed(name: string, models: ModelTable | undefined): ModelEntry | undefined {
  return models && Object.hasOwn(models, name) ? models[name] : undefined;
}

/** Returns true for an entry that is a model already, not the description of one. */
export function isGiven(entry: ModelEntry): entry is Exclude<ModelEntry, ModelConfig> {
  return isLanguageModel(entry) || typeof (entry as Partial<Model>).ask === "function";
}

/** Returns the facts about a model of the table, under the name it has there. `given` is the address, if its entry has none. */
export function entryReceiver(name: string, entry: ModelEntry, given?: string): Receiver {
  if (isLanguageModel(entry)) return { ...givenReceiver(entry), name };
  if (isGiven(entry)) return { ...entry.receiver, name };
  const { window, price, slots, cache, attachments, output, reasoning, roles, guardsTokens, model = name } = entry;
  const api = apiOf(entry);
  const provider = providerNamed(api) as Provider;
  return {
    ...guardedAt(entry.base ?? (given || provider.address[1]), provider, receiverOf(`${api}/${model}`)),
    name,
    ...defined({ guardsTokens, window, slots, attachments, output, reasoning }),
    ...defined({
      price: price && { read: price.input, write: price.input, ...price },
      cache: typeof cache === "string" ? usualCaches[cache] : cache,
    }),
    // Uses the user's role for updates and state, since such a model has no system role in the history.
    ...(roles === "alternate" ? { roles, voice: "user" as const } : {}),
  };
}

/** Returns the facts about a model by its name: from the table, else from its provider. */
export function knownReceiver(name: string, models: ModelTable | undefined): Receiver {
  const entry = entryNamed(name, models);
  return entry === undefined ? receiverFacts(name) : entryReceiver(name, entry);
}

/** Finds a model of the table, or of a provider. Undefined: the name is unknown, or its entry is a model already. */
export function findModel(name: string, { env, models }: ModelSources): FoundModel | undefined {
  const entry = entryNamed(name, models);
  if (entry !== undefined) return isGiven(entry) ? undefined : foundEntry(name, entry, env);
  const { provider: api, model } = splitModelName(name);
  const provider = providerNamed(api);
  if (!provider || model === "") return undefined;
  const { keys, keyless, address } = provider;
  return {
    ...{ name, api, provider, model, ownCache: false },
    receiver: guardedAt(env[address[0]]?.trim() || address[1], provider, receiverOf(name)),
    keyFrom: keys.find((one) => env[one]) ?? (keys[0] as string),
    needs: keyless || keyIn(keys, env) ? [] : keys.slice(0, 1),
    address: () => addressOf(name, env[address[0]]?.trim() || address[1], provider),
    credentials: (from) => {
      const apiKey = keyIn(keys, from);
      if (!apiKey && !keyless) throw needsKey(name, keys);
      return { ...placed(api, apiKey), secrets: apiKey ? [apiKey] : [] };
    },
  };
}

function foundEntry(name: string, entry: ModelConfig, env: Environment): FoundModel {
  const api = apiOf(entry);
  const provider = providerNamed(api) as Provider;
  const { model = name, base, key, headers = {}, cache } = entry;
  const [variable, usualAddress] = provider.address;
  // Keeps a provider's key to that provider: it goes elsewhere only if the entry says so.
  const isUsual = key === undefined && (base === undefined || originOf(base) === originOf(usualAddress));
  const keys = key === undefined ? (isUsual ? provider.keys : []) : [variableOf(key) ?? []].flat();
  const isNeeded = keys.length > 0 && !(isUsual && provider.keyless);
  const headerVariables = Object.values(headers).flatMap((value) => variableOf(value) ?? []);
  return {
    ...{ name, api, provider, model, ownCache: cache !== undefined },
    receiver: entryReceiver(name, entry, env[variable]?.trim()),
    keyFrom: keys[0] ?? `“key” of the model “${name}”`,
    needs: [...(isNeeded && !keyIn(keys, env) ? keys.slice(0, 1) : []), ...headerVariables],
    address: () => addressOf(name, base ?? (env[variable]?.trim() || usualAddress), provider),
    credentials: (from) => {
      const apiKey = keys.length > 0 ? keyIn(keys, from) : typeof key === "string" ? key.trim() : undefined;
      if (!apiKey && isNeeded) throw needsKey(name, keys);
      const own = Object.entries(headers).map(
        ([header, value]) => [header, headerValue(name, header, value, from)] as const,
      );
      const hidden = own.flatMap(([header, value]) => (isSecretHeader(header) ? [value] : []));
      const { headers: others, ...rest } = placed(api, apiKey);
      return {
        ...{ ...rest, headers: { ...others, ...Object.fromEntries(own) } },
        secrets: [...(apiKey ? [apiKey] : []), ...hidden],
      };
    },
  };
}

/** Places the key: Azure takes it in a header of its own. */
function placed(api: string, apiKey: string | undefined): Pick<Connection, "apiKey" | "headers"> {
  if (api !== "azure") return { apiKey, headers: {} };
  return { apiKey: undefined, headers: apiKey ? { "api-key": apiKey } : {} };
}

function isSecretHeader(name: string): boolean {
  return /key|auth|token|secret|cookie|password/i.test(name);
}

/** Returns the variable that contains a key or a header; undefined where the text is the value itself. */
function variableOf(value: string | { readonly env: string }): string | undefined {
  if (typeof value !== "string") return value.env;
  return value.startsWith("$") ? value.slice(1) : undefined;
}

function headerValue(name: string, header: string, value: string | { readonly env: string }, env: Environment): string {
  const variable = variableOf(value);
  if (variable === undefined) return String(value);
  const text = env[variable]?.trim();
  if (text) return text;
  const message = `“${name}” needs the header “${header}”, and ${variable} is not set.`;
  throw new Problem("needs-key", message, `Set ${variable}, or change the header where “${name}” is described.`);
}

const wellKnown: readonly (readonly [host: RegExp, api: ModelApi])[] = [
  [/^api\.anthropic\.com$/, "anthropic"],
  [/^api\.openai\.com$/, "openai"],
  [/^generativelanguage\.googleapis\.com$/, "google"],
  [/(?:^|\.)openrouter\.ai$/, "openrouter"],
  [/\.(?:openai|services\.ai|cognitiveservices)\.azure\.com$/, "azure"],
];

/** Returns the protocol of an entry: its own, else that of a well-known address, else that of most servers. */
function apiOf({ api, base }: ModelConfig): ModelApi {
  if (api !== undefined) return api;
  const url = base === undefined ? null : URL.parse(base);
  if (url?.port === "11434") return "ollama";
  return wellKnown.find(([host]) => host.test(url?.hostname ?? ""))?.[1] ?? "openai-compatible";
}

function keyIn(keys: readonly string[], env: Environment): string | undefined {
  return keys.map((key) => env[key]?.trim()).find((key) => key !== undefined && key !== "");
}

function needsKey(name: string, variables: readonly string[]): Problem {
  return new Problem(
    "needs-key",
    `“${name}” needs a key, and ${variables.join(" or ")} is not set.`,
    `Set ${variables[0]}, or use “stand-in/scripted”, which needs none.`,
  );
}

function addressOf(name: string, given: string | undefined, { address: [variable, , path] }: Provider): string {
  if (given === undefined)
    throw new Problem(
      "needs-address",
      `Where “${name}” is served is not known: ${variable} is not set.`,
      `Set ${variable} to the server's address, like http://localhost:8000/v1.`,
    );
  const url = URL.parse(given);
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new Problem(
      "bad-address",
      `${variable} is “${given}”, which is no address of a server.`,
      "Give one that begins with http:// or https://.",
    );
  return url.pathname === "/" ? `${url.origin}${path}${url.search}` : given.replace(/\/+$/, "");
}

/** A way to reach a provider. Its package is loaded together with one of its models. */
type Provider = {
  readonly package: ProviderPackage;
  /** The variables that may contain its key; `keyless` if it needs none. */
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

function providerNamed(name: string): Provider | undefined {
  return Object.hasOwn(providers, name) ? providers[name] : undefined;
}

function compatible(name: string): Provider["open"] {
  return async (model, to) => openCompatible(name, model, settings(to) as CompatibleServerOptions);
}

function settings({ baseURL, apiKey, headers, fetch }: Connection) {
  return { baseURL, headers, ...defined({ apiKey: apiKey || undefined, fetch }) };
}

/** Sets a placeholder key for a server that wants none: without one, these packages would look for a key of their own. */
function keyed(to: Connection) {
  return settings({ ...to, apiKey: to.apiKey || "none" });
}

/** Returns the facts about a model of the AI SDK: by its name, and by its address as far as it reveals that. */
export function givenReceiver(given: LanguageModel): Receiver {
  const name = languageModelName(given);
  return heardBy(given, guardedAt(addressIn(given), providerNamed(splitModelName(name).provider), receiverOf(name)));
}

/** Uses the user's role for updates with packages before AI SDK 7: they take messages of the system only at the beginning. */
export function heardBy({ specificationVersion }: LanguageModel, receiver: Receiver): Receiver {
  return specificationVersion === "v4" ? receiver : { ...receiver, voice: "user" };
}

/** Trusts a provider to guard itself only at its own address. An unknown server may use its name elsewhere. */
function guardedAt(address: string | undefined, provider: Provider | undefined, receiver: Receiver): Receiver {
  if (!receiver.guardsTokens || originOf(address) === originOf(provider?.address[1])) return receiver;
  const { guardsTokens: _unknown, ...rest } = receiver;
  return rest;
}

function originOf(address: string | undefined): string | undefined {
  return address === undefined ? undefined : URL.parse(address)?.origin;
}

/** Reads a model's address from the two places where packages of the AI SDK keep it. */
function addressIn(given: LanguageModel): string | undefined {
  type Config = { readonly baseURL?: unknown; readonly url?: unknown };
  const { baseURL, url } = Object((given as { readonly config?: unknown }).config) as Config;
  if (typeof baseURL === "string") return baseURL;
  if (typeof url !== "function") return undefined;
  try {
    return String(url({ path: "", modelId: given.modelId }));
  } catch {
    return undefined;
  }
}
