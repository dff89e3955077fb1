import { badArgument, kindOf } from "../prompt/argument.ts";
import type { Problem } from "../prompt/problem.ts";
import data from "./providers.json" with { type: "json" };
import type { CacheRules, Receiver } from "./receiver.ts";

/** What a row may say; what it leaves out is as its provider has it. `min` is short for cache rules that differ only there. */
type Facts = Partial<Omit<Receiver, "name">> & { readonly min?: number };

type Provider = Facts & {
  /** The model that is taken when only the provider's key is known. */
  readonly default?: string;
  readonly models?: readonly (Facts & { readonly match: string })[];
  /** It has another provider's facts. */
  readonly like?: string;
  /** It passes these providers' models on under `provider/model`, at their prices and with their cache rules. */
  readonly resells?: readonly string[];
};

type Data = {
  /** The day these facts were looked up. */
  readonly asOf: string;
  readonly unknown: Omit<Receiver, "name">;
  readonly providers: Readonly<Record<string, Provider>>;
};

const known = data as unknown as Data;

/** The day the windows, prices and cache rules were looked up. */
export const providersAsOf = known.asOf;

export const providerNames: readonly string[] = Object.keys(known.providers);

/** provider/model in its two halves; a model's own name may have slashes. */
export function splitModelName(name: string): { readonly provider: string; readonly model: string } {
  const slash = name.indexOf("/");
  return slash === -1
    ? { provider: name, model: "" }
    : { provider: name.slice(0, slash), model: name.slice(slash + 1) };
}

/** The model of a provider that is taken unless another is named. */
export function defaultModelOf(provider: string): string | undefined {
  const model = providerOf(provider).default;
  return model === undefined ? undefined : `${provider}/${model}`;
}

/** The models whose whole names, windows and prices are known, as provider/model. Others of these providers can be named as well. */
export function knownModelNames(provider: string): readonly string[] {
  const priced = (providerOf(provider).models ?? []).filter(({ price }) => price !== undefined);
  const first = defaultModelOf(provider);
  const all = priced.flatMap(({ match }) => namesMeant(match).map((model) => `${provider}/${model}`));
  return [...new Set([...(first === undefined ? [] : [first]), ...all])];
}

/** The names a row is about: the plain characters of its pattern, without and with what may be left out. */
function namesMeant(match: string): readonly string[] {
  const optional = /\(([^()]*)\)\?/.exec(match);
  if (optional) {
    const [whole, inner = ""] = optional;
    return [match.replace(whole, ""), match.replace(whole, inner)].flatMap(namesMeant);
  }
  const name = match.replaceAll("[.-]", "-").replaceAll("\\.", ".");
  return /^[\w.-]+$/.test(name) ? [name] : [];
}

/**
 * What is known about a model, by its name: window, price, cache rules, tokenizer. These are dated facts; `overrides`
 * replaces what you know better. Only models whose whole name is known have a price.
 */
export function receiverOf(name: string, overrides: Partial<Receiver> = {}): Receiver {
  if (typeof name !== "string")
    throw badArgument(
      `The name that receiverOf was given is ${kindOf(name)}.`,
      'Give a model\'s name: receiverOf("provider/model").',
    );
  // Who says how it caches knows what it is, whatever it is called.
  if (!name.includes("/") && overrides.cache === undefined) throw bareName(name);
  return { ...receiverFacts(name), ...overrides };
}

/** What is known under a name that a record or a table has. Of one that is somebody's own that is next to nothing. */
export function receiverFacts(name: string): Receiver {
  const { provider, model } = splitModelName(name);
  return { name, ...known.unknown, ...factsOf(provider, model) };
}

/** A name without its provider would be read as a provider that nobody knows: no cache, no window, no price. */
function bareName(name: string): Problem {
  const family = name.split("-")[0];
  const provider = providerNames.find((one) => providerOf(one).default?.split("-")[0] === family);
  // Only what is plainly a name is repeated: it may be a key.
  return badArgument(
    `The name that receiverOf was given${provider ? `, “${name}”,` : ""} does not say whose model it is, so how it caches is not known.`,
    provider
      ? `Write receiverOf("${provider}/${name}").`
      : 'Write receiverOf("provider/model"), as in "anthropic/claude-…"; for a server of your own receiverOf("openai-compatible/model"), or receiverOf(name, { cache }).',
  );
}

function factsOf(provider: string, model: string): Partial<Receiver> {
  const { like, resells, models = [], default: _default, ...own } = providerOf(provider);
  if (like !== undefined) return factsOf(like, model);
  const resold = resells?.find((one) => model.startsWith(`${one}/`));
  if (resold !== undefined) return factsOf(resold, model.slice(resold.length + 1));
  const rows = models.filter(({ match }) => fits(model, match));
  const facts = Object.assign({}, own, ...rows.map(({ match: _match, min: _min, ...row }) => row)) as Partial<Receiver>;
  const min = rows.findLast((row) => row.min !== undefined)?.min;
  return facts.cache && min !== undefined ? { ...facts, cache: withMin(facts.cache, min) } : facts;
}

function providerOf(name: string): Provider {
  return (Object.hasOwn(known.providers, name) ? known.providers[name] : undefined) ?? {};
}

function fits(model: string, match: string): boolean {
  return new RegExp(`^(?:${match})(?:-latest|[-@](?:20\\d{6}|20\\d\\d-\\d\\d-\\d\\d))?$`).test(model);
}

function withMin(cache: CacheRules, min: number): CacheRules {
  return cache.kind === "none" ? cache : { ...cache, min };
}
