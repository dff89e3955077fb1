import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ModelRequest } from "../../src/delivery/model.ts";
import { type Recorder, startRecorder } from "../../src/testing/strict/recorder.ts";
import { type Kind, kinds, speak } from "../../src/testing/strict/speech.ts";
import { ask, hello, modelAt, modelNames } from "./loopback.ts";

let kind: Kind = "anthropic";
let recorder: Recorder;
beforeAll(async () => {
  recorder = await startRecorder({ answer: () => ({ body: speak(kind, { text: ["Hi."] }) }) });
});
afterAll(() => recorder.close());

const lastBody = () => recorder.requests.at(-1)?.body ?? "";
const lastJson = () => JSON.parse(lastBody());

const add = {
  name: "add",
  description: "Adds two numbers.",
  input: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number", description: "may be left out" } },
    required: ["a"],
    additionalProperties: false,
  },
};

const request: ModelRequest = {
  tools: [add],
  system: [
    { text: "# Who you are\n\nEva.  \n\n" },
    { text: '“Quotes”, "quotes", ü, 🙂, \u2028, a tab\t.\n', breakpoint: true },
    { text: "## Wishes\nShort answers.", breakpoint: true },
    { text: "\nThe mark is [system ab12]." },
  ],
  messages: [
    { role: "user", text: "  What is 1 + 2?\n" },
    { role: "assistant", text: "One moment.", calls: [{ id: "call_1", name: "add", input: '{"a": 1, "b":2}' }] },
    {
      role: "tool",
      results: [
        { call: "call_1", name: "add", output: '{"sum": 3}\n' },
        { call: "call_2", name: "add", output: "It broke: “no”.", failed: true },
      ],
    },
    { role: "assistant", text: "Three. ", calls: [] },
    { role: "user", text: "And then?", breakpoint: true },
    { role: "user", text: "[system ab12] It is noon." },
  ],
  cacheKey: "agent-1",
};

const systemTexts = request.system.map(({ text }) => text);
const messageTexts = request.messages.flatMap((message) =>
  message.role === "tool" ? message.results.map(({ output }) => output) : [message.text],
);

describe.each(kinds)("on the wire to %s", (each) => {
  beforeEach(() => {
    kind = each;
  });

  test("every text arrives as it is, once, in order", async () => {
    const { answer } = await ask(await modelAt(recorder.url, modelNames[each]), request);
    expect(answer?.text).toBe("Hi.");
    const body = lastBody();
    for (const texts of [systemTexts, messageTexts]) {
      const places = texts.map((text) => {
        const written = JSON.stringify(text).slice(1, -1);
        expect([text, body.split(written).length - 1]).toEqual([text, 1]);
        return body.indexOf(written);
      });
      expect(places).toEqual(places.toSorted((one, other) => one - other));
    }
  });

  test("the same request is the same bytes", async () => {
    const model = await modelAt(recorder.url, modelNames[each]);
    await ask(model, request);
    const first = lastBody();
    await ask(model, request);
    expect(lastBody()).toBe(first);
  });

  test("the tool's schema arrives as it was given", async () => {
    await ask(await modelAt(recorder.url, modelNames[each]), request);
    const { tools } = lastJson();
    const { anthropic, openai, google, ...chat } = {
      anthropic: tools[0].input_schema,
      openai: tools[0].parameters,
      google: tools[0].functionDeclarations?.[0].parametersJsonSchema,
      "openai-chat": tools[0].function?.parameters,
      "openai-compatible": tools[0].function?.parameters,
    };
    expect({ anthropic, openai, google, ...chat }[each]).toEqual(add.input);
  });

  test("tools that may not be called are offered all the same, and that is said", async () => {
    await ask(await modelAt(recorder.url, modelNames[each]), { ...request, toolChoice: "none" });
    const { tools, tool_choice: choice, toolConfig } = lastJson();
    expect(tools).toHaveLength(1);
    expect(choice?.type ?? choice ?? toolConfig?.functionCallingConfig?.mode).toMatch(/^none$/i);
  });

  test("where there are no tools and no system words, none are sent", async () => {
    await ask(await modelAt(recorder.url, modelNames[each]), { ...hello, system: [] });
    const { tools, system, systemInstruction, input, messages, contents } = lastJson();
    expect([tools, system, systemInstruction]).toEqual([undefined, undefined, undefined]);
    expect((input ?? messages ?? contents).length).toBe(1);
  });
});

