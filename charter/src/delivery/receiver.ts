import { badArgument, isNumber, isObject, isText, kindOf } from "../prompt/argument.ts";
import { Problem } from "../prompt/problem.ts";
import type { AttachmentKind } from "../prompt/step-result.ts";
import type { Tokenizer } from "../prompt/tokens.ts";
import data from "./providers.json" with { type: "json" };
import { loadTokenizer } from "./tokenizer.ts";

/** What is known about a model: where it takes text, how it caches and counts, and what it costs. */
export type Receiver = {
  /** provider/model */
  readonly name: string;
  /**
   * "layered": a stable prefix, updates in the history, state at the end. "one-string": everything in the system
   * prompt.
   */
  readonly slots: "layered" | "one-string";
  /** The role of updates and state within the history. In the user's role they start with the session's mark. */
  readonly voice: "system" | "user";
  readonly cache: CacheRules;
  /** The most tokens a request may have; null if unknown. */
  readonly window: number | null;
  /** Null if unknown. */
  readonly price: Price | null;
  /** It keeps the conversation itself: it is sent only what is new, and nothing is compacted. */
  readonly keepsHistory?: true;
  /** Which attachments it takes; where there are none, or it is left out, it is told what was there. */
  readonly attachments?: readonly AttachmentKind[];
  /** It takes none of our tools, so the prompt names none. */
  readonly takesTools?: false;
  /** The most tokens of an answer; what its provider has, unless given. */
  readonly output?: number;
  /** How much it thinks before it answers; what its provider has, unless given. */
  readonly reasoning?: ReasoningEffort;
  /** It takes only messages whose roles alternate: those of one role that follow each other are sent as one. */
  readonly roles?: "alternate";
  /**
   * Its server takes control tokens of chat templates that stand in a message for words. To one that is not known to do so
   * they are sent escaped.
   */
  readonly guardsTokens?: boolean;
  /** The most bytes of a prompt; longer ones give way before they are sent. */
  readonly maxBytes?: number;
  /** The tokenizer to count with, and whether its counts are exact for this model. */
  readonly tokenizer: { readonly name: string; readonly exact: boolean };
};

/** How much a model thinks before it answers, in words that each provider's package puts into the provider's own. */
export type ReasoningEffort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** Dollars per million tokens: fresh input, input read from the cache, input written to it, output. */
export type Price = {
  readonly input: number;
  readonly read: number;
  readonly write: number;
  readonly output: number;
};

/**
 * How a provider caches prompts. "prefix": automatically, the longest common prefix, in steps of `granularity`.
 * "breakpoint": up to marks in the request, of which so many count; with `implicit` it sets one itself at the end;
 * `lookback` is how many blocks before a mark an older one is still found.
 */
export type CacheRules =
  | { readonly kind: "none" }
  | { readonly kind: "prefix"; readonly min: number; readonly granularity: number; readonly ttlSeconds: number }
  | {
      readonly kind: "breakpoint";
      readonly min: number;
      readonly maxBreakpoints: number;
      readonly implicit: boolean;
      readonly lookback: number | null;
      readonly ttlSeconds: number;
    };

/** Says whether nothing of a request made at `askedAt` is in the provider's cache any more. Null: there was none. */
export function isCold(receiver: Receiver, askedAt: number | null, now: Date): boolean {
  if (!isReceiver(receiver) || !(askedAt === null || isNumber(askedAt)) || !(now instanceof Date))
    throw badArgument(
      "isCold was given no receiver, no time, or no Date.",
      "Give isCold(receiver, askedAt, now): when the request before was made, in milliseconds or null, and a Date.",
    );
  const { cache, keepsHistory } = receiver;
  // What it keeps stays as it was said, however old it is.
  if (keepsHistory) return false;
  if (cache.kind === "none" || askedAt === null) return true;
  return now.getTime() - askedAt > cache.ttlSeconds * 1000;
}

/** Has it the shape of one? A name alone has not, nor has a model. */
export function isReceiver(value: unknown): boolean {
  const { name, slots, cache } = Object(value) as Partial<Receiver>;
  return isText(name) && isText(slots) && isObject(cache);
}

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

const loaded = new Map<string, Promise<Tokenizer>>();

/**
 * The tokenizer that a receiver names; where its package is not installed, the estimate. Every count says by which of them
 * it was made, and whether it is exact: it is so only where the tokenizer is the receiver's own.
 */
export function loadReceiverTokenizer({ name, exact }: Receiver["tokenizer"]): Promise<Tokenizer> {
  const key = `${name} ${exact}`;
  const known = loaded.get(key) ?? load(name).then((one) => (one.exact && !exact ? { ...one, exact } : one));
  loaded.set(key, known);
  // A package that is missing today may be there tomorrow.
  known.catch(() => loaded.delete(key));
  return known;
}

async function load(name: string): Promise<Tokenizer> {
  try {
    return await loadTokenizer(name);
  } catch (error) {
    if (error instanceof Problem && error.code === "package-missing") return loadTokenizer("estimate");
    throw error;
  }
}
