import { APICallError, LoadAPIKeyError } from "@ai-sdk/provider";
import Anthropic from "@anthropic-ai/sdk";
import { RetryError } from "ai";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { faultFrom } from "./sdk-call.ts";

const receiver = { name: "anthropic/one" };

const claude = (status: number, type: string, message: string, headers: Record<string, string> = {}) =>
  Anthropic.APIError.generate(status, { type: "error", error: { type, message } }, undefined, new Headers(headers));
const gpt = (status: number, code: string, message: string) =>
  OpenAI.APIError.generate(status, { error: { code, type: code, message } }, undefined, new Headers());
const aiSdk = (statusCode: number, message: string) =>
  new APICallError({ message, url: "https://one.example", requestBodyValues: {}, statusCode, responseBody: message });

const rows: readonly [what: string, error: unknown, fault: object][] = [
  [
    "busy, with how long to wait",
    claude(529, "overloaded_error", "Overloaded", { "retry-after": "7" }),
    { code: "model-busy", message: "“anthropic/one” is busy (529): Overloaded", retry: true, afterMs: 7000 },
  ],
  [
    "busy, in a stream that opened well",
    new Anthropic.APIError(
      undefined,
      { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
      undefined,
      undefined,
    ),
    { code: "model-busy", message: "“anthropic/one” is busy (529): Overloaded", retry: true },
  ],
  [
    "a key that is refused, which is not repeated",
    gpt(401, "invalid_api_key", "Incorrect API key provided: sk-abcdef***ghij."),
    {
      code: "model-rejected",
      message: "“anthropic/one” rejected the request (401): Incorrect API key provided: (the key).",
      retry: false,
      outage: true,
    },
  ],
  [
    "no key, to the AI SDK: asking again is of no use",
    new LoadAPIKeyError({ message: "Anthropic API key is missing." }),
    {
      code: "model-rejected",
      message: "“anthropic/one” was not asked: Anthropic API key is missing.",
      retry: false,
      outage: true,
    },
  ],
  [
    "no key, to Anthropic's",
    await new Anthropic({ apiKey: null }).messages
      .create({ model: "one", max_tokens: 1, messages: [] })
      .catch((error: unknown) => error),
    { code: "model-rejected", message: expect.stringMatching(/was not asked: Could not/), retry: false, outage: true },
  ],
  [
    "no quota",
    gpt(429, "insufficient_quota", "You exceeded your current quota."),
    {
      code: "model-rejected",
      message: "“anthropic/one” has no quota left (429): You exceeded your current quota.",
      retry: false,
      outage: true,
    },
  ],
  [
    "too long for the model",
    claude(400, "invalid_request_error", "prompt is too long: 219898 tokens > 200000 maximum"),
    {
      code: "model-rejected",
      message: "“anthropic/one” rejected the request (400): prompt is too long: 219898 tokens > 200000 maximum",
      retry: false,
      tooLong: { window: 200_000 },
    },
  ],
  [
    "a server that fails",
    gpt(500, "server_error", "The server had an error."),
    { code: "model-failed", message: "“anthropic/one” failed (500): The server had an error.", retry: true },
  ],
  [
    "a response that says it failed",
    { code: "server_error", message: "The server had an error." },
    { code: "model-failed", message: "“anthropic/one” failed (500): The server had an error.", retry: true },
  ],
  [
    "nothing there",
    new OpenAI.APIConnectionError({
      cause: new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:1") }),
    }),
    {
      code: "model-unreachable",
      message: "“anthropic/one” cannot be reached: connect ECONNREFUSED 127.0.0.1:1",
      retry: true,
    },
  ],
  [
    "no answer in time",
    new Anthropic.APIConnectionTimeoutError(),
    { code: "model-unreachable", message: "“anthropic/one” cannot be reached: Request timed out.", retry: true },
  ],
  ["called off, by OpenAI's SDK", new OpenAI.APIUserAbortError(), { code: "model-aborted" }],
  ["called off, by Anthropic's", new Anthropic.APIUserAbortError(), { code: "model-aborted" }],
  ["called off, by fetch", AbortSignal.abort().reason, { code: "model-aborted" }],
  [
    "the AI SDK's last try",
    new RetryError({
      message: "Failed after 3 attempts.",
      reason: "maxRetriesExceeded",
      errors: [aiSdk(503, "Down"), aiSdk(429, "Slower")],
    }),
    { code: "model-busy", message: "“anthropic/one” is busy (429): Slower", retry: true },
  ],
  [
    "an SDK's error as the cause of another",
    new Error("The graph failed.", { cause: claude(529, "overloaded_error", "Overloaded") }),
    { code: "model-busy", message: "“anthropic/one” is busy (529): Overloaded", retry: true },
  ],
  ["anything else", new Error("Odd."), { code: "model-failed", message: "“anthropic/one” failed: Odd.", retry: true }],
  ["nothing", undefined, { code: "model-failed", message: "“anthropic/one” failed: it did not say why", retry: true }],
];
for (const [what, error, fault] of rows)
  test(`${what} is read`, () => {
    const aborted = { message: "The request to “anthropic/one” was called off.", retry: false };
    expect(faultFrom(error, receiver)).toEqual("message" in fault ? fault : { ...aborted, ...fault });
  });

test("secrets are not in it", () => {
  expect(faultFrom(new Error("hunter2 is wrong"), receiver, ["hunter2"]).message).toBe(
    "“anthropic/one” failed: (the key) is wrong",
  );
});
