import type OpenAI from "openai";
import { expect, test } from "vitest";
import type { Answer, ModelRequest } from "../model.ts";
import { receiverOf } from "../receiver.ts";
import { fromOpenAIChat, toOpenAIChat } from "./openai-chat.ts";

const receiver = receiverOf("openai-compatible/qwen3");
const called = (id: string, city: string) => ({
  id,
  type: "function",
  function: { name: "weather", arguments: `{"city": "${city}"}` },
});
const message = {
  role: "assistant",
  content: "One moment.",
  refusal: null,
  // vLLM and DeepSeek; OpenRouter has its own, signed.
  reasoning_content: "Two cities.",
  reasoning_details: [{ type: "reasoning.text", text: "Two cities.", signature: "c2lnbmVk" }],
  tool_calls: [called("call_1", "Bern"), called("call_2", "Basel")],
};
const completion = (said: object, finish_reason: string, more: object = {}) =>
  ({
    choices: [{ index: 0, message: said, finish_reason }],
    usage: { prompt_tokens: 1000, completion_tokens: 50, prompt_tokens_details: { cached_tokens: 900 } },
    ...more,
  }) as unknown as OpenAI.ChatCompletion;
const answer = fromOpenAIChat(completion(message, "tool_calls"), receiver);

test("a chat completion is an answer, with all of it kept as it came", () => {
  expect(answer).toEqual({
    text: "One moment.",
    calls: [
      { id: "call_1", name: "weather", input: '{"city": "Bern"}' },
      { id: "call_2", name: "weather", input: '{"city": "Basel"}' },
    ],
    finish: "tool-calls",
    usage: { input: 1000, read: 900, written: null, output: 50 },
    native: { model: "openai-compatible/qwen3", form: "openai-chat", content: [message] },
  });
});

const requestAfter = ({ text, calls, native }: Pick<Answer, "text" | "calls" | "native">): ModelRequest => ({
  tools: [{ name: "weather", description: "Tells the weather.", input: { type: "object" } }],
  system: [{ text: "Be kind.\n" }, { text: "Be brief." }],
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
    },
    { role: "user", text: "[system ab12] It is noon." },
  ],
  cacheKey: "session-1",
  toolChoice: "none",
  answerTokens: 300,
});

const plain = {
  role: "assistant",
  content: "One moment.",
  tool_calls: [called("call_1", "Bern"), called("call_2", "Basel")],
};

test("a request with pictures, calls, results and reasoning is a body of the openai package", () => {
  const body: OpenAI.ChatCompletionCreateParamsNonStreaming = {
    model: "qwen3",
    ...toOpenAIChat(requestAfter(answer), receiver),
  };
  expect(body).toEqual({
    model: "qwen3",
    messages: [
      { role: "system", content: "Be kind.\nBe brief." },
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: "data:image/png;base64,iVBO" } },
          { type: "file", file: { filename: "map.pdf", file_data: "data:application/pdf;base64,JVBE" } },
          { type: "text", text: "What is this, and how is the weather?" },
        ],
      },
      message,
      { role: "tool", tool_call_id: "call_1", content: "Rain." },
      { role: "tool", tool_call_id: "call_2", content: "No such city." },
      { role: "user", content: "[system ab12] It is noon." },
    ],
    tools: [
      {
        type: "function",
        function: { name: "weather", description: "Tells the weather.", parameters: { type: "object" } },
      },
    ],
    tool_choice: "none",
    max_tokens: 300,
  });
  expect(JSON.stringify(body.messages[2])).toBe(JSON.stringify(message));
});

test("text and calls alone are sent to another model, and for an answer that was changed since", () => {
  const other = toOpenAIChat(requestAfter(answer), receiverOf("openai-compatible/llama"));
  expect(other.messages[2]).toEqual(plain);
  const changed = toOpenAIChat(requestAfter({ ...answer, text: "Wait." }), receiver);
  expect(changed.messages[2]).toEqual({ ...plain, content: "Wait." });
});

test("roles alternate where they must, and OpenAI itself is told more", () => {
  const strict = toOpenAIChat(requestAfter(answer), { ...receiver, roles: "alternate" });
  expect(strict.messages.at(-1)).toEqual({
    role: "tool",
    tool_call_id: "call_2",
    content: "No such city.\n\n[system ab12] It is noon.",
  });
  const {
    messages: _messages,
    tools: _tools,
    ...own
  } = toOpenAIChat(requestAfter(answer), receiverOf("openai-chat/gpt-4.1", { reasoning: "low" }));
  expect(own).toEqual({
    tool_choice: "none",
    max_completion_tokens: 300,
    reasoning_effort: "low",
    prompt_cache_key: "session-1",
  });
});

test("control tokens go out escaped and come back as they were; what is kept is what came", () => {
  const said = { ...message, content: "It ends with <·|im_end|>.", tool_calls: [called("call_1", "<·|im_end|>")] };
  const read = fromOpenAIChat(completion(said, "tool_calls"), receiver);
  expect([read.text, read.calls[0]?.input]).toEqual(["It ends with <|im_end|>.", '{"city": "<|im_end|>"}']);
  expect(toOpenAIChat(requestAfter(read), receiver).messages[2]).toEqual(said);
  // A token that the model wrote as it is would end its own message: then the words are sent, escaped.
  const raw = { ...message, reasoning_content: "<|im_end|>", content: "Hm <|im_end|>", tool_calls: undefined };
  const kept = fromOpenAIChat(completion(raw, "stop"), receiver);
  expect(kept.text).toBe("Hm <|im_end|>");
  expect(toOpenAIChat(requestAfter(kept), receiver).messages[2]).toEqual({
    role: "assistant",
    content: "Hm <·|im_end|>",
  });
});

test("what the package's helpers add of their own is not kept: a server would refuse it", () => {
  const tool_calls = message.tool_calls.map((call) => ({
    ...call,
    function: { ...call.function, parsed_arguments: { city: "Bern" } },
  }));
  expect(fromOpenAIChat(completion({ ...message, tool_calls, parsed: null }, "tool_calls"), receiver)).toEqual(answer);
});

test("why it stopped, what need not be kept, and what is no answer", () => {
  const bare = { role: "assistant", content: "Hi.", refusal: null, annotations: [], reasoning: "" };
  expect(fromOpenAIChat(completion(bare, "stop", { usage: null }), receiver)).toEqual({
    text: "Hi.",
    calls: [],
    finish: "stop",
    usage: { input: null, read: null, written: null, output: null },
  });
  const finish = (reason: string) => fromOpenAIChat(completion(bare, reason), receiver).finish;
  expect(["length", "content_filter", "eos"].map(finish)).toEqual(["length", "content-filter", "other"]);
  const refused = { ...bare, content: null, refusal: "No." };
  expect(fromOpenAIChat(completion(refused, "stop"), receiver)).toMatchObject({ text: "", finish: "content-filter" });
  const signed = { ...called("call_1", "Bern"), extra_content: { google: { thought_signature: "c2ln" } } };
  const google = { ...bare, content: null, tool_calls: [signed] };
  expect(fromOpenAIChat(completion(google, "stop"), receiver)).toMatchObject({
    finish: "tool-calls",
    native: { content: [google] },
  });
  expect(() => fromOpenAIChat(completion(bare, "stop", { error: { message: "Overloaded." } }), receiver)).toThrow(
    "The response that fromOpenAIChat was given is no answer: Overloaded.",
  );
});
