import { expect, test } from "vitest";
import {
  checkChat,
  checkCompatible,
  checkResponses,
  itemName,
  systemTextsOfChat,
  systemTextsOfResponses,
} from "./openai.ts";
import type { Json, StrictFault } from "./request.ts";

const against = (fault: StrictFault | undefined) =>
  fault ? { check: fault.check, at: fault.at, message: fault.message } : null;

const called = { type: "function_call", call_id: "c1", name: "add", arguments: "{}" };
const output = { type: "function_call_output", call_id: "c1", output: "3" };
const hello = { role: "user", content: "Hello" };
const reasoning = (encrypted: string) => ({ type: "reasoning", id: "rs_1", summary: [], encrypted_content: encrypted });
const given = new Map([
  ["e1", itemName(called)],
  ["e2", itemName({ role: "assistant", content: "Three." })],
]);

const responses: readonly [what: string, input: readonly Json[], fault: ReturnType<typeof against>][] = [
  [
    "a step, and an answer",
    [hello, reasoning("e1"), called, output, reasoning("e2"), { role: "assistant", content: "Three." }, hello],
    null,
  ],
  ["no reasoning at all", [hello, called, output], null],
  [
    "a call without its output",
    [hello, called],
    { check: "results", at: "input[1]", message: "No tool output found for function call c1." },
  ],
  [
    "an output before its call",
    [hello, output, called],
    { check: "results", at: "input[1]", message: "No tool call found for function call output with call_id c1." },
  ],
  [
    "an output twice",
    [hello, called, output, output],
    { check: "results", at: "input[1]", message: "No tool output found for function call c1." },
  ],
  [
    "reasoning without its item",
    [hello, reasoning("e1"), hello],
    {
      check: "reasoning",
      at: "input[1]",
      message: "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    },
  ],
  [
    "reasoning before another item",
    [hello, reasoning("e2"), called, output],
    {
      check: "reasoning",
      at: "input[1]",
      message: "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    },
  ],
  [
    "reasoning that was made up",
    [hello, reasoning("e9"), called, output],
    {
      check: "reasoning",
      at: "input[1]",
      message:
        "The encrypted content for item rs_1 could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
    },
  ],
  [
    "a role that is none",
    [{ role: "tool", content: "3" }],
    { check: "order", at: "input[0]", message: "Invalid value: 'tool'." },
  ],
];
for (const [what, input, fault] of responses)
  test(`responses: ${what}`, () => {
    expect(against(checkResponses({ model: "gpt", input }, { reasoning: given }))).toEqual(fault);
  });

test("a refusal of OpenAI's has the status and the body of the real one", () => {
  const message = "No tool output found for function call c1.";
  expect(checkResponses({ model: "gpt", input: [hello, called] }, { reasoning: given })).toEqual({
    ...{ check: "results", at: "input[1]", message, status: 400 },
    body: { error: { message, type: "invalid_request_error", param: "input[1]", code: null } },
  });
});

const calling = { role: "assistant", content: null, tool_calls: [{ id: "c1" }, { id: "c2" }] };
const tool = (id: string) => ({ role: "tool", tool_call_id: id, content: "3" });
const system = { role: "system", content: "Be kind." };
const developer = { role: "developer", content: "Be kind." };
const unasked =
  "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
const unanswered = (ids: string) =>
  `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids}`;
const late = { check: "order", message: "System message must be at the beginning." };

const chats: readonly [
  what: string,
  messages: readonly Json[],
  chat: ReturnType<typeof against>,
  compatible: object | null,
][] = [
  ["a step", [system, hello, calling, tool("c1"), tool("c2")], null, null],
  [
    "an open call",
    [hello, calling, tool("c1"), hello],
    { check: "results", at: "messages.[1].role", message: unanswered("c2") },
    { check: "results", at: "messages.[1].role", message: unanswered("c2") },
  ],
  [
    "words between calls and results",
    [hello, calling, system, tool("c1"), tool("c2")],
    { check: "results", at: "messages.[1].role", message: unanswered("c1, c2") },
    { ...late, at: "messages[2]" },
  ],
  [
    "a result of no call",
    [hello, tool("c1")],
    { check: "results", at: "messages.[1].role", message: unasked },
    { check: "results", at: "messages.[1].role", message: unasked },
  ],
  [
    "a role that is none",
    [{ role: "model", content: "Hi." }],
    { check: "order", at: "messages.[0].role", message: "Invalid value: 'model'." },
    { check: "order", at: "messages.[0].role", message: "Invalid value: 'model'." },
  ],
  [
    "a message without words",
    [{ role: "user", content: null }],
    {
      check: "empty-text",
      at: "messages.[0].content",
      message: "Invalid value for 'content': expected a string, got null.",
    },
    {
      check: "empty-text",
      at: "messages.[0].content",
      message: "Invalid value for 'content': expected a string, got null.",
    },
  ],
  ["a system message later", [system, hello, system], null, { ...late, at: "messages[2]" }],
  ["two system messages", [system, system, hello], null, { ...late, at: "messages[1]" }],
  ["a developer's message", [developer, hello], null, { ...late, at: "messages[0]" }],
];
for (const [what, messages, chat, compatible] of chats)
  test(`chat, and a plain compatible server: ${what}`, () => {
    expect(against(checkChat({ model: "gpt", messages }))).toEqual(chat);
    expect(against(checkCompatible({ model: "qwen", messages }))).toEqual(compatible);
  });

test("a compatible server refuses in the words of its template", () => {
  expect(checkCompatible({ model: "qwen", messages: [hello, system] })).toEqual({
    ...{ ...late, at: "messages[1]", status: 400 },
    body: { error: { message: late.message, type: "BadRequestError", param: null, code: 400 } },
  });
});

test("the texts of systems and developers are listed, and those that open with a session's mark", () => {
  const messages = [
    system,
    hello,
    { role: "user", content: [{ type: "text", text: "[system 0123abcd] Noon." }] },
    developer,
  ];
  expect(systemTextsOfChat({ model: "gpt", messages })).toEqual([
    { at: "messages[0]", text: "Be kind." },
    { at: "messages[2]", text: "[system 0123abcd] Noon." },
    { at: "messages[3]", text: "Be kind." },
  ]);
  expect(systemTextsOfResponses({ model: "gpt", instructions: "Be brief.", input: [developer, hello] })).toEqual([
    { at: "instructions", text: "Be brief." },
    { at: "input[0]", text: "Be kind." },
  ]);
});
