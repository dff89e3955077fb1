import { expect, test } from "vitest";
import type { Receipt, SentSection } from "../prompt/receipt.ts";
import type { CacheRules, Receiver } from "./receiver.ts";
import { receiverOf } from "./receiver.ts";
import { createSentBefore } from "./sent-before.ts";

const prefix: CacheRules = { kind: "prefix", min: 100, granularity: 50, ttlSeconds: 300 };
const marks: CacheRules = {
  ...{ kind: "breakpoint", min: 100, maxBreakpoints: 4, implicit: false, lookback: null },
  ttlSeconds: 300,
};
const price = { input: 10, read: 1, write: 12, output: 50 };
const receiver = (cache: CacheRules, more: Partial<Receiver> = {}) => receiverOf("test/one", { cache, price, ...more });

function section(digest: string): SentSection {
  const about = { layer: "l", mutability: "live", stability: "stable", trust: "own", source: "test" } as const;
  return { name: digest, ...about, revision: null, digest, whose: "agent", tokens: 80, spans: [] };
}

/** Sections of 80 tokens each, 20 of tools, and 100 of history. */
function sent(
  minutes: number,
  digests: string,
  more: { breakpoints?: number[]; read?: number; written?: number } = {},
) {
  const sections = [...digests].map(section);
  const { breakpoints = [], read = 0, written = 0 } = more;
  const input = 120 + 80 * sections.length;
  const receipt = {
    ...{ charter: "c", edition: "full", lock: "", receiver: "test/one", tokens: null, cuts: [], omitted: [] },
    slots: [{ slot: "system", digest: digests, sections, breakpoints }],
    ...{ notices: [], offers: "tools", history: { messages: 1, tokens: 100, digest: "", breakpoints: [] } },
    predicted: { read: 0, written: 0, fresh: input },
  } satisfies Receipt as Receipt;
  const at = new Date(Date.UTC(2026, 1, 18, 12) + minutes * 60_000).toISOString();
  return { at, receipt, usage: { input, read, written, output: 1 } };
}

const none = { kept: 0, day: 0 };
type Sent = ReturnType<typeof sent>;
const rows: [what: string, cache: CacheRules, requests: Sent[], expected: object][] = [
  ["the first of all", prefix, [sent(0, "ab")], none],
  // 180 tokens were sent before, of which the cache has whole steps: 150, for 1 instead of 10 dollars a million.
  ["what a cache of steps had, while it kept it", prefix, [sent(0, "ab"), sent(5, "ab")], { kept: 1350, day: 1350 }],
  ["one second later it is gone", prefix, [sent(0, "ab"), sent(5 + 1 / 60, "ab")], { kept: 0, day: 1350 }],
  ["a day later it would still be there", prefix, [sent(0, "ab"), sent(1440, "ab")], { kept: 0, day: 1350 }],
  ["and not any longer", prefix, [sent(0, "ab"), sent(1441, "ab")], none],
  ["of another beginning nothing is there", prefix, [sent(0, "ab"), sent(1, "ba")], none],
  ["less than the minimum is never kept", { ...prefix, min: 200 }, [sent(0, "ab"), sent(1, "ab")], none],
  ["what was read is no saving", prefix, [sent(0, "ab"), sent(1, "ab", { read: 150 })], none],
  ["as far as both are alike", prefix, [sent(0, "ab"), sent(1, "ac")], { kept: 900, day: 900 }],
  [
    "the shared part of late, the whole of a day ago",
    prefix,
    [sent(0, "abc"), sent(60, "ax"), sent(61, "abc")],
    { kept: 900, day: 2250 },
  ],
  [
    "up to a mark that both had; what was written again costs more",
    marks,
    [sent(0, "ab", { breakpoints: [2] }), sent(1, "ab", { breakpoints: [1, 2], written: 180 })],
    { kept: 1980, day: 1980 },
  ],
  [
    "a mark that only one had is found by nobody",
    marks,
    [sent(0, "ab", { breakpoints: [2] }), sent(1, "ac", { breakpoints: [1, 2] })],
    none,
  ],
];
for (const [what, cache, requests, expected] of rows)
  test(`what a request sent again: ${what}`, () => {
    const savedBy = createSentBefore();
    expect(requests.map((request) => savedBy(request, receiver(cache))).at(-1)).toEqual(expected);
  });

test("nothing is said of a model without a cache or a price, nor of what nobody counted", () => {
  const one = sent(0, "ab");
  const uncounted = { ...one, usage: { input: null, read: null, written: null, output: null } };
  expect([
    createSentBefore()(one, receiver({ kind: "none" })),
    createSentBefore()(one, receiver(prefix, { price: null })),
    createSentBefore()(uncounted, receiver(prefix)),
  ]).toEqual([null, null, null]);
});

test("each model has a cache of its own", () => {
  const savedBy = createSentBefore();
  savedBy(sent(0, "ab"), receiver(prefix));
  expect(savedBy(sent(1, "ab"), { ...receiver(prefix), name: "test/two" })).toEqual(none);
});
