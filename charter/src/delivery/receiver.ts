import { badArgument, isNumber, isObject, isText } from "../prompt/argument.ts";
import type { AttachmentKind } from "../prompt/step-result.ts";

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
