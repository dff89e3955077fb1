import { badArgument, checkNames, isObject, isText, kindOf } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Model } from "../model.ts";
import { defaultModelOf } from "../providers.ts";
import type { Receiver } from "../receiver.ts";
import { withinOrigin } from "../same-origin.ts";
import { isLanguageModel } from "./language-model.ts";
import { unknownModel } from "./model-name.ts";
import { providers } from "./provider-list.ts";
import { loadProviderPackage } from "./provider-package.ts";
import type { Connection, Environment } from "./table/connection.ts";
import {
  entryNamed,
  entryReceiver,
  type FoundModel,
  findModel,
  isGiven,
  type ModelSources,
} from "./table/find-model.ts";
import type { ModelEntry, ModelTable } from "./table/model-entry.ts";

export type { Environment } from "./table/connection.ts";

/** Where API keys come from, and what you know better about the model. */
export type LoadModelOptions = ModelSources & {
  readonly fetch?: typeof fetch;
  /** Replaces what is known about the model: window, price, cache rules. */
  readonly overrides?: Partial<Receiver>;
};

/** The name of the stand-in: a script in place of a model, for use without an API key. */
export const standInName = "stand-in/scripted";

/** The names that load the stand-in itself. A host may give a script of its own another name: see isStandInName. */
export const loadsStandIn = (name: string): boolean => name === "stand-in" || name === standInName;

/** Whether a script answers under this name: the stand-in's own, or one that a host has given it (a demo does). */
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
 * The name of a model you can use: the first of your table of models; else of the first provider whose API key is set;
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
 * Loads a model by its name: one of the table `models`, or `provider/model`, whose API key and address come from the
 * environment.
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
    import("./sent-body.ts"),
    import("./probe/ask-window.ts"),
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

/** A model that somebody made already, under its name in the table. */
async function givenEntry(name: string, entry: ModelEntry, overrides: Partial<Receiver> | undefined): Promise<Model> {
  const receiver = { ...entryReceiver(name, entry), ...overrides };
  if (!isLanguageModel(entry)) return { ...(entry as Model), receiver };
  return (await import("./language.ts")).modelOf(entry, receiver);
}

type OpenOptions = Connection & {
  readonly overrides?: Partial<Receiver> | undefined;
  readonly secrets: readonly string[];
};

/** A provider's model at an address, and which package makes what is sent to it. */
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

/** The query of an address goes with every request; the packages put their paths behind the address as a text. */
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

/** That nobody knows a model of this name. */
export function unknownName(name: string, { env, models }: ModelSources): Problem {
  return isSecret(name, env) ? secretAsName() : unknownModel(name, Object.keys(providers), models);
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

/** Where a model of this name is served, as far as that is said; no key is needed. */
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

/** Where a server is, without what only those may know who use it. */
function publicAddress(baseURL: string): string {
  const { origin, pathname } = new URL(baseURL);
  return `${origin}${pathname}`.replace(/\/+$/, "");
}
