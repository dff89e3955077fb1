import { expect, test } from "vitest";
import type { Problem } from "../../prompt/problem.ts";
import type { StepResult } from "../../prompt/step-result.ts";
import { checkStepResult } from "./step-result.ts";

const call = { id: "c1", name: "look", input: "{}" };
const looked = { call: "c1", name: "look", output: "Seen." };
const usage = { input: 10, read: null, written: 0, output: 3 };

test("what an agent records fits", () => {
  const whole: StepResult = {
    input: "Look.",
    acted: true,
    answer: { text: "", calls: [call], native: { model: "test/one", content: [{ type: "reasoning" }] } },
    results: [{ ...looked, failed: true, shortened: true, whole: { text: "Seen all.", foreign: true } }],
    finish: "tool-calls",
    usage,
    because: { code: "turn-time", message: "It took too long." },
    faults: [{ code: "model-busy", message: "Busy.", retry: true }],
    ownTools: [],
    notices: [{ code: "cut", message: "It was cut." }],
    sent: { digest: "ab" },
    opinions: [{ model: "m", usage, cost: null }],
  };
  for (const sound of [{}, whole, { partial: "I" }, { summary: "", correction: "No." }, { input: undefined }])
    expect(() => checkStepResult(sound as StepResult)).not.toThrow();
});

const rows: [mistake: string, result: unknown, message: string][] = [
  ["nothing", undefined, "A step's result is missing."],
  ["a text", "Hello!", "A step's result is a text."],
  ["the model's words as answer", { answer: "Hello!" }, "The `answer` of a step's result is a text."],
  ["an answer without calls", { answer: { text: "Hi" } }, "The `answer.calls` of a step's result is missing."],
  ["calls beside the answer", { calls: [call] }, "A step's result has no `calls`."],
  [
    "a call's input as an object",
    { answer: { text: "", calls: [{ ...call, input: {} }] } },
    "The `answer.calls[0].input` of a step's result is an object that does not fit.",
  ],
  [
    "one result without a list",
    { results: looked },
    "The `results` of a step's result is an object that does not fit.",
  ],
  [
    "an output that is not text",
    { results: [{ ...looked, output: 7 }] },
    "The `results[0].output` of a step's result is 7.",
  ],
  [
    "results in another order",
    { answer: { text: "", calls: [call, { ...call, id: "c2" }] }, results: [{ ...looked, call: "c2" }, looked] },
    "The `results[1].call` of a step's result is no call that comes after the one before it.",
  ],
  ["half of the usage", { usage: { input: 3, output: 4 } }, "The `usage.read` of a step's result is missing."],
  [
    "failed by a word",
    { results: [{ ...looked, failed: "yes" }] },
    "The `results[0].failed` of a step's result is a text.",
  ],
];

const [lost, own] = ["it is in the form of the AI SDK, and its tool calls would be lost.", "of a step's result has"];
const fromAiSdk: [mistake: string, result: unknown, message: string][] = [
  ["its step", { text: "", toolCalls: [], finishReason: "stop" }, `A step's result has \`toolCalls\`: ${lost}`],
  ["its text and calls", { answer: { text: "", toolCalls: [] } }, `The \`answer\` ${own} \`toolCalls\`: ${lost}`],
  ["its message", { answer: { role: "assistant", content: [] } }, `The \`answer\` ${own} \`content\`: ${lost}`],
  [
    "its calls",
    { answer: { text: "", calls: [{ type: "tool-call", toolCallId: "c1", toolName: "look", input: {} }] } },
    `The \`answer.calls[0]\` ${own} \`toolCallId\`: ${lost}`,
  ],
  ["its usage", { usage: { inputTokens: 3, outputTokens: 4 } }, `The \`usage\` ${own} \`inputTokens\`: ${lost}`],
];

function problemOf(result: unknown): Problem {
  try {
    checkStepResult(result as StepResult);
  } catch (problem) {
    return problem as Problem;
  }
  throw new Error("It was taken.");
}

for (const [mistake, result, message] of rows)
  test(`${mistake} is refused, and the field is named`, () => {
    expect(problemOf(result)).toMatchObject({ code: "bad-argument", message });
  });

for (const [mistake, result, message] of fromAiSdk)
  test(`the AI SDK's form (${mistake}) is refused, with what to use`, () => {
    const hint = "Make an answer of it with `fromAiSdk` of charter/delivery, and record that.";
    expect(problemOf(result)).toMatchObject({ code: "bad-argument", message, hint });
  });
