import type { LanguageModelV4 } from "@ai-sdk/provider";
import { loadPackage } from "../../packages/load-package.ts";
import { badArgument, isObject, isText, kindOf } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Model } from "../model.ts";
import { defaultModelOf, receiverOf, splitModelName } from "../providers.ts";
import type { Receiver } from "../receiver.ts";
import { unknownModel } from "./model-name.ts";
import { forProvider } from "./provider-package.ts";

/** The environment variables that API keys and addresses are taken from, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where API keys come from, and what you know better about the model. */
export type LoadModelOptions = {
  readonly env: Environment;
  readonly fetch?: typeof fetch;
  /** Replaces what is known about the model: window, price, cache rules. */
  readonly overrides?: Partial<Receiver>;
};

/** How a provider is reached. Its package is loaded when one of its models is. */
type Provider = {
  readonly package: ProviderPackage;
  /** The variables its key is looked for in, and whether it does without. */
  readonly keys: readonly string[];
  readonly keyless?: true;
  /** The variable that overrides its address, and the address; one without a path gets the usual one. */
  readonly address: readonly [variable: string, address: string | undefined, path: string];
  readonly open: (connection: Connection) => Promise<LanguageModelV4>;
};

type Connection = {
  readonly model: string;
  readonly baseURL: string;
  readonly apiKey: string | undefined;
  readonly fetch: typeof fetch | undefined;
};

type ProviderPackage = "@ai-sdk/anthropic" | "@ai-sdk/openai" | "@ai-sdk/google" | "@ai-sdk/openai-compatible";

const load = <Name extends ProviderPackage>(name: Name) => loadPackage(name, forProvider);

const openaiKeys = ["OPENAI_API_KEY"];
const openaiAddress = ["OPENAI_BASE_URL", "https://api.openai.com/v1", "/v1"] as const;

const providers: Readonly<Record<string, Provider>> = {
  anthropic: {
    package: "@ai-sdk/anthropic",
    keys: ["ANTHROPIC_API_KEY"],
    address: ["ANTHROPIC_BASE_URL", "https://api.anthropic.com/v1", "/v1"],
    open: async ({ model, ...to }) => (await load("@ai-sdk/anthropic")).createAnthropic(settings(to))(model),
  },
  openai: {
    package: "@ai-sdk/openai",
    keys: openaiKeys,
    address: openaiAddress,
    open: async ({ model, ...to }) => (await load("@ai-sdk/openai")).createOpenAI(settings(to)).responses(model),
  },
  "openai-chat": {
    package: "@ai-sdk/openai",
    keys: openaiKeys,
    address: openaiAddress,
    open: async ({ model, ...to }) => (await load("@ai-sdk/openai")).createOpenAI(settings(to)).chat(model),
  },
  google: {
    package: "@ai-sdk/google",
    keys: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"],
    address: ["GOOGLE_BASE_URL", "https://generativelanguage.googleapis.com/v1beta", "/v1beta"],
    open: async ({ model, ...to }) => (await load("@ai-sdk/google")).createGoogle(settings(to))(model),
  },
  openrouter: {
    package: "@ai-sdk/openai-compatible",
    keys: ["OPENROUTER_API_KEY"],
    address: ["OPENROUTER_BASE_URL", "https://openrouter.ai/api/v1", "/api/v1"],
    open: async ({ model, ...to }) =>
      (await import("./compatible-server.ts")).compatible("openrouter", model, settings(to)),
  },
  ollama: {
    package: "@ai-sdk/openai-compatible",
    keys: ["OLLAMA_API_KEY"],
    keyless: true,
    address: ["OLLAMA_BASE_URL", "http://localhost:11434/v1", "/v1"],
    open: async ({ model, ...to }) =>
      (await import("./compatible-server.ts")).compatible("ollama", model, settings(to)),
  },
  "openai-compatible": {
    package: "@ai-sdk/openai-compatible",
    keys: ["OPENAI_COMPATIBLE_API_KEY"],
    keyless: true,
    address: ["OPENAI_COMPATIBLE_BASE_URL", undefined, "/v1"],
    open: async ({ model, ...to }) =>
      (await import("./compatible-server.ts")).compatible("openai-compatible", model, settings(to)),
  },
};

/** The name of the stand-in: a script in place of a model, for use without an API key. */
export const standInName = "stand-in/scripted";

/** The variables that connect a model, one for each provider that needs a key. */
export const keyVariables: readonly string[] = [
  ...new Set(Object.values(providers).flatMap(({ keys, keyless }) => (keyless ? [] : keys.slice(0, 1)))),
];

/** The name of a model you can use: of the first provider whose API key is set, or the stand-in. */
export function defaultModelName(env: Environment): string {
  if (!isObject(env))
    throw badArgument(
      `The environment that defaultModelName was given is ${kindOf(env)}.`,
      "Give defaultModelName(process.env).",
    );
  const names = Object.entries(providers).flatMap(([name, { keys }]) =>
    keyOf(keys, env) ? [defaultModelOf(name)] : [],
  );
  return names.find((name) => name !== undefined) ?? standInName;
}

