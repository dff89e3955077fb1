import { expect, test } from "vitest";
import { stopReason, tokenUsage } from "./editor-session.ts";

const answered = { state: "answered" } as const;
const failed = (code: string) => ({ state: "failed", problem: { code, message: "", hint: "" } }) as const;

test.each([
  ["an answer", answered, {}, "end_turn"],
  ["an answer that was cut", answered, { finish: "length" }, "max_tokens"],
  ["an answer that was filtered", answered, { finish: "content-filter" }, "refusal"],
  ["too many steps", failed("turn-steps"), {}, "max_turn_requests"],
  ["an input that an extension took", failed("input-handled"), {}, "end_turn"],
  ["a turn that was stopped", failed("model-aborted"), { stopped: true }, "cancelled"],
  ["an answer that came when it was stopped", answered, { stopped: true }, "cancelled"],
  ["a provider that is away", failed("model-unreachable"), {}, undefined],
] as const)("%s ends a prompt", (_what, outcome, how, reason) => {
  expect(stopReason(outcome, { stopped: false, ...how })).toBe(reason);
});

test.each([
  [
    { input: 100, read: 60, written: 10, output: 5 },
    { totalTokens: 105, inputTokens: 30, outputTokens: 5, cachedReadTokens: 60, cachedWriteTokens: 10 },
  ],
  [
    { input: 100, read: null, written: null, output: null },
    { totalTokens: 100, inputTokens: 100, outputTokens: 0 },
  ],
  [{ input: null, read: null, written: null, output: null }, undefined],
] as const)("what %j comes to in the protocol's words", (usage, told) => {
  expect(tokenUsage(usage)).toEqual(told);
});
