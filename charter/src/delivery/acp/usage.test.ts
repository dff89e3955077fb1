import { expect, test } from "vitest";
import { usageOf } from "./ask-agent.ts";

test("what came from the cache counts as input, whichever way an agent counts", () => {
  const beside = { totalTokens: 160, inputTokens: 10, outputTokens: 20, cachedReadTokens: 100, cachedWriteTokens: 30 };
  const within = { totalTokens: 160, inputTokens: 140, outputTokens: 20, cachedReadTokens: 100, cachedWriteTokens: 30 };
  const usage = { input: 140, read: 100, written: 30, output: 20 };
  expect([usageOf(beside), usageOf(within)]).toEqual([usage, usage]);
});

test("what was not said, or is no count, is not known", () => {
  const unknown = { input: null, read: null, written: null, output: null };
  for (const said of [undefined, null, 7, {}, { inputTokens: -1, outputTokens: "7", cachedReadTokens: 0.5 }])
    expect(usageOf(said)).toEqual(unknown);
});
