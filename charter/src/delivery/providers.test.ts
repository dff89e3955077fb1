import { expect, test } from "vitest";
import type { Problem } from "../prompt/problem.ts";
import { defaultModelOf, knownModelNames, providerNames, providersAsOf, receiverOf } from "./receiver.ts";
import { standInReceiver } from "./stand-in.ts";

test("a known model's facts are its own, its family's and its provider's", () => {
  expect(receiverOf("anthropic/claude-opus-4-7")).toEqual({
    name: "anthropic/claude-opus-4-7",
    guardsTokens: true,
    slots: "layered",
    attachments: ["image", "pdf"],
    voice: "user",
    cache: { kind: "breakpoint", min: 2048, maxBreakpoints: 4, implicit: false, lookback: 20, ttlSeconds: 300 },
    window: 1_000_000,
    price: { input: 5, read: 0.5, write: 6.25, output: 25 },
    tokenizer: { name: "o200k_base", exact: false },
  });
  expect(receiverOf("openai/gpt-5.6-terra")).toEqual({
    name: "openai/gpt-5.6-terra",
    guardsTokens: true,
    slots: "layered",
    voice: "system",
    cache: { kind: "breakpoint", min: 1024, maxBreakpoints: 4, implicit: false, lookback: null, ttlSeconds: 1800 },
    window: 922_000,
    price: { input: 2, read: 0.2, write: 2.5, output: 12 },
    attachments: ["image", "pdf"],
    tokenizer: { name: "o200k_base", exact: true },
  });
});

const automatic = { kind: "prefix", min: 1024, granularity: 128, ttlSeconds: 300 };
const caching: readonly [name: string, kind: object][] = [
  ["openai/gpt-4o", automatic],
  ["openai/o3", automatic],
  ["openai/gpt-5.5", automatic],
  ["openai-chat/gpt-5", automatic],
  ["openai/gpt-5.6-luna", { kind: "breakpoint", implicit: false }],
  ["openai-chat/gpt-6-astra", { kind: "breakpoint", implicit: false }],
  ["openai/gpt-7", { kind: "breakpoint", implicit: false }],
  ["anthropic/claude-of-next-year", { kind: "breakpoint", min: 1024, implicit: false }],
  ["google/gemini-2.5-pro", { kind: "prefix", min: 2048 }],
  ["google/gemini-9", { kind: "prefix", min: 4096 }],
  ["google/gemma-3-27b-it", { kind: "none" }],
  ["openrouter/anthropic/claude-haiku-4.5", { kind: "breakpoint", min: 4096 }],
  ["openrouter/meta/llama", { kind: "none" }],
  ["ollama/llama3.3", { kind: "none" }],
  ["openai-compatible/mistral/large", { kind: "none" }],
  ["nobody/knows", { kind: "none" }],
];
for (const [name, cache] of caching)
  test(`${name} caches so`, () => expect(receiverOf(name).cache).toEqual(expect.objectContaining(cache)));

test("a dated name is the model it dates, and a name that only begins alike is not", () => {
  const price = (name: string) => receiverOf(name).price?.input ?? null;
  expect([price("anthropic/claude-opus-5"), price("anthropic/claude-opus-5-20260724")]).toEqual([5, 5]);
  expect([price("anthropic/claude-opus-5-5"), price("openai/gpt-4o-2024-08-06")]).toEqual([4, 2.5]);
  expect([price("anthropic/claude-opus-5-9"), price("openai/gpt-4o-audio-preview")]).toEqual([null, null]);
  expect([price("ollama/gpt-4o"), price("nobody/one"), price("constructor/toString")]).toEqual([null, null, null]);
});

test("a name without its provider is refused, and told with it where it is one of a known family", () => {
  const refusal = (name: string) => {
    try {
      return receiverOf(name).name;
    } catch (error) {
      const { message, hint } = error as Problem;
      return [message, hint];
    }
  };
  expect(["claude-opus-5-5", "gpt-7", "gemini-9", "sk-secret"].map(refusal)).toEqual([
    [
      "The name that receiverOf was given, “claude-opus-5-5”, does not say whose model it is, so how it caches is not known.",
      'Write receiverOf("anthropic/claude-opus-5-5").',
    ],
    [
      "The name that receiverOf was given, “gpt-7”, does not say whose model it is, so how it caches is not known.",
      'Write receiverOf("openai/gpt-7").',
    ],
    [
      "The name that receiverOf was given, “gemini-9”, does not say whose model it is, so how it caches is not known.",
      'Write receiverOf("google/gemini-9").',
    ],
    [
      "The name that receiverOf was given does not say whose model it is, so how it caches is not known.",
      'Write receiverOf("provider/model"), as in "anthropic/claude-…"; for a server of your own receiverOf("openai-compatible/model"), or receiverOf(name, { cache }).',
    ],
  ]);
  expect(receiverOf("local", { cache: { kind: "none" } }).name).toBe("local");
});

test("a host knows better", () => {
  const price = { input: 1, read: 1, write: 1, output: 1 };
  const receiver = receiverOf("ollama/llama3.3", { window: 8192, slots: "one-string", price });
  expect(receiver).toEqual({ ...receiverOf("ollama/llama3.3"), window: 8192, slots: "one-string", price });
});

test("the stand-in is known by its name too", () => {
  expect(receiverOf("stand-in/scripted")).toEqual(standInReceiver);
});

test("every default is a model whose price and window are known, and the facts say how old they are", () => {
  const defaults = providerNames.flatMap((name) => defaultModelOf(name) ?? []);
  expect(defaults.length).toBeGreaterThan(3);
  for (const name of defaults) {
    const { price, window } = receiverOf(name);
    expect([name, price === null, window === null]).toEqual([name, false, false]);
  }
  expect(providersAsOf).toMatch(/^\d{4}-\d{2}-\d{2}$/);
});

test("models whose whole names are known are listed by provider, each with its window and price", () => {
  const listed = providerNames.flatMap(knownModelNames).map((name) => receiverOf(name));
  const unknown = listed.filter(({ price, window }) => price === null || window === null);
  expect(unknown.map(({ name }) => name)).toEqual([]);
  expect(knownModelNames("google")).toEqual([
    "google/gemini-3.8-flash",
    "google/gemini-4-argon",
    "google/gemini-3.1-pro-preview",
    "google/gemini-2.5-pro",
    "google/gemini-2.5-flash",
  ]);
  expect(knownModelNames("openai")).toEqual(expect.arrayContaining(["openai/gpt-5", "openai/gpt-5.1"]));
  expect(knownModelNames("ollama")).toEqual([]);
});
