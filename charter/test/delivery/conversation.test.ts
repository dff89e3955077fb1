import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Answer, Message, ModelRequest } from "../../src/delivery/model.ts";
import { startRecorder } from "../../src/testing/strict/recorder.ts";
import { type Kind, kinds, type Speech, speak } from "../../src/testing/strict/speech.ts";
import { ask, modelAt, modelNames } from "./loopback.ts";

const number = { type: "number" };
const tools = ["add", "double"].map((name) => ({
  name,
  description: `Can ${name}.`,
  input: { type: "object", properties: { a: number, b: number } },
}));
const opening: ModelRequest = {
  tools,
  system: [{ text: "Be exact." }],
  messages: [{ role: "user", text: "What is twice 1 + 2?" }],
};

/** The request after an answer and the results of what it called. */
function onward(request: ModelRequest, { text, calls, native }: Answer, outputs: readonly string[]): ModelRequest {
  const results = calls.map(({ id, name }, index) => ({ call: id, name, output: outputs[index] ?? "" }));
  const answer: Message = { role: "assistant", text, calls, ...(native === undefined ? {} : { native }) };
  // Sessions keep their history as JSON.
  const kept: Message = JSON.parse(JSON.stringify(answer));
  return { ...request, messages: [...request.messages, kept, { role: "tool", results }] };
}

async function answerOf(asked: ReturnType<typeof ask>): Promise<Answer & { readonly heard: readonly string[] }> {
  const { answer, fault, heard } = await asked;
  if (!answer) throw new Error(fault?.message);
  return { ...answer, heard };
}

const script: readonly Speech[] = [
  {
    thought: "First the sum.",
    text: ["Let me ", "see."],
    calls: [{ id: "call_1", name: "add", input: '{"a": 1, "b": 2}' }],
    usage: { input: 1000, read: 0, written: 900, output: 20 },
  },
  {
    thought: "Then twice.",
    calls: [
      { id: "call_2", name: "double", input: '{"a":3}' },
      { id: "call_3", name: "add", input: '{"a":3,"b":3}' },
    ],
    usage: { input: 1100, read: 900, written: 100, output: 30 },
  },
  { text: ["Six", "."], usage: { input: 1200, read: 1000, written: 0, output: 3 } },
];

describe.each(kinds)("a conversation of three steps with %s", (kind) => {
  test("streams its words, calls its tools, counts its tokens", async () => {
    const recorder = await startRecorder({ answer: script.map((said) => ({ body: speak(kind, said) })) });
    const model = await modelAt(recorder.url, modelNames[kind]);
    const first = await answerOf(ask(model, opening));
    const second = onward(opening, first, ["3"]);
    const then = await answerOf(ask(model, second));
    const third = onward(second, then, ["6", "6"]);
    const last = await answerOf(ask(model, third));
    await recorder.close();

    const written = (count: number) => (kind === "google" ? null : count);
    const input = kind === "google" ? '{"a":1,"b":2}' : '{"a": 1, "b": 2}';
    expect([first, then, last].map(({ native, ...answer }) => answer)).toEqual([
      {
        text: "Let me see.",
        calls: [{ id: "call_1", name: "add", input }],
        finish: "tool-calls",
        usage: { input: 1000, read: 0, written: written(900), output: 20 },
        heard: ["Let me ", "see."],
      },
      {
        text: "",
        calls: script[1]?.calls,
        finish: "tool-calls",
        usage: { input: 1100, read: 900, written: written(100), output: 30 },
        heard: [],
      },
      {
        text: "Six.",
        calls: [],
        finish: "stop",
        usage: { input: 1200, read: 1000, written: written(0), output: 3 },
        heard: ["Six", "."],
      },
    ]);
    const [one, two, three] = recorder.requests.map(({ body }) => historyIn(kind, body)) as [Wire, Wire, Wire];
    expect(two.slice(0, one.length)).toEqual(one);
    expect(three.slice(0, two.length)).toEqual(two);
    expect(two.slice(one.length)).toEqual(stepsOnTheWire[kind][0]);
    expect(three.slice(two.length)).toEqual(stepsOnTheWire[kind][1]);
  });
});

type Wire = readonly unknown[];

function historyIn(kind: Kind, body: string): Wire {
  const { input, messages, contents } = JSON.parse(body);
  return kind === "openai" ? input : kind === "google" ? contents : messages;
}

