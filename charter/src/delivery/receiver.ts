import { badArgument, isNumber, isObject, isText, kindOf } from "../prompt/argument.ts";
import { Problem } from "../prompt/problem.ts";
import type { AttachmentKind } from "../prompt/step-result.ts";
import type { Tokenizer } from "../prompt/tokens.ts";
import data from "./providers.json" with { type: "json" };
import { loadTokenizer } from "./tokenizer.ts";

/** Facts about a model: where it takes text, how it caches and counts, and what it costs. */
export type Receiver = {
  /** Name of the model, as provider/model. */
  readonly name: string;
  /** "layered": a stable prefix, everything that changes in the history. "one-string": everything in the system prompt. */
  readonly slots: "layered" | "one-string";
  /** The role of updates within the history. In the user's role they start with the session's mark. */
  readonly voice: "system" | "user";
  /** Shows that each reasoning block is bound to everything before it: a request with another beginning is refused. */
  readonly binds?: true;
  /** Shows that it can be told to forget a message of the system with the next one of the user. */
  readonly clears?: true;
  /** Shows that a message of the system can add tools and take them away. */
  readonly changesTools?: true;
  readonly cache: CacheRules;
  /** Maximum tokens of a request; null if unknown. */
  readonly window: number | null;
  /** Price; null if unknown. */
  readonly price: Price | null;
  /** Shows that it keeps the conversation itself: it is sent only new messages, and nothing is compacted. */
  readonly keepsHistory?: true;
  /** Kinds of attachment it takes; of other kinds it is told what was attached. None by default. */
  readonly attachments?: readonly AttachmentKind[];
  /** Shows that it takes none of our tools, so that the prompt names none. */
  readonly takesTools?: false;
  /** Maximum tokens of an answer; by default the provider's own. */
  readonly output?: number;
  /** Reasoning effort before an answer; by default the provider's own. */
  readonly reasoning?: ReasoningEffort;
  /** Shows that it takes only messages whose roles alternate: consecutive messages of one role are sent as one. */
  readonly roles?: "alternate";
  /**
   * Shows that its server treats control tokens of chat templates in a message as plain text. To other servers they are sent
   * escaped.
   */
  readonly guardsTokens?: boolean;
  /** Maximum bytes of a prompt; a longer one is trimmed before it is sent. */
  readonly maxBytes?: number;
  /** The tokenizer to count with, and whether its counts are exact for this model. */
  readonly tokenizer: { readonly name: string; readonly exact: boolean };
};

/** Reasoning effort, in words that each provider's package translates into the provider's own. */
export type ReasoningEffort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** Dollars per million tokens: fresh input, input read from the cache, input written to it, output. */
export type Price = {
  readonly input: number;
  readonly read: number;
  readonly write: number;
  readonly output: number;
};

/**
 * Cache rules of a provider. "prefix": automatic, the longest common prefix, in steps of `granularity`. "breakpoint": up to marks
 * in the request, of which `maxBreakpoints` count; with `implicit` it sets one itself at the end; `lookback` is how many blocks
 * before a mark an older one is still found.
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

/** Returns true if nothing of a request made at `askedAt` is in the provider's cache any more. Null: there was no request. */
export function isCold(receiver: Receiver, askedAt: number | null, now: Date): boolean {
  if (!isReceiver(receiver) || !(askedAt === null || isNumber(askedAt)) || !(now instanceof Date))
    throw badArgument(
      "isCold was given no receiver, no time, or no Date.",
      "Give isCold(receiver, askedAt, now): when the request before was made, in milliseconds or null, and a Date.",
    );
  const { cache, keepsHistory } = receiver;
  // A receiver that keeps the history keeps it however old it is.
  if (keepsHistory) return false;
  if (cache.kind === "none" || askedAt === null) return true;
  return now.getTime() - askedAt > cache.ttlSeconds * 1000;
}

/** Returns true if a value has the shape of a receiver. A mere name has not, nor has a model. */
export function isReceiver(value: unknown): boolean {
  const { name, slots, cache } = Object(value) as Partial<Receiver>;
  return isText(name) && isText(slots) && isObject(cache);
}

/** Facts in a row; what it leaves out is as its provider has it. `min` is short for cache rules that differ only there. */
type Facts = Partial<Omit<Receiver, "name">> & { readonly min?: number };

type Provider = Facts & {
  /** The model that is chosen when only the provider's key is known. */
  readonly default?: string;
  readonly models?: readonly (Facts & { readonly match: string })[];
  /** Name of another provider with the same facts. */
  readonly like?: string;
  /** Names of providers whose models it offers under `provider/model`, at their prices and with their cache rules. */
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

/** Splits provider/model in its two halves; a model's own name may have slashes. */
export function splitModelName(name: string): { readonly provider: string; readonly model: string } {
  const slash = name.indexOf("/");
  return slash === -1
    ? { provider: name, model: "" }
    : { provider: name.slice(0, slash), model: name.slice(slash + 1) };
}

/** Returns a provider's default model. */
export function defaultModelOf(provider: string): string | undefined {
  const model = providerOf(provider).default;
  return model === undefined ? undefined : `${provider}/${model}`;
}

/**
 * Lists the models whose whole names, windows and prices are known, as provider/model. Other models of these providers can be
 * named as well.
 */
export function knownModelNames(provider: string): readonly string[] {
  const priced = (providerOf(provider).models ?? []).filter(({ price }) => price !== undefined);
  const first = defaultModelOf(provider);
  const all = priced.flatMap(({ match }) => namesMeant(match).map((model) => `${provider}/${model}`));
  return [...new Set([...(first === undefined ? [] : [first]), ...all])];
}

/** Expands a row's pattern into names: its plain characters, without and with the optional ones. */
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
 * Returns the known facts about a model, by its name: window, price, cache rules, tokenizer. The facts are dated; `overrides`
 * replaces what you know better. Only models whose whole name is known have a price.
 */
export function receiverOf(name: string, overrides: Partial<Receiver> = {}): Receiver {
  if (typeof name !== "string")
    throw badArgument(
      `The name that receiverOf was given is ${kindOf(name)}.`,
      'Give a model\'s name: receiverOf("provider/model").',
    );
  // Accepts any name from a caller who gives the cache rules, and so knows the model.
  if (!name.includes("/") && overrides.cache === undefined) throw bareName(name);
  return { ...receiverFacts(name), ...overrides };
}

/** Returns the facts for a name from a record or a table. Of a user's own model almost nothing is known. */
export function receiverFacts(name: string): Receiver {
  const { provider, model } = splitModelName(name);
  return { name, ...known.unknown, ...factsOf(provider, model) };
}

/** Rejects a name without its provider: it would be read as an unknown provider, with no cache, no window and no price. */
function bareName(name: string): Problem {
  const family = name.split("-")[0];
  const provider = providerNames.find((one) => providerOf(one).default?.split("-")[0] === family);
  // Repeats only a plain model name in the message: another text may be a key.
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
  if (resold !== undefined) return { ...factsOf(resold, model.slice(resold.length + 1)), ...own };
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
 * Loads the tokenizer that a receiver names; where its package is not installed, the estimate. Every count says which one made
 * it, and whether it is exact: it is so only where the tokenizer is the receiver's own.
 */
export function loadReceiverTokenizer({ name, exact }: Receiver["tokenizer"]): Promise<Tokenizer> {
  const key = `${name} ${exact}`;
  const known = loaded.get(key) ?? load(name).then((one) => (one.exact && !exact ? { ...one, exact } : one));
  loaded.set(key, known);
  // Forgets a failure: a package that is missing today may be there tomorrow.
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
