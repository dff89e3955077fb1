import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type CacheFacts,
  type CacheState,
  cacheSentences,
  cacheStateOf,
  cacheWords,
  fitsCount,
} from "./cache-break.ts";
import type { Usage } from "./model.ts";
import type { CacheRules } from "./receiver.ts";

const prefix: CacheRules = { kind: "prefix", min: 1024, granularity: 128, ttlSeconds: 300 };
const none: CacheRules = { kind: "none" };
const opened = { says: "It opened a new session." };
const changed = { says: "The tools changed." };
const usage = (input: number | null, read: number | null, written: number | null): Usage => ({
  ...{ input, read, written },
  output: 5,
});
const words = (more: Partial<CacheFacts>) =>
  cacheWords({ receiver: "openai/gpt-5", cache: prefix, usage: null, cause: null, requests: 1, ...more });

const rows: [name: string, facts: Partial<CacheFacts>, state: CacheState, says: string][] = [
  [
    "a request nobody counted",
    { usage: usage(null, null, null), cause: changed },
    "uncounted",
    "The provider counted no tokens, so it is not known what was read from the cache.",
  ],
  [
    "a provider that says nothing of its cache",
    { usage: usage(2000, null, null), cause: changed },
    "unreported",
    "The provider did not say how much it read from its cache. The tools changed.",
  ],
  [
    "a model without a cache",
    { cache: none, usage: usage(2000, 0, 0), cause: opened },
    "no-cache",
    "No prompt cache is known of openai/gpt-5.",
  ],
  [
    "a model without a known cache that read all the same",
    { cache: none, usage: usage(2000, 1740, 0) },
    "part-read",
    "87.0 % of the input was read from the cache: 1,740 of 2,000 tokens.",
  ],
  [
    "all of it",
    { usage: usage(1, 1, 0), cause: changed },
    "all-read",
    "The whole input was read from the cache: 1 token.",
  ],
  [
    "a new session whose beginning another one had cached",
    { usage: usage(1200, 1044, 0), cause: opened },
    "part-read",
    "87.0 % of the input was read from the cache: 1,044 of 1,200 tokens. It opened a new session.",
  ],
  [
    "a new session of which nothing was cached",
    { usage: usage(1200, 0, 1100), cause: opened },
    "written",
    "Nothing was read from the cache. Written to it: 1,100 of 1,200 tokens. It opened a new session.",
  ],
  [
    "tools that changed",
    { usage: usage(1200, 0, 0), cause: changed },
    "none-read",
    "Nothing was read from the cache. The tools changed.",
  ],
  [
    "too few tokens, tools and messages included",
    { usage: usage(640, 0, 0), cause: opened },
    "too-short",
    "Too short to be cached: tools, system prompt and messages together had 640 tokens, and openai/gpt-5 caches from 1,024 on.",
  ],
  [
    "a short prompt whose tools make it long enough",
    { usage: usage(1100, 0, 0) },
    "none-read",
    "Nothing was read from the cache.",
  ],
  [
    "several short requests together, of which none is known to be too short",
    { usage: usage(640, 0, 0), requests: 2 },
    "none-read",
    "Nothing was read from the cache.",
  ],
];
describe("how a request met the cache", () => {
  for (const [name, facts, state, says] of rows) test(name, () => expect(words(facts)).toEqual({ state, says }));
});

test("every sentence has a state it is said in", () => {
  expect(new Set(rows.map(([, , state]) => state))).toEqual(new Set(Object.keys(cacheSentences)));
});

const count = fc.option(fc.integer({ min: 0, max: 3000 }), { nil: null });
const anyUsage = fc.option(fc.record({ input: count, read: count, written: count, output: count }), { nil: null });
const anyFacts = fc.record({
  receiver: fc.constant("a/b"),
  cache: fc.constantFrom<CacheRules>(prefix, none, { ...prefix, min: 1 }),
  usage: anyUsage,
  cause: fc.constantFrom(opened, changed, null),
  requests: fc.integer({ min: 1, max: 3 }),
});

/** What a sentence claims of the numbers; what contradicts it must never be shown with it. */
const claims: Readonly<Record<CacheState, (share: number, written: number, facts: CacheFacts) => boolean>> = {
  uncounted: (share) => Number.isNaN(share),
  unreported: (share) => share === 0,
  "no-cache": (share, written) => share === 0 && written === 0,
  "all-read": (share) => share === 1,
  "part-read": (share) => share > 0 && share < 1,
  written: (share, written) => share === 0 && written > 0,
  "too-short": (share, written, { usage: one, cache }) =>
    share === 0 && written === 0 && cache.kind !== "none" && (one?.input ?? 0) < cache.min,
  "none-read": (share, written) => share === 0 && written === 0,
};

test("whatever the numbers are, the sentence is true of them, and no share stands beside it that it denies", () => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const { state, says } = cacheWords(facts);
      const { input = null, read = null, written = null } = facts.usage ?? {};
      const share = input === null || input === 0 ? Number.NaN : Math.min(input, read ?? 0) / input;
      const toCache = Math.min((input ?? 0) - Math.min(input ?? 0, read ?? 0), written ?? 0);
      expect(claims[state](share, toCache, facts)).toBe(true);
      if (/Nothing was|Too short|No prompt cache/.test(says)) expect(share).toBe(0);
      if (/^(0\.0|100\.0|0) %/.test(says)) throw new Error(says);
      expect(says).not.toMatch(/\b1 tokens|\b1 input tokens/);
    }),
    { numRuns: 300 },
  );
});

test("a cause that the provider's count contradicts is no cause", () => {
  const at = (what: string, read: number) => fitsCount(what, { cache: prefix, usage: usage(2000, read, 0) });
  expect([at("cold", 1740), at("cold", 0), at("cold", 2000)]).toEqual([false, true, false]);
  expect([at("section", 1740), at("section", 2000), at("opened", 2000)]).toEqual([true, false, true]);
  expect(fitsCount("tools", { cache: prefix, usage: null })).toBe(false);
  expect(fitsCount("tools", { cache: prefix, usage: usage(2000, null, null) })).toBe(true);
  expect(fitsCount("tools", { cache: prefix, usage: usage(500, 0, 0) })).toBe(false);
});

test("the state is the same whoever asks for it", () => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      expect(cacheWords(facts).state).toBe(cacheStateOf(facts));
    }),
  );
});
