import { badArgument, checkNames, isObject, isText, kindOf } from "../../prompt/argument.ts";
import { listed, Problem } from "../../prompt/problem.ts";
import type { Model } from "../model.ts";
import { defaultModelOf, type Receiver, splitModelName } from "../receiver.ts";
import {
  entryNamed,
  entryReceiver,
  type FoundModel,
  findModel,
  isGiven,
  type ModelSources,
  providers,
} from "./find-model.ts";
import { type Connection, type Environment, isLanguageModel, type ModelEntry, type ModelTable } from "./model-entry.ts";
import { loadProviderPackage } from "./provider-package.ts";

export type { Environment } from "./model-entry.ts";

/** Options of `loadModel`: the sources of API keys, and facts you know better. */
export type LoadModelOptions = ModelSources & {
  readonly fetch?: typeof fetch;
  /** Replaces known facts about the model: window, price, cache rules. */
  readonly overrides?: Partial<Receiver>;
};

/** The name of the stand-in: a script in place of a model, for use without an API key. */
export const standInName = "stand-in/scripted";

/**
 * Returns true for the names that load the stand-in itself. A host may give a script of its own another name: see isStandInName.
 */
export const loadsStandIn = (name: string): boolean => name === "stand-in" || name === standInName;

/** Returns true if a script answers under this name: the stand-in's own, or one that a host has given it (a demo does). */
export function isStandInName(name: string): boolean {
  return /^stand-in(?:\/|$)/.test(name);
}

/** The variables that connect a model, one for each provider that needs nothing but a key. */
export const keyVariables: readonly string[] = [
  ...new Set(
    Object.values(providers).flatMap(({ keys, keyless, address }) =>
      keyless || address[1] === undefined ? [] : keys.slice(0, 1),
    ),
  ),
];

/**
 * Returns the name of a model you can use: the first of your table of models; else of the first provider whose API key is set;
 * else the stand-in.
 */
export function defaultModelName(env: Environment, models: ModelTable = {}): string {
  if (!isObject(env))
    throw badArgument(
      `The environment that defaultModelName was given is ${kindOf(env)}.`,
      "Give defaultModelName(process.env).",
    );
  const [first] = Object.keys(models);
  if (first !== undefined) return first;
  const names = Object.entries(providers).flatMap(([name, { keys }]) =>
    keys.some((key) => env[key]?.trim()) ? [defaultModelOf(name)] : [],
  );
  return names.find((name) => name !== undefined) ?? standInName;
}

/**
 * Loads a model by its name: one of the table `models`, or `provider/model`, whose API key and address come from the environment.
 */
export async function loadModel(name: string, options: LoadModelOptions): Promise<Model> {
  if (!isText(name) || !isObject(options?.env))
    throw badArgument(
      "loadModel needs a name and an environment.",
      'Give loadModel("provider/model", { env: process.env }).',
    );
  checkNames<LoadModelOptions>("loadModel", options, ["env", "models", "fetch", "overrides"]);
  const { env, models, fetch, overrides } = options;
  if (loadsStandIn(name)) {
    const standIn = (await import("../stand-in.ts")).standIn();
    return { ...standIn, receiver: { ...standIn.receiver, ...overrides } };
  }
  const entry = entryNamed(name, models);
  if (entry !== undefined && isGiven(entry)) return givenEntry(name, entry, overrides);
  const found = findModel(name, options);
  if (!found) throw unknownName(name, options);
  const { secrets, ...credentials } = found.credentials(env);
  const to = { ...credentials, baseURL: found.address() };
  const [{ notingFetch, withSentBody }, { windowQuestion }] = await Promise.all([
    import("./escape.ts"),
    import("./ask-window.ts"),
  ]);
  const noting = notingFetch(withinOrigin(fetch));
  const opened = await openProvider(found, { ...to, fetch: noting.fetch, overrides, secrets });
  const askWindow = windowQuestion({ api: found.api, model: found.model, ...to, fetch });
  return {
    ...withSentBody(opened.model, noting, opened.madeBy),
    address: publicAddress(to.baseURL),
    ...(askWindow ? { askWindow } : {}),
  };
}

/** Returns a model that was made already, under its name in the table. */
async function givenEntry(name: string, entry: ModelEntry, overrides: Partial<Receiver> | undefined): Promise<Model> {
  const receiver = { ...entryReceiver(name, entry), ...overrides };
  if (!isLanguageModel(entry)) return { ...(entry as Model), receiver };
  return (await import("./language.ts")).modelOf(entry, receiver);
}

type OpenOptions = Connection & {
  readonly overrides?: Partial<Receiver> | undefined;
  readonly secrets: readonly string[];
};

