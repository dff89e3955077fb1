import { expect, test } from "vitest";
import { callsOf, readable } from "./record.ts";

test("each call stands beside its result; one that has none yet stands alone", () => {
  const first = { id: "1", name: "look", input: "{}" };
  const second = { id: "2", name: "write", input: "{}" };
  const result = { call: "1", name: "look", output: "seen" };
  expect(callsOf({ answer: { text: "", calls: [first, second] }, results: [result] })).toEqual([
    { call: first, result },
    { call: second, result: undefined },
  ]);
  expect(callsOf({})).toEqual([]);
});

test("JSON is put on lines, and nothing else is touched", () => {
  expect(readable('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
  expect(readable('{"a":')).toBe('{"a":');
  expect(readable("plain words")).toBe("plain words");
});
