import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { generateText } from "ai";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  deliver,
  type Message,
  type ModelRequest,
  receiverOf,
  toAiSdk,
  toAnthropic,
  toOpenAIChat,
  toOpenAIResponses,
} from "../../src/delivery/index.ts";
import { assemble } from "../../src/index.ts";
import { sha256 } from "../../src/store/texts/packing.ts";
import { type Recorder, startRecorder } from "../../src/testing/strict/recorder.ts";
import type { Kind } from "../../src/testing/strict/speech.ts";
import { answerTo } from "../../src/testing/strict/whole-answer.ts";
import { house, told } from "./house.ts";
import { ask, key, modelAt, modelNames } from "./loopback.ts";

/** A loop of one's own, with a provider's own SDK, sends what our models send: the same request, byte for byte. */

let recorder: Recorder;
beforeAll(async () => {
  recorder = await startRecorder({ answer: (asked) => answerTo(asked) });
});
afterAll(() => recorder.close());
const lastJson = () => JSON.parse(recorder.requests.at(-1)?.body ?? "");

const input = { type: "object", properties: { a: { type: "number" } }, required: ["a"], additionalProperties: false };
const request: ModelRequest = {
  tools: [{ name: "add", description: "Adds.", input }],
  system: [
    { text: "# Who you are\n\nEva.  \n\n", breakpoint: true },
    { text: '“Quotes”, "quotes", ü, 🙂, \u2028.\n', breakpoint: true },
    { text: "\nThe mark is [system ab12]." },
  ],
  messages: [
    { role: "user", text: "  What is 1 + 2?\n" },
    {
      role: "assistant",
      text: "One moment.",
      calls: [
        { id: "call_1", name: "add", input: '{"a":1}' },
        { id: "call_2", name: "made.up", input: "no JSON" },
      ],
    },
    {
      role: "tool",
      results: [
        { call: "call_1", name: "add", output: '{"sum": 3}\n' },
        { call: "call_2", name: "made.up", output: "It broke: “no”.", failed: true },
      ],
      breakpoint: true,
    },
    { role: "assistant", text: "Three. ", calls: [] },
    { role: "user", text: "And then?", breakpoint: true },
    { role: "user", text: "[system ab12] It is noon." },
  ],
  cacheKey: "agent-1",
};

