import { expect, test } from "vitest";
import { costText, tokensSentence, tokensText } from "./listed-turn.ts";

const none = { input: null, read: null, written: null, output: null };

test("what a turn cost: a sum, or that nobody knows it, or that there was nothing to pay for", () => {
  expect(costText({ cost: 0.0123, state: "answered" })).toBe("$0.0123");
  expect(costText({ cost: 0, state: "answered" })).toBe("$0");
  expect(costText({ cost: null, state: "answered" })).toBe("unknown");
  expect(costText({ cost: null, state: "failed" })).toBe("–");
});

test("tokens in and out, as they were counted", () => {
  expect(tokensText({ input: 12345, read: 12000, written: 0, output: 67 })).toEqual({ input: "12,345", output: "67" });
  expect(tokensText({ ...none, output: 67 })).toEqual({ input: "unknown", output: "67" });
  expect(tokensText(none)).toBeUndefined();
  expect(tokensSentence({ input: 12345, read: 12000, written: 0, output: 67 })).toBe(
    "12,345 tokens in, 12,000 of them read from the cache; 67 out.",
  );
  expect(tokensSentence({ input: 1, read: 0, written: 0, output: null })).toBe("1 token in; output not counted.");
  expect(tokensSentence(none)).toBe("The provider counted no tokens.");
});
