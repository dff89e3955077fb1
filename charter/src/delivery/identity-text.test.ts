import { expect, test } from "vitest";
import { identityText, slotText } from "./model.ts";

test.for([
  ["system-prompt", true, "in the agent's system prompt field, with this request"],
  ["meta-append", false, "through the agent's _meta extension systemPrompt.append, with an earlier request"],
  ["meta-buzz", true, "through the agent's _meta extension buzz.systemPrompt, with this request"],
  ["first-message", false, "at the start of the first message, with an earlier request"],
  ["constructor", true, "in the slot “constructor”, with this request"],
] as const)("where the system prompt went: %s", ([slot, sent, words]) =>
  expect(identityText({ slot, sent })).toBe(words),
);

test("of the slots of a request only the system prompt may have gone elsewhere", () => {
  const identity = { slot: "first-message", sent: true };
  expect([slotText("system", { identity }), slotText("state", { identity }), slotText("system", {})]).toEqual([
    "system, at the start of the first message, with this request",
    "state",
    "system",
  ]);
});