/** Opens a provider's model at an address, and names the package that makes its requests. */
export async function openProvider(found: FoundModel, { overrides, secrets, ...to }: OpenOptions) {
  const { provider, model } = found;
  const [language, { modelOf }, { VERSION: version }] = await Promise.all([
    provider.open(model, withoutQuery(to)),
    import("./language.ts"),
    loadProviderPackage(provider.package),
  ]);
  const receiver = { ...found.receiver, ...overrides };
  const ownCache = found.ownCache || overrides?.cache !== undefined;
  const madeBy = { package: provider.package, version, ...(ownCache ? { cache: receiver.cache } : {}) };
  return { model: modelOf(language, receiver, secrets), madeBy };
}

/** Moves the query of an address to every request: the packages append their paths to the address as a text. */
function withoutQuery({ baseURL, fetch: fetching = fetch, ...to }: Connection): Connection {
  const { search } = new URL(baseURL);
  if (search === "") return { baseURL, fetch: fetching, ...to };
  const asking: typeof fetch = (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    for (const [name, value] of new URLSearchParams(search)) url.searchParams.set(name, value);
    return fetching(url, init);
  };
  return { baseURL: baseURL.slice(0, baseURL.indexOf("?")).replace(/\/+$/, ""), fetch: asking, ...to };
}

/** Makes the Problem of an unknown model's name. */
export function unknownName(name: string, { env, models }: ModelSources): Problem {
  return isSecret(name, env) ? secretAsName() : unknownModel(name, Object.keys(providers), models);
}

/** Returns true for a key or an address in place of a name: it is not repeated, because it would appear in a log. */
function isSecret(name: string, env: Environment): boolean {
  const keys = Object.values(providers).flatMap((one) => one.keys);
  return keys.some((key) => env[key]?.trim() === name.trim()) || /^(?:[sp]k-|AIza)|:\/\//.test(name);
}

function secretAsName(): Problem {
  const hint = 'Give loadModel("provider/model", { env: process.env }): the key is found there.';
  return new Problem("unknown-model", "The name of a model is a key or an address.", hint);
}

/** Returns the address that serves a model, as far as it is set; no key is needed. */
export function modelAddress(name: string, sources: ModelSources): string | undefined {
  const entry = entryNamed(name, sources.models);
  if (entry !== undefined && isGiven(entry)) return isLanguageModel(entry) ? undefined : (entry as Model).address;
  try {
    const address = findModel(name, sources)?.address();
    return address === undefined ? undefined : publicAddress(address);
  } catch {
    return undefined;
  }
}

/** Returns a server's address without its secret parts. */
function publicAddress(baseURL: string): string {
  const { origin, pathname } = new URL(baseURL);
  return `${origin}${pathname}`.replace(/\/+$/, "");
}

/** Makes the Problem of an unknown model's name, with what may have been meant. */
export function unknownModel(name: string, providers: readonly string[], models: ModelTable = {}): Problem {
  const { provider, model } = splitModelName(name);
  if (provider === "acp")
    return new Problem(
      "unknown-model",
      `“${name}” is an agent over ACP, and loadModel knows no command for it.`,
      "Describe it in `acp` of charter.config.ts or of createHost; in a program of your own, load it with createAcpModels of charter/host.",
    );
  const message = providers.includes(provider)
    ? `“${name}” names no model of “${provider}”.`
    : model === ""
      ? `“${name}” does not say which provider it is of.`
      : `There is no provider “${provider}” for the model “${name}”.`;
  const meant = families.find(([family]) => family.test(name))?.[1];
  const names = listed([...providers, "stand-in"]);
  const own = Object.keys(models);
  const or = own.length === 0 ? "" : ` Those of your own are ${listed(own)}.`;
  return new Problem(
    "unknown-model",
    message,
    meant ? `Name it “${meant}/${name}”.` : `Name it as provider/model, with one of the providers ${names}.${or}`,
  );
}

/** The probable providers of models that are named without one. */
const families: readonly (readonly [RegExp, string])[] = [
  [/^claude-[^/]*$/, "anthropic"],
  [/^(?:gpt-|o\d)[^/]*$/, "openai"],
  [/^gemini-[^/]*$/, "google"],
];

/** Maximum number of redirects to another path of the same server, such as one for the last slash. */
const maxRedirects = 3;

/**
 * Makes a `fetch` that goes to no other server than the named one. On a redirect to another server, `fetch` itself removes only
 * the header Authorization, and would send other keys and the body there. Such a redirect is returned as it is.
 */
export function withinOrigin(given?: typeof fetch): typeof fetch {
  return async (input, init) => {
    const fetching = given ?? fetch;
    if (input instanceof Request) return fetching(input, { ...init, redirect: "manual" });
    // Another method would have to become GET on these, without its body.
    const isRead = (init?.method ?? "GET") === "GET";
    let at = new URL(input);
    for (let count = 0; ; count++) {
      const response = await fetching(at, { ...init, redirect: "manual" });
      const { status } = response;
      const sentOn = status === 307 || status === 308 || (isRead && [301, 302, 303].includes(status));
      const to = sentOn ? URL.parse(response.headers.get("location") ?? "", at.href) : null;
      if (to?.origin !== at.origin || count === maxRedirects) return response;
      await response.body?.cancel();
      at = to;
    }
  };
}
