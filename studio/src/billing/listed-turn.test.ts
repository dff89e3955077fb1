import { expect, test } from "vitest";
import { costText, failedText, opening, tokensSentence, tokensText, tookText } from "./listed-turn.tsx";

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

const because = { code: "model-rejected", message: "The model's provider refused the key." };

test("a failed turn says why, and one that went well says nothing", () => {
  expect([
    failedText({ state: "failed", because }),
    failedText({ state: "failed", because: null }),
    failedText({ state: "failed" }),
    failedText({ state: "interrupted", because: null }),
    failedText({ state: "answered", because: null }),
    failedText({ state: "running", because: null }),
    failedText({ state: "erased", because: null }),
  ]).toEqual([
    "The model's provider refused the key.",
    "It failed, and nobody said why.",
    "It failed, and nobody said why.",
    "The process that ran it stopped.",
    undefined,
    undefined,
    undefined,
  ]);
});

const rows: [to: string, text: string][] = [
  ["2026-02-18T12:00:00.060Z", "60 ms"],
  ["2026-02-18T12:00:02.400Z", "2.4 s"],
  ["2026-02-18T12:00:59.949Z", "59.9 s"],
  ["2026-02-18T12:00:59.970Z", "1 min 0 s"],
  ["2026-02-18T12:01:59.700Z", "2 min 0 s"],
  ["2026-02-18T12:59:59.900Z", "1 h 0 min"],
  ["2026-02-18T12:03:20.000Z", "3 min 20 s"],
  ["2026-02-18T14:05:00.000Z", "2 h 5 min"],
  ["2026-02-18T11:00:00.000Z", "0 ms"],
];
for (const [to, text] of rows)
  test(`how long something took: ${text}`, () => expect(tookText("2026-02-18T12:00:00.000Z", to)).toBe(text));

test("the first words of a text are one line of it", () => {
  expect(opening("  Dear\n\n  Ida,\tcome.  ")).toBe("Dear Ida, come.");
  expect(opening("")).toBe("");
});

test("what is long is cut where a character ends, and says so", () => {
  expect(opening("x".repeat(300))).toBe("x".repeat(300));
  expect(opening("🌱".repeat(400))).toBe(`${"🌱".repeat(300)}…`);
});
