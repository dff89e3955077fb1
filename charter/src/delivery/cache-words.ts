import { counted, grouped } from "../prompt/problem.ts";
import type { Usage } from "./model.ts";
import type { CacheRules } from "./receiver.ts";
import { percent } from "./token-words.ts";

/** What is known of how a request, or all requests of a turn, met the provider's cache. */
export type CacheFacts = {
  /** The model's name. */
  readonly receiver: string;
  readonly cache: CacheRules;
  /** As the provider counted; null where there was no answer to count. */
  readonly usage: Usage | null;
  /** Why it could not begin as the request before did. */
  readonly cause: { readonly says: string } | null;
  /** So many requests were counted together; a single one is measured against the least that is cached. */
  readonly requests: number;
};

export type CacheState =
  | "uncounted"
  | "unreported"
  | "no-cache"
  | "all-read"
  | "part-read"
  | "written"
  | "too-short"
  | "none-read";

/** How a request met the cache. */
export type CacheWords = { readonly state: CacheState; readonly says: string };

type Counted = { readonly input: number; readonly read: number; readonly written: number };

/**
 * Every sentence about the cache of a request that was made. Each is said in one state alone, which the provider's own
 * count decides; what we expected decides nothing.
 */
export const cacheSentences: Readonly<Record<CacheState, (facts: CacheFacts, counted: Counted) => string>> = {
  uncounted: () => "The provider counted no tokens, so it is not known what was read from the cache.",
  unreported: () => "The provider did not say how much it read from its cache.",
  "no-cache": ({ receiver }) => `No prompt cache is known of ${receiver}.`,
  "all-read": (_, { input }) => `The whole input was read from the cache: ${counted(input, "token")}.`,
  "part-read": (_, { input, read }) =>
    `${percent(read, input)} of the input was read from the cache: ${grouped(read)} of ${counted(input, "token")}.`,
  written: (_, { input, written }) =>
    `Nothing was read from the cache. Written to it: ${grouped(written)} of ${counted(input, "token")}.`,
  "too-short": ({ receiver, cache }, { input }) =>
    `Too short to be cached: tools, system prompt and messages together had ${counted(input, "token")}, and ${receiver} caches from ${grouped(minOf(cache))} on.`,
  "none-read": () => "Nothing was read from the cache.",
};

/** Which of the sentences is true. */
export function cacheStateOf({ cache, usage, requests }: Pick<CacheFacts, "cache" | "usage" | "requests">): CacheState {
  if (usage === null || usage.input === null || usage.input === 0) return "uncounted";
  const { input, read, written } = countsOf(usage);
  if (read >= input) return "all-read";
  if (read > 0) return "part-read";
  if (written > 0) return "written";
  if (cache.kind === "none") return "no-cache";
  if (usage.read === null && usage.written === null) return "unreported";
  return requests === 1 && input < cache.min ? "too-short" : "none-read";
}

/** Says how a request met the cache, and why where that is known and fits what the provider counted. */
export function cacheWords(facts: CacheFacts): CacheWords {
  const state = cacheStateOf(facts);
  const says = cacheSentences[state](facts, countsOf(facts.usage));
  const { cause } = facts;
  return { state, says: cause && explains[state] ? `${says} ${cause.says}` : says };
}

/** Where all was read, nothing could have been, or nobody counted, there is nothing to explain. */
const explains: Readonly<Record<CacheState, boolean>> = {
  uncounted: false,
  unreported: true,
  "no-cache": false,
  "all-read": false,
  "part-read": true,
  written: true,
  "too-short": false,
  "none-read": true,
};

/** Whether what the provider counted leaves room for a cause: what was read was still there, however long ago. */
export function fitsCount(
  what: "cold" | "opened" | (string & {}),
  facts: Pick<CacheFacts, "cache" | "usage">,
): boolean {
  const state = cacheStateOf({ ...facts, requests: 1 });
  if (what === "opened") return true;
  if (what === "cold" && state === "part-read") return false;
  return explains[state];
}

function countsOf(usage: Usage | null): Counted {
  const input = usage?.input ?? 0;
  const read = Math.min(input, usage?.read ?? 0);
  return { input, read, written: Math.min(input - read, usage?.written ?? 0) };
}

function minOf(cache: CacheRules): number {
  return cache.kind === "none" ? 0 : cache.min;
}
