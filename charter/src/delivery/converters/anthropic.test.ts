import type Anthropic from "@anthropic-ai/sdk";
import { expect, test } from "vitest";
import type { Answer, ModelRequest } from "../model.ts";
import { receiverOf } from "../receiver.ts";
import { fromAnthropic, toAnthropic } from "./anthropic.ts";

const receiver = receiverOf("anthropic/claude-sonnet-5-5");
const answered = {
  content: [
    { type: "thinking", thinking: "Two cities.", signature: "c2lnbmVk" },
    { type: "redacted_thinking", data: "ZGFyaw==" },
    { type: "text", text: "One moment.", citations: null },
    { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Bern" }, caller: { type: "direct" } },
    { type: "tool_use", id: "toolu_2", name: "weather", input: { city: "Basel" }, caller: { type: "direct" } },
  ],
  stop_reason: "tool_use",
  usage: { input_tokens: 10, cache_read_input_tokens: 900, cache_creation_input_tokens: 90, output_tokens: 50 },
} as unknown as Anthropic.Message;
const answer = fromAnthropic(answered, receiver);

test("a message of Anthropic's SDK is an answer, with all of it kept as it came", () => {
  expect(answer).toEqual({
    text: "One moment.",
    calls: [
      { id: "toolu_1", name: "weather", input: '{"city":"Bern"}' },
      { id: "toolu_2", name: "weather", input: '{"city":"Basel"}' },
    ],
    finish: "tool-calls",
    usage: { input: 1000, read: 900, written: 90, output: 50 },
    native: { model: "anthropic/claude-sonnet-5-5", form: "anthropic", content: answered.content },
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
        { call: "toolu_1", name: "weather", output: "Rain." },
        { call: "toolu_2", name: "weather", output: "No such city.", failed: true },
      ],
      breakpoint: true,
    },
    { role: "user", text: "[system ab12] It is noon." },
  ],
  toolChoice: "none",
  answerTokens: 300,
});

test("a request with pictures, calls, results and reasoning is a body of Anthropic's SDK", () => {
  const body: Anthropic.MessageCreateParamsNonStreaming = {
    model: "claude-sonnet-5-5",
    max_tokens: 100,
    ...toAnthropic(requestAfter(answer), receiver),
  };
  expect(body).toEqual({
    model: "claude-sonnet-5-5",
    max_tokens: 300,
    system: [
      { type: "text", text: "Be kind.\n", cache_control: { type: "ephemeral" } },
      { type: "text", text: "Be brief." },
    ],
    messages: [
      {
        role: "user",
        content: [
          { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBO" } },
          {
            type: "document",
            source: { type: "base64", media_type: "application/pdf", data: "JVBE" },
            title: "map.pdf",
          },
          { type: "text", text: "What is this, and how is the weather?" },
        ],
      },
      { role: "assistant", content: answered.content },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "toolu_1", content: "Rain." },
          {
            type: "tool_result",
            tool_use_id: "toolu_2",
            content: "No such city.",
            is_error: true,
            cache_control: { type: "ephemeral" },
          },
          { type: "text", text: "[system ab12] It is noon." },
        ],
      },
    ],
    tools: [{ name: "weather", description: "Tells the weather.", input_schema: { type: "object" } }],
    tool_choice: { type: "none" },
  });
  expect(JSON.stringify(body.messages[1]?.content)).toBe(JSON.stringify(answered.content));
});

const plainContent = [
  { type: "text", text: "One moment." },
  { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Bern" } },
  { type: "tool_use", id: "toolu_2", name: "weather", input: { city: "Basel" } },
];
const rows: readonly [what: string, of: Pick<Answer, "text" | "calls" | "native">, name: string, content: unknown][] = [
  ["another model", answer, "anthropic/claude-opus-5-5", plainContent],
  [
    "an answer that was changed since",
    { ...answer, text: "Wait." },
    receiver.name,
    [{ type: "text", text: "Wait." }, ...plainContent.slice(1)],
  ],
  [
    "an answer in another form",
    { ...answer, native: { model: receiver.name, content: [] } },
    receiver.name,
    plainContent,
  ],
];
for (const [what, of, name, content] of rows)
  test(`text and calls alone are sent for ${what}`, () => {
    expect(toAnthropic(requestAfter(of), receiverOf(name)).messages[1]?.content).toEqual(content);
  });

test("a breakpoint after an answer stands on its last block that is no thought, and a blank text is left out", () => {
  const content = [
    { type: "thinking", thinking: "Hm.", signature: "s" },
    { type: "text", text: "Yes." },
    { type: "text", text: "\n\n" },
    { type: "redacted_thinking", data: "x" },
  ];
  const { text, calls, native } = fromAnthropic({ ...answered, content, stop_reason: "end_turn" }, receiver);
  const messages = [{ role: "assistant", text, calls, native, breakpoint: true }] as const;
  expect(toAnthropic({ tools: [], system: [], messages }, receiver).messages).toEqual([
    {
      role: "assistant",
      content: [content[0], { ...content[1], cache_control: { type: "ephemeral" } }, content[3]],
    },
  ]);
});

test("why it stopped, and what need not be kept", () => {
  const content = [{ type: "text", text: "Hi.", citations: null }];
  const finish = (stop_reason: string | null) => fromAnthropic({ ...answered, content, stop_reason }, receiver).finish;
  expect(
    ["end_turn", "stop_sequence", "max_tokens", "model_context_window_exceeded", "refusal", "pause_turn", null].map(
      finish,
    ),
  ).toEqual(["stop", "stop", "length", "length", "content-filter", "pause", "other"]);
  expect(fromAnthropic({ ...answered, content }, receiver)).not.toHaveProperty("native");
  const usage = { input_tokens: 1, output_tokens: 2 };
  expect(fromAnthropic({ content, stop_reason: null, usage }, receiver).usage).toEqual({
    input: 1,
    read: null,
    written: null,
    output: 2,
  });
});

test("reasoning that Anthropic left out is in the answer", () => {
  const report = [{ type: "thinking_dropped", path: "messages.1.content.0", reason: "prefix_binding_mismatch" }];
  const { dropped } = fromAnthropic({ ...answered, input_transformations: report }, receiver);
  expect([dropped, answer.dropped]).toEqual([report, undefined]);
});