/** What our own model of this kind sends, of the fields that carry a request's words and marks. */
async function sentByOurs(each: Kind, sent: ModelRequest = request): Promise<Record<string, unknown>> {
  await ask(await modelAt(recorder.url, modelNames[each]), sent);
  // The AI SDK streams, and asks for a tool's arguments as they come.
  const streamed = (name: string, value: unknown) => (name === "eager_input_streaming" ? undefined : value);
  const { body = "" } = recorder.requests.at(-1) ?? {};
  const { system, messages, input, tools, store, include, ...rest } = JSON.parse(body, streamed);
  const { prompt_cache_key, prompt_cache_options } = rest;
  const all = { system, messages, input, tools, store, include, prompt_cache_key, prompt_cache_options };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

test("toAnthropic gives Anthropic's own SDK what our model sends", async () => {
  const ours = await sentByOurs("anthropic");
  const own = toAnthropic(request, receiverOf(modelNames.anthropic));
  const client = new Anthropic({ baseURL: recorder.url, apiKey: key });
  const answer = await client.messages.create({ model: "claude-sonnet-5-5", max_tokens: 100, ...own });
  expect(answer.content).toEqual([{ type: "text", text: "Hi." }]);
  expect(lastJson()).toEqual({ model: "claude-sonnet-5-5", max_tokens: 100, ...ours });
});

test("toOpenAIResponses gives OpenAI's own SDK what our model sends", async () => {
  const ours = await sentByOurs("openai");
  const own = toOpenAIResponses(request, receiverOf(modelNames.openai));
  const client = new OpenAI({ baseURL: `${recorder.url}/v1`, apiKey: key });
  expect((await client.responses.create({ model: "gpt-5.6-terra", ...own })).output_text).toBe("Hi.");
  expect(lastJson()).toEqual({ model: "gpt-5.6-terra", ...ours });
});

test("toOpenAIChat gives the same SDK what our models send to OpenAI's chat, a server of one's own, and Claude through OpenRouter", async () => {
  const client = new OpenAI({ baseURL: `${recorder.url}/v1`, apiKey: key });
  const unmarked = {
    ...request,
    system: request.system.map(({ text }) => ({ text })),
    messages: request.messages.map(({ breakpoint: _, ...message }) => message),
  };
  const rows: [name: string, sent: ModelRequest][] = [
    [modelNames["openai-chat"], request],
    [modelNames["openai-compatible"], unmarked],
    ["openrouter/anthropic/claude-sonnet-5.5", request],
  ];
  for (const [name, sent] of rows) {
    await ask(await modelAt(recorder.url, name), sent);
    // OpenAI's chat does not reason beside tools: its package of the AI SDK says so, an own loop has to.
    const { stream: _stream, stream_options: _options, reasoning_effort: _effort, ...ours } = lastJson();
    const own = toOpenAIChat(sent, receiverOf(name));
    const answer = await client.chat.completions.create({ model: ours.model, ...own });
    expect(answer.choices[0]?.message.content).toBe("Hi.");
    expect(lastJson()).toEqual(ours);
  }
});

test("toAiSdk gives generateText what our models send", async () => {
  const untooled = { ...request, tools: [] };
  for (const each of ["anthropic", "openai"] as const) {
    const { tools: _none, ...ours } = await sentByOurs(each, untooled);
    const [, name = ""] = modelNames[each].split("/");
    const baseURL = `${recorder.url}/v1`;
    const model =
      each === "anthropic"
        ? createAnthropic({ baseURL, apiKey: key })(name)
        : createOpenAI({ baseURL, apiKey: key })(name);
    const { text } = await generateText({ model, ...toAiSdk(untooled, receiverOf(modelNames[each])) });
    expect([text, lastJson()]).toMatchObject(["Hi.", ours]);
  }
  // Some providers' packages would quote a call's JSON once more.
  expect(toAiSdk(request, receiverOf(modelNames.openai)).messages[1]?.content).toMatchObject([
    { type: "text", text: "One moment." },
    { type: "tool-call", toolName: "add", input: { a: 1 } },
    { type: "tool-call", toolName: "made_up", input: {} },
  ]);
});

test("an hour's cache is asked for where the receiver keeps one, and older models of OpenAI get no marks", () => {
  const { cache } = receiverOf(modelNames.anthropic);
  const hour = receiverOf(modelNames.anthropic, { cache: { ...cache, ttlSeconds: 3600 } as typeof cache });
  expect(toAnthropic(request, hour).system[0]?.cache_control).toEqual({ type: "ephemeral", ttl: "1h" });
  const old = receiverOf("openai/gpt-4.1");
  const { request: plain } = deliver({
    ...{ charter: house, prompt: assemble(house, told()), receiver: old, secret: "a secret", sha256 },
    added: [{ role: "user", text: "Hello." }],
  });
  expect(JSON.stringify(toOpenAIResponses(plain, old))).not.toMatch(/breakpoint|cache/);
});

test("the next request goes on from the delivery before it: a change is said once, what came before stays", () => {
  const receiver = receiverOf(modelNames.anthropic);
  const session = { charter: house, receiver, secret: "a secret", sha256 };
  const first = deliver({ ...session, prompt: assemble(house, told()), added: [{ role: "user", text: "Hello." }] });
  const answer: Message = { role: "assistant", text: "Hi.", calls: [] };
  const { baseline, history } = first;
  const second = deliver({
    ...{ ...session, baseline, past: [...history, answer], sent: history.length },
    prompt: assemble(house, told({ goals: "Grow fast." })),
    added: [{ role: "user", text: "Grow." }],
  });
  expect(second.prefixChange).toEqual({ how: "updated", sections: ["goals"] });
  const [one, two] = [first, second].map((delivery) => toAnthropic(delivery.request, receiver));
  expect(two?.system).toEqual(one?.system);
  expect(two?.messages[0]?.content[0]).toEqual(one?.messages[0]?.content[0]);
  expect(JSON.stringify(two?.messages).split("Grow fast.").length - 1).toBe(1);
});

test("an update comes after the results that are added, never between a call and them", () => {
  const receiver = receiverOf(modelNames.anthropic);
  const session = { charter: house, receiver, secret: "a secret", sha256 };
  const first = deliver({ ...session, prompt: assemble(house, told()), added: [{ role: "user", text: "Hello." }] });
  const calls = [{ id: "call_1", name: "add", input: "{}" }];
  const results = [{ call: "call_1", name: "add", output: "3" }];
  const { baseline, history } = first;
  const second = deliver({
    ...{ ...session, baseline, past: [...history, { role: "assistant", text: "", calls }], sent: history.length },
    prompt: assemble(house, told({ goals: "Grow fast." })),
    added: [{ role: "tool", results }],
  });
  const goals = "Your prompt has changed: “Goals” now reads:\n\n# Goals\nGrow fast.";
  expect(second.history).toEqual([
    ...history,
    { role: "assistant", text: "", calls },
    { role: "tool", results },
    { role: "system", text: goals, update: "goals" },
  ]);
  expect(toAnthropic(second.request, receiver).messages.slice(-2)).toEqual([
    { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "3" }] },
    { role: "system", content: [{ type: "text", text: goals, cache_control: { type: "ephemeral" } }] },
  ]);
});
