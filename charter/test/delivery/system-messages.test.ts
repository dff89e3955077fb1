import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createAnthropic as anthropic5 } from "ai-sdk-5-anthropic";
import { createOpenAICompatible as compatible6 } from "ai-sdk-6-compatible";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type LanguageModel,
  type ModelRequest,
  modelOf,
  receiverOf,
  toAiSdk,
  toAnthropic,
} from "../../src/delivery/index.ts";
import { mergedOptions } from "../../src/delivery/models/wire.ts";
import { type Recorder, startRecorder } from "../../src/testing/strict/recorder.ts";
import { type Kind, speak } from "../../src/testing/strict/speech.ts";
import { ask, modelAt } from "./loopback.ts";

let kind: Kind = "anthropic";
let recorder: Recorder;
beforeAll(async () => {
  recorder = await startRecorder({ answer: () => ({ body: speak(kind, { text: ["Hi."] }) }) });
});
afterAll(() => recorder.close());

const lastJson = () => JSON.parse(recorder.requests.at(-1)?.body ?? "");
const betas = () => recorder.requests.at(-1)?.headers["anthropic-beta"];

const call = { id: "call_1", name: "add", input: "{}" };
/** A turn of one call, with what changed told after the input, and the time told for this turn alone after the results. */
const told: ModelRequest = {
  tools: [{ name: "add", description: "Adds.", input: { type: "object", properties: {} } }],
  system: [{ text: "Be kind.", breakpoint: true }],
  messages: [
    { role: "user", text: "1?" },
    { role: "system", text: "The place is Rome.", update: "place" },
    { role: "assistant", text: "", calls: [call] },
    { role: "tool", results: [{ call: "call_1", name: "add", output: "2" }] },
    { role: "system", text: "It is noon.", clears: true, breakpoint: true },
  ],
};
const hello: ModelRequest = { ...told, tools: [], messages: told.messages.slice(0, 1) };
const sentMessages = [
  { role: "user", content: [{ type: "text", text: "1?" }] },
  { role: "system", content: [{ type: "text", text: "The place is Rome." }] },
  { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "add", input: {} }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "2" }] },
  { role: "system", content: [{ type: "text", text: "It is noon." }], clear_at: "next_user_message" },
];
const listens = { voice: "system", binds: true, clears: true } as const;
const model = () => modelAt(recorder.url, "anthropic/claude-sonnet-5-5", listens);

describe("messages of the system in the middle of a conversation, to Anthropic", () => {
  test("stay where they are; one that is forgotten says so, and carries no mark of the cache", async () => {
    kind = "anthropic";
    await ask(await model(), told);
    expect(lastJson()).toMatchObject({ system: [{ type: "text", text: "Be kind." }] });
    expect(lastJson().messages).toEqual(sentMessages);
    expect(String(betas()).split(",").toSorted()).toEqual([
      "mid-conversation-system-2026-04-07",
      "mid-conversation-system-clear-at-2026-08-21",
      // For the tool's schema.
      "structured-outputs-2025-11-13",
      "thinking-binding-controls-2026-08-01",
    ]);
  });

  test("a report on dropped reasoning is asked for only of a model that binds it, and opts nobody in", async () => {
    kind = "anthropic";
    await ask(await modelAt(recorder.url, "anthropic/claude-sonnet-5-5", { binds: true }), hello);
    expect([betas(), lastJson().thinking]).toEqual(["thinking-binding-controls-2026-08-01", undefined]);
    await ask(await modelAt(recorder.url, "anthropic/claude-opus-4-7"), hello);
    expect(betas()).toBe(undefined);
  });

  test("without other words of the system, none is moved to the front: it is the user's", async () => {
    kind = "anthropic";
    const answered = [...told.messages, { role: "assistant" as const, text: "Two.", calls: [] }];
    const bodies = [];
    for (const messages of [told.messages, [...answered, { role: "user" as const, text: "And 2?" }]]) {
      await ask(await model(), { ...told, system: [{ text: "" }], messages });
      bodies.push(lastJson());
    }
    expect(bodies.map(({ system }) => system)).toEqual([undefined, undefined]);
    const [input, place, ...rest] = sentMessages;
    const merged = { role: "user", content: [...(input?.content ?? []), ...(place?.content ?? [])] };
    expect(bodies[0].messages).toEqual([merged, ...rest]);
    // What was sent stays as it was sent.
    expect(bodies[1].messages).toEqual([
      ...bodies[0].messages,
      { role: "assistant", content: [{ type: "text", text: "Two." }] },
      { role: "user", content: [{ type: "text", text: "And 2?" }] },
    ]);
  });

  test("the form for Anthropic's own SDK has them in the same places", () => {
    const receiver = receiverOf("anthropic/claude-sonnet-5-5", { ...listens, guardsTokens: true });
    expect(toAnthropic(told, receiver).messages).toEqual(sentMessages);
    const twice = { ...told, messages: [...told.messages.slice(0, 2), { role: "system", text: "Now." } as const] };
    expect(toAnthropic(twice, receiver).messages.map(({ role, content }) => [role, content.length])).toEqual([
      ["user", 1],
      ["system", 1],
      ["system", 1],
    ]);
  });

  test("the form for the AI SDK has them in the same places, with or without other words of the system", () => {
    const receiver = receiverOf("anthropic/claude-sonnet-5-5", { ...listens, guardsTokens: true });
    const { messages, instructions, providerOptions } = toAiSdk(told, receiver);
    expect([instructions.length, messages.map(({ role }) => role)]).toEqual([
      1,
      ["user", "system", "assistant", "tool", "system"],
    ]);
    expect(messages.at(-1)).toEqual({
      role: "system",
      content: "It is noon.",
      providerOptions: { anthropic: { clearAt: "next_user_message" } },
    });
    expect(providerOptions).toEqual({ anthropic: { anthropicBeta: ["thinking-binding-controls-2026-08-01"] } });
    expect(toAiSdk({ ...told, system: [] }, receiver).messages.map(({ role }) => role)).toEqual([
      ...["user", "user", "assistant", "tool", "system"],
    ]);
  });
});

