import { expect, test } from "vitest";
import type { Native } from "../model.ts";
import { receiverOf } from "../receiver.ts";
import { type AnswerPart, answerParts, nativeOf } from "./answer.ts";
import { callOptions, dialectOf } from "./wire.ts";

const thought: AnswerPart = {
  type: "reasoning",
  text: "Hm.",
  providerOptions: { anthropic: { signature: "signed" } },
};
const said: AnswerPart = { type: "text", text: "Yes." };
const called: AnswerPart = { type: "tool-call", toolCallId: "c1", toolName: "add", input: '{"a": 1}' };
const call = { id: "c1", name: "add", input: '{"a": 1}' };
const message = { role: "assistant", text: "Yes.", calls: [call] } as const;
const native = { model: "anthropic/one", content: [thought, said, called] };

test("text and calls that say it all need nothing native", () => {
  expect(nativeOf("anthropic/one", [said, called])).toBeUndefined();
  expect(nativeOf("anthropic/one", [])).toBeUndefined();
  expect(nativeOf("anthropic/one", [thought, said, called])).toEqual(native);
  expect(nativeOf("anthropic/one", [called, said])).toEqual({ model: "anthropic/one", content: [called, said] });
});

test("what is native is plain JSON from the start", () => {
  const odd = { type: "text", text: "Yes.", providerOptions: { openai: { itemId: undefined, phase: "x" } } };
  const made = nativeOf("openai/one", [odd as unknown as AnswerPart]);
  expect(made).toStrictEqual(JSON.parse(JSON.stringify(made)));
});

const rows: readonly [what: string, native: unknown, model: string, parts: readonly AnswerPart[]][] = [
  ["goes back to the model that made it", native, "anthropic/one", [thought, said, called]],
  ["is left out for another model", native, "anthropic/two", [said, called]],
  ["is left out where there is none", undefined, "anthropic/one", [said, called]],
  ["is left out when it is nonsense", { model: 1, content: "x" }, "anthropic/one", [said, called]],
  [
    "is left out when the message says something else by now",
    { ...native, content: [thought, { type: "text", text: "No." }, called] },
    "anthropic/one",
    [said, called],
  ],
  ["is left out when a call is gone", { ...native, content: [thought, said] }, "anthropic/one", [said, called]],
];
for (const [what, given, model, parts] of rows)
  test(`reasoning ${what}`, () => expect(answerParts({ ...message, native: given as Native }, model)).toEqual(parts));

test("a text of nothing but white space is not sent back, unless something is tied to it", () => {
  const blank: AnswerPart = { type: "text", text: "\n\n" };
  const signed: AnswerPart = { type: "text", text: "", providerOptions: { google: { thoughtSignature: "s" } } };
  expect(answerParts({ role: "assistant", text: "\n\n", calls: [] }, "any/one")).toEqual([]);
  const content = [blank, signed, called];
  expect(answerParts({ ...message, text: "\n\n", native: { model: "google/one", content } }, "google/one")).toEqual([
    signed,
    called,
  ]);
});

test("arguments that are no object go back as none", () => {
  for (const input of ["", '{"a"', "[1]", "null", '"a"'])
    expect(answerParts({ role: "assistant", text: "", calls: [{ ...call, input }] }, "any/one")).toEqual([
      { ...called, input: "{}" },
    ]);
});

test("a call goes back under a name, and with arguments, that every provider takes", () => {
  const sent = (name: string, input: string) => {
    const calls = [{ ...call, name, input }];
    const content = [thought, { ...called, toolName: name, input }];
    const [plain] = answerParts({ role: "assistant", text: "", calls }, "any/one");
    const [, kept] = answerParts(
      { role: "assistant", text: "", calls, native: { model: "any/one", content } },
      "any/one",
    );
    expect(kept).toEqual(plain);
    return plain;
  };
  const long = "x".repeat(65);
  const names: [given: string, name: string][] = [
    ["multi_tool_use.parallel", "multi_tool_use_parallel"],
    ["look up", "look_up"],
    ["1st", "_1st"],
    ["-v", "_-v"],
    ["", "unknown"],
    ["búsqueda", "b_squeda"],
    [long, long.slice(1)],
  ];
  for (const [given, name] of names) expect(sent(given, "{}")).toEqual({ ...called, toolName: name, input: "{}" });
  const inputs: [given: string, input: string][] = [
    ['{"a":"\\ud83d"}', '{"a":"\ufffd"}'],
    ['{"a": "\\ud83d\\ude00"}', '{"a": "\\ud83d\\ude00"}'],
    ['{"a": "\\\\ud83d"}', '{"a": "\\\\ud83d"}'],
    ['{"\\udc00":1}', "{}"],
  ];
  for (const [given, input] of inputs) expect(sent("add", given)).toEqual({ ...called, input });
});

test("a result goes back under the name its call has", () => {
  const results = [{ call: "c1", name: "look up", output: "There is no tool “look up”." }];
  const messages = [
    { role: "assistant", text: "", calls: [{ ...call, name: "look up" }] },
    { role: "tool", results },
  ] as const;
  const request = { tools: [], system: [], messages };
  const { prompt } = callOptions(
    request,
    receiverOf("google/one"),
    dialectOf(
      { provider: "google.generative-ai", modelId: "one", specificationVersion: "v4" },
      receiverOf("google/one"),
    ),
  );
  const parts = prompt.flatMap(({ content }) => content as unknown as { toolName: string }[]);
  expect(parts.map(({ toolName }) => toolName)).toEqual(["look_up", "look_up"]);
});