test("Anthropic keeps the blocks apart, each with its own mark, and merges the user's messages as blocks", async () => {
  kind = "anthropic";
  await ask(await modelAt(recorder.url, modelNames.anthropic), request);
  const mark = { cache_control: { type: "ephemeral" } };
  const { system, messages } = lastJson();
  expect(system).toEqual([
    { type: "text", text: systemTexts[0] },
    { type: "text", text: systemTexts[1], ...mark },
    { type: "text", text: systemTexts[2], ...mark },
    { type: "text", text: systemTexts[3] },
  ]);
  expect(messages).toEqual([
    { role: "user", content: [{ type: "text", text: messageTexts[0] }] },
    {
      role: "assistant",
      content: [
        { type: "text", text: "One moment." },
        { type: "tool_use", id: "call_1", name: "add", input: { a: 1, b: 2 } },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "call_1", content: messageTexts[2] },
        { type: "tool_result", tool_use_id: "call_2", content: messageTexts[3], is_error: true },
      ],
    },
    { role: "assistant", content: [{ type: "text", text: "Three. " }] },
    {
      role: "user",
      content: [
        { type: "text", text: "And then?", ...mark },
        { type: "text", text: "[system ab12] It is noon." },
      ],
    },
  ]);
});

test("OpenAI's responses get one developer message up to each mark, and keep nothing", async () => {
  kind = "openai";
  await ask(await modelAt(recorder.url, modelNames.openai), request);
  const mark = { prompt_cache_breakpoint: { mode: "explicit" } };
  const { input, store, include, prompt_cache_key, prompt_cache_options } = lastJson();
  expect({ store, include, prompt_cache_key, prompt_cache_options }).toEqual({
    store: false,
    include: ["reasoning.encrypted_content"],
    prompt_cache_key: "agent-1",
    prompt_cache_options: { mode: "explicit" },
  });
  expect(input).toEqual([
    {
      role: "developer",
      content: [{ type: "input_text", text: `${systemTexts[0]}${systemTexts[1]}`, ...mark }],
    },
    { role: "developer", content: [{ type: "input_text", text: systemTexts[2], ...mark }] },
    { role: "developer", content: systemTexts[3] },
    { role: "user", content: [{ type: "input_text", text: messageTexts[0] }] },
    { role: "assistant", content: "One moment." },
    { type: "function_call", call_id: "call_1", name: "add", arguments: '{"a": 1, "b":2}' },
    { type: "function_call_output", call_id: "call_1", output: messageTexts[2] },
    { type: "function_call_output", call_id: "call_2", output: messageTexts[3] },
    { role: "assistant", content: "Three. " },
    { role: "user", content: [{ type: "input_text", text: "And then?", ...mark }] },
    { role: "user", content: [{ type: "input_text", text: "[system ab12] It is noon." }] },
  ]);
});

test("OpenAI's chat gets the same in its own form", async () => {
  kind = "openai-chat";
  await ask(await modelAt(recorder.url, modelNames["openai-chat"]), request);
  const mark = { prompt_cache_breakpoint: { mode: "explicit" } };
  const { messages, prompt_cache_key } = lastJson();
  expect(prompt_cache_key).toBe("agent-1");
  expect(messages).toEqual([
    { role: "developer", content: [{ type: "text", text: `${systemTexts[0]}${systemTexts[1]}`, ...mark }] },
    { role: "developer", content: [{ type: "text", text: systemTexts[2], ...mark }] },
    { role: "developer", content: systemTexts[3] },
    { role: "user", content: messageTexts[0] },
    {
      role: "assistant",
      content: "One moment.",
      tool_calls: [{ id: "call_1", type: "function", function: { name: "add", arguments: '{"a": 1, "b":2}' } }],
    },
    { role: "tool", tool_call_id: "call_1", content: messageTexts[2] },
    { role: "tool", tool_call_id: "call_2", content: messageTexts[3] },
    { role: "assistant", content: "Three. " },
    { role: "user", content: [{ type: "text", text: "And then?", ...mark }] },
    { role: "user", content: "[system ab12] It is noon." },
  ]);
});

test("a compatible server and Google get one system text and no marks", async () => {
  kind = "openai-compatible";
  await ask(await modelAt(recorder.url, modelNames["openai-compatible"]), request);
  const [system, ...rest] = lastJson().messages;
  expect(system).toEqual({ role: "system", content: systemTexts.join("") });
  expect(rest.map(({ role }: { role: string }) => role)).toEqual([
    ...["user", "assistant", "tool", "tool", "assistant", "user", "user"],
  ]);
  kind = "google";
  await ask(await modelAt(recorder.url, modelNames.google), request);
  expect(lastJson().systemInstruction).toEqual({ parts: [{ text: systemTexts.join("") }] });
  expect(recorder.requests.slice(-2).filter(({ body }) => /cache_control|breakpoint/.test(body))).toEqual([]);
});

