import { expect, test } from "vitest";
import { Problem } from "../../prompt/problem.ts";
import { badMessage, errorFacts } from "./client-message.ts";

test("a Problem is told in a sentence that says what to do", () => {
  expect(errorFacts(badMessage("The cwd is “a”.", "Send the whole path."))).toEqual({
    code: -32602,
    message: "The cwd is “a”. Send the whole path.",
    data: { code: "bad-client-message", message: "The cwd is “a”.", hint: "Send the whole path." },
  });
});

test.each([
  ["unknown-session", -32002],
  ["session-busy", -32600],
  ["client-prompt-refused", -32602],
  ["model-unreachable", -32603],
  ["constructor", -32603],
])("%s has the code %i", (code, number) => {
  expect(errorFacts(new Problem(code, "It failed.", "")).code).toBe(number);
});

test("what nobody expected is a fault of ours", () => {
  expect(errorFacts(new Error("boom"))).toMatchObject({ code: -32603, data: { code: "internal", message: "boom" } });
});
