import { isObject, isText } from "../prompt/argument.ts";

/** Who reads a prompt: where it takes words, how it caches and counts them, and what they cost there. */
export type Receiver = {
  /** provider/model */
  readonly name: string;
  /** "layered": a stable prefix, updates in the history, state at the end. "one-string": everything in the system role. */
  readonly slots: "layered" | "one-string";
  /** The role that updates and state have inside the history. As the user's they stand behind the session's mark. */
  readonly voice: "system" | "user";
  readonly cache: CacheRules;
  /** The most tokens a request may have; null where nobody said. */
  readonly window: number | null;
  /** Dollars for a million tokens; null where nobody said. */
  readonly price: Price | null;
  /** The tokenizer it is counted with, and whether that is its own. */
  readonly tokenizer: { readonly name: string; readonly exact: boolean };
};

/** Dollars for a million tokens: fresh input, input read from the cache, input written to it, output. */
export type Price = {
  readonly input: number;
  readonly read: number;
  readonly write: number;
  readonly output: number;
};

/**
 * How a provider caches. "prefix": by itself, the longest common prefix, in steps. "breakpoint": up to marks the request
 * carries, of which so many count; `implicit`: it sets one itself at the end of the request; `lookback`: so many blocks
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

/** Nothing of a request that was made then is in its cache any more. `askedAt` is null where there was none. */
export function isCold({ cache }: Receiver, askedAt: number | null, now: Date): boolean {
  if (cache.kind === "none" || askedAt === null) return true;
  return now.getTime() - askedAt > cache.ttlSeconds * 1000;
}

/** Has it the shape of one? A name alone has not, nor has a model. */
export function isReceiver(value: unknown): boolean {
  const { name, slots, cache } = Object(value) as Partial<Receiver>;
  return isText(name) && isText(slots) && isObject(cache);
}