/** Loads a model by its name, `provider/model`. API key and address come from the environment. */
export async function loadModel(name: string, options: LoadModelOptions): Promise<Model> {
  if (!isText(name) || !isObject(options?.env))
    throw badArgument(
      "loadModel needs a name and an environment.",
      'Give loadModel("provider/model", { env: process.env }).',
    );
  const { env, fetch, overrides } = options;
  const { provider, model } = splitModelName(name);
  if (name === "stand-in" || name === standInName) {
    const standIn = (await import("../stand-in.ts")).standIn();
    return { ...standIn, receiver: { ...standIn.receiver, ...overrides } };
  }
  const known = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  if (!known || model === "") throw isSecret(name, env) ? secretAsName() : unknownModel(name, Object.keys(providers));
  const apiKey = keyOf(known.keys, env);
  if (!apiKey && !known.keyless)
    throw new Problem(
      "needs-key",
      `“${name}” needs a key, and ${known.keys.join(" or ")} is not set.`,
      `Set ${known.keys[0]}, or use “${standInName}”, which needs none.`,
    );
  const baseURL = addressOf(name, known, env);
  const [{ notingFetch, withSentBody }, { windowQuestion }] = await Promise.all([
    import("./sent-body.ts"),
    import("./ask-window.ts"),
  ]);
  const noting = notingFetch(fetch);
  const opened = await openProvider(name, { baseURL, apiKey, fetch: noting.fetch, overrides });
  const askWindow = windowQuestion({ name, baseURL, apiKey, fetch });
  return {
    ...withSentBody(opened.model, noting, opened.madeBy),
    address: publicAddress(baseURL),
    ...(askWindow ? { askWindow } : {}),
  };
}

type OpenOptions = Omit<Connection, "model"> & { readonly overrides: Partial<Receiver> | undefined };

/** A provider's model at an address, and which package makes what is sent to it. */
export async function openProvider(name: string, { overrides, ...to }: OpenOptions) {
  const { provider, model } = splitModelName(name);
  const known = providers[provider] as Provider;
  const [language, { modelOf }, { VERSION: version }] = await Promise.all([
    known.open({ ...to, model }),
    import("./language.ts"),
    load(known.package),
  ]);
  const madeBy = { package: known.package, version, ...(overrides?.cache ? { cache: overrides.cache } : {}) };
  return { model: modelOf(language, receiverOf(name, overrides), to.apiKey ? [to.apiKey] : []), madeBy };
}

/** The variable a provider's key is in, whether a request to it has one, and the usual address; undefined: no provider's. */
export function providerKey(name: string, env: Environment) {
  const { provider, model } = splitModelName(name);
  const known = Object.hasOwn(providers, provider) && model !== "" ? providers[provider] : undefined;
  if (!known) return undefined;
  const { keys, keyless = false, address } = known;
  const variable = keys.find((key) => env[key]) ?? (keys[0] as string);
  return { variable, wanted: !keyless || keyOf(keys, env) !== undefined, address: address[1] ?? "" };
}

/** A key or an address in place of a name is not repeated: it would stand in a log. */
function isSecret(name: string, env: Environment): boolean {
  const keys = Object.values(providers).flatMap((one) => one.keys);
  return keys.some((key) => env[key]?.trim() === name.trim()) || /^(?:[sp]k-|AIza)|:\/\//.test(name);
}

function secretAsName(): Problem {
  const hint = 'Give loadModel("provider/model", { env: process.env }): the key is found there.';
  return new Problem("unknown-model", "The name of a model is a key or an address.", hint);
}

function keyOf(keys: readonly string[], env: Environment): string | undefined {
  return keys.map((key) => env[key]?.trim()).find((key) => key !== undefined && key !== "");
}

function addressOf(name: string, { address: [variable, usual, path] }: Provider, env: Environment): string {
  const given = env[variable]?.trim() || usual;
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
  return url.pathname === "/" ? `${url.origin}${path}` : given.replace(/\/+$/, "");
}

/** Where a model of this name is served, as far as the environment says it; no key is needed. */
export function modelAddress(name: string, env: Environment): string | undefined {
  const { provider } = splitModelName(name);
  const known = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  try {
    return known && publicAddress(addressOf(name, known, env));
  } catch {
    return undefined;
  }
}

/** Where a server is, without what only those may know who use it. */
function publicAddress(baseURL: string): string {
  const { origin, pathname } = new URL(baseURL);
  return `${origin}${pathname}`.replace(/\/+$/, "");
}

function settings({ baseURL, apiKey, fetch }: Omit<Connection, "model">) {
  return { baseURL, ...(apiKey ? { apiKey } : {}), ...(fetch ? { fetch } : {}) };
}
