import { expect, test } from "vitest";
import { type FinishPart, finishOf, usageOf } from "./answer.ts";

const unknown = { input: null, read: null, written: null, output: null };

test("what a provider leaves out of its last word is not known, and breaks nothing", () => {
  const parts = [
    {},
    { finishReason: "stop", usage: null },
    { finishReason: "odd", usage: { inputTokens: null, outputTokens: null } },
    { finishReason: {}, usage: { inputTokens: {} } },
    { finishReason: { unified: "length" }, usage: { outputTokens: { total: 3 } } },
    { finishReason: "error", usage: { inputTokens: 5, outputTokens: 1, cachedInputTokens: 2 } },
  ] as readonly Partial<FinishPart>[];
  expect(parts.map((part) => [finishOf(part), usageOf(part)])).toEqual([
    ["other", unknown],
    ["stop", unknown],
    ["other", unknown],
    ["other", unknown],
    ["length", { ...unknown, output: 3 }],
    [undefined, { input: 5, read: 2, written: null, output: 1 }],
  ]);
});