test("what a program asks of Anthropic besides is asked, too", () => {
  const [given, own] = [["files-api"], ["thinking-binding-controls-2026-08-01"]];
  expect(
    mergedOptions(
      { anthropic: { anthropicBeta: given, effort: "low" }, openai: { store: true } },
      { anthropic: { anthropicBeta: own, effort: "high" } },
    ),
  ).toEqual({ anthropic: { anthropicBeta: [...given, ...own], effort: "high" }, openai: { store: true } });
});

test("OpenAI is told in its developer's role, at the same places", async () => {
  kind = "openai";
  await ask(await modelAt(recorder.url, "openai/gpt-6.1-sol"), told);
  expect(lastJson().input.map(({ role, type }: { role?: string; type?: string }) => role ?? type)).toEqual([
    ...["developer", "user", "developer", "function_call", "function_call_output", "developer"],
  ]);
});

describe("whose voice a model hears between messages", () => {
  const at = { baseURL: "http://127.0.0.1:9/v1", apiKey: "k" };
  const rows: [what: string, language: () => LanguageModel, known: string, voice: string][] = [
    ["a package of AI SDK 7 takes the system's", () => createOpenAI(at)("gpt-6.1-sol"), "openai/gpt-6.1-sol", "system"],
    ["one of AI SDK 5 does not", () => anthropic5(at)("claude-opus-5-5"), "anthropic/claude-opus-5-5", "user"],
    [
      "one of AI SDK 6 does not",
      () => compatible6({ ...at, name: "openai" }).chatModel("gpt-6.1-sol"),
      "openai/gpt-6.1-sol",
      "user",
    ],
    ["Google's does not", () => createGoogle(at)("gemini-3.8-flash"), "google/gemini-3.8-flash", "user"],
  ];
  for (const [what, language, name, voice] of rows)
    test(what, () => {
      const overridden = receiverOf(name, voice === "user" && !name.startsWith("google/") ? { voice: "system" } : {});
      expect([modelOf(language()).receiver.voice, modelOf(language(), overridden).receiver.voice]).toEqual([
        voice,
        voice,
      ]);
    });

  test("Google's package refuses what it cannot place, before anything is sent", async () => {
    const { fault } = await ask(modelOf(createGoogle(at)("gemini-3.8-flash")), told);
    expect(fault).toEqual({
      code: "model-rejected",
      message:
        "“google/gemini-3.8-flash” cannot be asked this: 'system messages are only supported at the beginning of the conversation' functionality not supported.",
      retry: false,
    });
  });
});
