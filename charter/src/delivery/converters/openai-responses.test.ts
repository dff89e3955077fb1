import type OpenAI from "openai";
import { expect, test } from "vitest";
import type { Answer, ModelRequest } from "../model.ts";
import { receiverOf } from "../receiver.ts";
import { fromOpenAIResponses, toOpenAIResponses } from "./openai-responses.ts";

const receiver = receiverOf("openai/gpt-5.6-terra", { reasoning: "low" });
const message = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "One moment.", annotations: [], logprobs: [] }],
};
const called = (id: string, city: string) => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name: "weather",
  arguments: `{"city": "${city}"}`,
  status: "completed",
});
const output = [
  { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Two." }], encrypted_content: "Z0FB" },
  message,
  called("call_1", "Bern"),
  called("call_2", "Basel"),
];
const answered = {
  status: "completed",
  output,
  usage: {
    input_tokens: 1000,
    output_tokens: 50,
    input_tokens_details: { cached_tokens: 900, cache_write_tokens: 90 },
  },
} as unknown as OpenAI.Responses.Response;
const answer = fromOpenAIResponses(answered, receiver);

test("a response of OpenAI's SDK is an answer, with all of it kept as it came", () => {
  expect(answer).toEqual({
    text: "One moment.",
    calls: [
      { id: "call_1", name: "weather", input: '{"city": "Bern"}' },
      { id: "call_2", name: "weather", input: '{"city": "Basel"}' },
    ],
    finish: "tool-calls",
    usage: { input: 1000, read: 900, written: 90, output: 50 },
    native: { model: "openai/gpt-5.6-terra", form: "openai-responses", content: output },
  });
});

const requestAfter = ({ text, calls, native }: Pick<Answer, "text" | "calls" | "native">): ModelRequest => ({
  tools: [{ name: "weather", description: "Tells the weather.", input: { type: "object" } }],
  system: [{ text: "Be kind.\n", breakpoint: true }, { text: "Be brief." }],
  messages: [
    {
      role: "user",
      text: "What is this, and how is the weather?",
      attachments: [
        { mediaType: "image/png", bytes: 3, digest: "d1", data: "iVBO" },
        { mediaType: "application/pdf", bytes: 3, digest: "d2", name: "map.pdf", data: "JVBE" },
      ],
    },
    { role: "assistant", text, calls, native },
    {
      role: "tool",
      results: [
        { call: "call_1", name: "weather", output: "Rain." },
        { call: "call_2", name: "weather", output: "No such city.", failed: true },
      ],
      breakpoint: true,
    },
    { role: "system", text: "It is noon." },
  ],
  cacheKey: "session-1",
  toolChoice: "none",
  answerTokens: 300,
});

const mark = { prompt_cache_breakpoint: { mode: "explicit" } };
const around = (sent: readonly unknown[]) => [
  { role: "developer", content: [{ type: "input_text", text: "Be kind.\n", ...mark }] },
  { role: "developer", content: "Be brief." },
  {
    role: "user",
    content: [
      { type: "input_image", image_url: "data:image/png;base64,iVBO", detail: "auto" },
      { type: "input_file", filename: "map.pdf", file_data: "data:application/pdf;base64,JVBE" },
      { type: "input_text", text: "What is this, and how is the weather?" },
    ],
  },
  ...sent,
  { type: "function_call_output", call_id: "call_1", output: "Rain." },
  {
    type: "function_call_output",
    call_id: "call_2",
    output: [{ type: "input_text", text: "No such city.", ...mark }],
  },
  { role: "developer", content: "It is noon." },
];

test("a request with pictures, calls, results and reasoning is a body of OpenAI's SDK", () => {
  const body: OpenAI.Responses.ResponseCreateParamsNonStreaming = {
    model: "gpt-5.6-terra",
    ...toOpenAIResponses(requestAfter(answer), receiver),
  };
  expect(body).toEqual({
    model: "gpt-5.6-terra",
    input: around(output),
    tools: [
      {
        type: "function",
        name: "weather",
        description: "Tells the weather.",
        parameters: { type: "object" },
        strict: false,
      },
    ],
    tool_choice: "none",
    max_output_tokens: 300,
    reasoning: { effort: "low" },
    store: false,
    include: ["reasoning.encrypted_content"],
    prompt_cache_key: "session-1",
    prompt_cache_options: { mode: "explicit" },
  });
  expect(JSON.stringify(body.input?.slice(3, 7))).toBe(JSON.stringify(output));
});

const plainItems = (text: string) => [
  { role: "assistant", content: text },
  { type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city": "Bern"}' },
  { type: "function_call", call_id: "call_2", name: "weather", arguments: '{"city": "Basel"}' },
];

test("text and calls alone are sent to another model, and for an answer that was changed since", () => {
  const other = receiverOf("openai/gpt-6.1-sol");
  expect(toOpenAIResponses(requestAfter(answer), other).input).toEqual(around(plainItems("One moment.")));
  const changed = { ...answer, text: "Wait." };
  expect(toOpenAIResponses(requestAfter(changed), receiver).input).toEqual(around(plainItems("Wait.")));
});

test("reasoning that came without its encrypted form cannot be sent back, and is not kept", () => {
  const [thought, ...rest] = output;
  const bare = { ...answered, output: [{ ...thought, encrypted_content: null }, ...rest] };
  expect(fromOpenAIResponses(bare as typeof answered, receiver)).not.toHaveProperty("native");
  expect(toOpenAIResponses(requestAfter(answer), { ...receiver, name: "openai/gpt-5-chat-latest" })).not.toHaveProperty(
    "include",
  );
});

test("what the package's helpers add of their own is not kept: OpenAI would refuse it", () => {
  const parsed = output.map((item) => ({
    ...item,
    ...("arguments" in item ? { parsed_arguments: null } : {}),
    ...("content" in item ? { content: item.content.map((one) => ({ ...one, parsed: null })) } : {}),
  }));
  expect(fromOpenAIResponses({ ...answered, output: parsed }, receiver)).toEqual(answer);
});

test("why it stopped, what need not be kept, and what is no answer", () => {
  const read = (more: object) => fromOpenAIResponses({ output: [message], ...more }, receiver);
  expect(read({})).toEqual({
    text: "One moment.",
    calls: [],
    finish: "stop",
    usage: { input: null, read: null, written: null, output: null },
  });
  const reasons = ["max_output_tokens", "content_filter", "else"];
  expect(reasons.map((reason) => read({ status: "incomplete", incomplete_details: { reason } }).finish)).toEqual([
    "length",
    "content-filter",
    "other",
  ]);
  const refusal = { ...message, content: [{ type: "refusal", refusal: "No." }] };
  expect(read({ output: [refusal] })).toMatchObject({ finish: "content-filter", native: { content: [refusal] } });
  expect(() => read({ status: "failed", error: { message: "The server had an error." } })).toThrow(
    "The response that fromOpenAIResponses was given is no answer: The server had an error.",
  );
  expect(() => read({ status: "in_progress" })).toThrow("its status is “in_progress”");
});