test("an older OpenAI model, which caches by itself, is sent no marks", async () => {
  for (const name of ["openai/gpt-4.1", "openai-chat/gpt-4.1"]) {
    kind = name.startsWith("openai-chat") ? "openai-chat" : "openai";
    await ask(await modelAt(recorder.url, name), request);
    const { input, messages } = lastJson();
    expect((input ?? messages)[0]).toEqual({ role: "system", content: systemTexts.join("") });
    expect(lastBody()).not.toContain("breakpoint");
  }
});

test("updates and state in the system's voice arrive inside the history, in the developer's role", async () => {
  const spoken: ModelRequest = {
    ...hello,
    messages: [
      { role: "system", text: "From now on, in bullets.", breakpoint: true },
      { role: "user", text: "Hello" },
      { role: "system", text: "It is noon.\n" },
    ],
  };
  const mark = { prompt_cache_breakpoint: { mode: "explicit" } };
  for (const each of ["openai", "openai-chat"] as const) {
    kind = each;
    await ask(await modelAt(recorder.url, modelNames[each]), spoken);
    const type = each === "openai" ? "input_text" : "text";
    const { input, messages } = lastJson();
    expect(input ?? messages).toEqual([
      { role: "developer", content: "Be kind." },
      { role: "developer", content: [{ type, text: "From now on, in bullets.", ...mark }] },
      { role: "user", content: each === "openai" ? [{ type, text: "Hello" }] : "Hello" },
      { role: "developer", content: "It is noon.\n" },
    ]);
  }
});

test("Claude behind OpenRouter gets Anthropic's marks in the form of a chat", async () => {
  kind = "openai-compatible";
  await ask(await modelAt(recorder.url, "openrouter/anthropic/claude-sonnet-5.5"), request);
  const marked = (text: string | undefined) => [{ type: "text", text, cache_control: { type: "ephemeral" } }];
  expect(recorder.requests.at(-1)?.path).toBe("/api/v1/chat/completions");
  const { messages, model } = lastJson();
  expect(model).toBe("anthropic/claude-sonnet-5.5");
  expect(messages.slice(0, 4)).toEqual([
    { role: "system", content: marked(`${systemTexts[0]}${systemTexts[1]}`) },
    { role: "system", content: marked(systemTexts[2]) },
    { role: "system", content: systemTexts[3] },
    { role: "user", content: messageTexts[0] },
  ]);
  expect(messages.slice(-2)).toEqual([
    { role: "user", content: marked("And then?") },
    { role: "user", content: "[system ab12] It is noon." },
  ]);
});

test("what a host knows better of the cache is what is asked for", async () => {
  kind = "openai";
  const cache = { kind: "breakpoint", min: 1024, maxBreakpoints: 4, lookback: null } as const;
  await ask(
    await modelAt(recorder.url, modelNames.openai, { cache: { ...cache, implicit: false, ttlSeconds: 1800 } }),
    request,
  );
  expect(lastJson().prompt_cache_options).toEqual({ mode: "explicit" });
  kind = "anthropic";
  await ask(
    await modelAt(recorder.url, modelNames.anthropic, { cache: { ...cache, implicit: false, ttlSeconds: 3600 } }),
    request,
  );
  expect(lastJson().system[1].cache_control).toEqual({ type: "ephemeral", ttl: "1h" });
});

test("a breakpoint on an answer stands on the last part that can carry one", async () => {
  const answered: ModelRequest = {
    ...hello,
    messages: [
      { role: "user", text: "Hello" },
      { role: "assistant", text: "Yes?", calls: [{ id: "call_1", name: "add", input: "{}" }], breakpoint: true },
      { role: "tool", results: [{ call: "call_1", name: "add", output: "0" }] },
    ],
  };
  kind = "anthropic";
  await ask(await modelAt(recorder.url, modelNames.anthropic), answered);
  expect(lastJson().messages[1].content.map((part: object) => "cache_control" in part)).toEqual([false, true]);
  kind = "openai-chat";
  await ask(await modelAt(recorder.url, modelNames["openai-chat"]), answered);
  expect(lastJson().messages[2].content).toEqual([
    { type: "text", text: "Yes?", prompt_cache_breakpoint: { mode: "explicit" } },
  ]);
  kind = "openai";
  await ask(await modelAt(recorder.url, modelNames.openai), answered);
  expect(lastBody()).not.toContain("breakpoint");
});
