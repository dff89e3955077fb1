import { expect, test } from "vitest";
import { checkGemini, systemTextsOfGemini } from "./gemini.ts";
import type { Json } from "./request.ts";

const user = (...parts: readonly Json[]) => ({ role: "user", parts });
const model = (...parts: readonly Json[]) => ({ role: "model", parts });
const hello = user({ text: "Hello" });
const call = (thoughtSignature?: string) => ({
  functionCall: { name: "add", args: {} },
  ...(thoughtSignature ? { thoughtSignature } : {}),
});
const response = { functionResponse: { name: "add", response: { content: "3" } } };
const unequal =
  "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
const unsigned =
  "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance.";

const rows: readonly [what: string, contents: readonly Json[], fault: readonly [string, string, string] | null][] = [
  ["a step of two calls", [hello, model(call("s1"), call()), user(response, response)], null],
  ["two of the user's in a row, which are taken", [hello, hello], null],
  ["an older turn without signatures", [hello, model(call()), user(response), model({ text: "Three." }), hello], null],
  [
    "the signature that stands for none",
    [hello, model(call("skip_thought_signature_validator")), user(response)],
    null,
  ],
  [
    "two of the model's in a row",
    [hello, model({ text: "Hi." }), model({ text: "Well?" }), hello],
    ["order", "contents[2]", "Please ensure that multiturn requests alternate between user and model."],
  ],
  [
    "the model's first",
    [model({ text: "Hi." }), hello],
    ["order", "contents[0]", "Please ensure that multiturn requests alternate between user and model."],
  ],
  [
    "the model's last",
    [hello, model({ text: "Hi." })],
    ["order", "contents[1]", "Please ensure that single turn requests end with a user role."],
  ],
  [
    "a message of nothing",
    [user()],
    ["empty-text", "contents[0]", "* GenerateContentRequest.contents[0].parts: contents.parts must not be empty."],
  ],
  [
    "one response to two calls",
    [hello, model(call("s1"), call()), user(response)],
    ["results", "contents[1]", unequal],
  ],
  ["a call that words follow", [hello, model(call("s1")), hello], ["results", "contents[1]", unequal]],
  [
    "a response to no call",
    [hello, model({ text: "Hi." }), user(response)],
    [
      "results",
      "contents[2]",
      "Please ensure that function response turn comes immediately after a function call turn.",
    ],
  ],
  [
    "a call without its signature",
    [hello, model(call()), user(response)],
    ["reasoning", "contents[1].parts[0]", unsigned],
  ],
  [
    "a signature that was made up",
    [hello, model(call("s9")), user(response)],
    ["reasoning", "contents[1].parts[0]", "Corrupted thought signature."],
  ],
];
for (const [what, contents, expected] of rows)
  test(`Gemini: ${what}`, () => {
    const [check, at, message] = expected ?? [];
    const body = { error: { code: 400, message, status: "INVALID_ARGUMENT" } };
    const fault = expected ? { check, at, message, status: 400, body } : undefined;
    expect(checkGemini({ contents }, { signatures: new Set(["s1"]) })).toEqual(fault);
  });

test("the system's texts are listed, and those that open with a session's mark", () => {
  const contents = [hello, model({ text: "Hi." }), user({ text: "[system 0123abcd] Noon." })];
  expect(systemTextsOfGemini({ systemInstruction: { parts: [{ text: "Be kind." }] }, contents })).toEqual([
    { at: "systemInstruction", text: "Be kind." },
    { at: "contents[2]", text: "[system 0123abcd] Noon." },
  ]);
});