const chatCall = (id: string, name: string, input: string) => ({
  id,
  type: "function",
  function: { name, arguments: input },
});
const chatSteps = (thought: (words: string) => object): [Wire, Wire] => [
  [
    {
      role: "assistant",
      content: "Let me see.",
      ...thought("First the sum."),
      tool_calls: [chatCall("call_1", "add", '{"a": 1, "b": 2}')],
    },
    { role: "tool", tool_call_id: "call_1", content: "3" },
  ],
  [
    {
      role: "assistant",
      content: null,
      ...thought("Then twice."),
      tool_calls: [chatCall("call_2", "double", '{"a":3}'), chatCall("call_3", "add", '{"a":3,"b":3}')],
    },
    { role: "tool", tool_call_id: "call_2", content: "6" },
    { role: "tool", tool_call_id: "call_3", content: "6" },
  ],
];
const googleResult = (id: string, name: string, content: string) => ({
  functionResponse: { id, name, response: { name, content } },
});

/** What the second and the third request say of the step before them: the model's own reasoning comes back with it. */
const stepsOnTheWire: Readonly<Record<Kind, readonly [Wire, Wire]>> = {
  anthropic: [
    [
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "First the sum.", signature: "signed" },
          { type: "text", text: "Let me see." },
          { type: "tool_use", id: "call_1", name: "add", input: { a: 1, b: 2 } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "3" }] },
    ],
    [
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Then twice.", signature: "signed" },
          { type: "tool_use", id: "call_2", name: "double", input: { a: 3 } },
          { type: "tool_use", id: "call_3", name: "add", input: { a: 3, b: 3 } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "call_2", content: "6" },
          { type: "tool_result", tool_use_id: "call_3", content: "6" },
        ],
      },
    ],
  ],
  openai: [
    [
      { type: "reasoning", id: "rs_1", encrypted_content: "First the sum.", summary: [] },
      { role: "assistant", content: "Let me see." },
      { type: "function_call", call_id: "call_1", name: "add", arguments: '{"a": 1, "b": 2}' },
      { type: "function_call_output", call_id: "call_1", output: "3" },
    ],
    [
      { type: "reasoning", id: "rs_1", encrypted_content: "Then twice.", summary: [] },
      { type: "function_call", call_id: "call_2", name: "double", arguments: '{"a":3}' },
      { type: "function_call", call_id: "call_3", name: "add", arguments: '{"a":3,"b":3}' },
      { type: "function_call_output", call_id: "call_2", output: "6" },
      { type: "function_call_output", call_id: "call_3", output: "6" },
    ],
  ],
  "openai-chat": chatSteps(() => ({})),
  "openai-compatible": chatSteps((words) => ({ reasoning_content: words })),
  google: [
    [
      {
        role: "model",
        parts: [
          { text: "First the sum.", thought: true, thoughtSignature: "signed" },
          { text: "Let me see." },
          { functionCall: { id: "call_1", name: "add", args: { a: 1, b: 2 } }, thoughtSignature: "signed" },
        ],
      },
      { role: "user", parts: [googleResult("call_1", "add", "3")] },
    ],
    [
      {
        role: "model",
        parts: [
          { text: "Then twice.", thought: true, thoughtSignature: "signed" },
          { functionCall: { id: "call_2", name: "double", args: { a: 3 } }, thoughtSignature: "signed" },
          { functionCall: { id: "call_3", name: "add", args: { a: 3, b: 3 } } },
        ],
      },
      { role: "user", parts: [googleResult("call_2", "double", "6"), googleResult("call_3", "add", "6")] },
    ],
  ],
};

describe("against a server that others wrote", () => {
  const mock = new LLMock({ port: 0 });
  const results = (count: number) => (request: { messages: readonly { role: string }[] }) =>
    request.messages.filter(({ role }) => role === "tool").length === count;
  beforeAll(async () => {
    mock.on({ predicate: results(0) }, { toolCalls: [{ name: "add", arguments: '{"a":1,"b":2}' }] });
    mock.on({ predicate: results(1) }, { toolCalls: [{ name: "double", arguments: '{"a":3}' }] });
    mock.on({ predicate: results(2) }, { content: "It is six." });
    await mock.start();
  });
  afterAll(() => mock.stop());

  test.each(kinds)("three steps with %s", async (kind) => {
    const recorder = await startRecorder({ upstream: mock.url });
    const model = await modelAt(recorder.url, modelNames[kind]);
    const first = await answerOf(ask(model, opening));
    const second = onward(opening, first, ["3"]);
    const then = await answerOf(ask(model, second));
    const last = await answerOf(ask(model, onward(second, then, ["6"])));
    await recorder.close();
    expect([first, then, last].map(({ text, calls, finish }) => [text, calls.map(({ name }) => name), finish])).toEqual(
      [
        ["", ["add"], "tool-calls"],
        ["", ["double"], "tool-calls"],
        ["It is six.", [], "stop"],
      ],
    );
    expect(last.heard.join("")).toBe("It is six.");
    expect(recorder.requests.length).toBe(3);
  });
});
