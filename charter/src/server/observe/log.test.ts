import { expect, test } from "vitest";
import { createLog, failureOf } from "./log.ts";

const clock = () => new Date("2026-02-18T12:00:00Z");

test("an entry is one line of JSON, whatever is in it", () => {
  const lines: string[] = [];
  const log = createLog((line) => lines.push(line), "all", clock);
  const hostile = 'x\n{"forged":true}\r\u0000\u001b[31m\u009b31m\u2028\u2029\u202eé🙂\ud800"\\';
  log({ method: "GET", hostile });
  expect(lines).toHaveLength(1);
  const [line = ""] = lines;
  expect(line.endsWith("\n")).toBe(true);
  expect(line.slice(0, -1)).toMatch(/^[\x20-\x7e]+$/);
  expect(JSON.parse(line)).toEqual({ time: "2026-02-18T12:00:00.000Z", method: "GET", hostile });
});

test("a quiet log says only what is wrong", () => {
  const lines: string[] = [];
  const log = createLog((line) => lines.push(line), "problems", clock);
  for (const status of [200, 401, 429, 500, 503]) log({ status });
  log({ event: "telegram-unreachable" });
  for (const state of ["answered", "quiet", "failed"]) log({ kind: "turn", state });
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { time: "2026-02-18T12:00:00.000Z", status: 500 },
    { time: "2026-02-18T12:00:00.000Z", status: 503 },
    { time: "2026-02-18T12:00:00.000Z", event: "telegram-unreachable" },
    { time: "2026-02-18T12:00:00.000Z", kind: "turn", state: "failed" },
  ]);
});

test("an error nobody foresaw is told by its kind and place, never by its words", () => {
  const error = new RangeError("Ada said: my password is\n    at hunter2");
  const told = failureOf(error);
  expect(told.name).toBe("RangeError");
  expect(told.at[0]).toMatch(/^at .*log\.test\.ts:\d+:\d+\)?$/);
  expect(JSON.stringify(told)).not.toContain("hunter2");
});

test("an error whose stack was rewritten, or that is none, has no place", () => {
  const error = new Error("Ada's words");
  error.stack = "Ada's words\n    at hunter2";
  expect(failureOf(error)).toEqual({ name: "Error", at: [] });
  expect(failureOf("Ada's words")).toEqual({ name: "string", at: [] });
});

test("the code of a system error is kept, anything else that stands there is not", () => {
  expect(failureOf(Object.assign(new Error("x"), { code: "ECONNRESET" })).code).toBe("ECONNRESET");
  expect(failureOf(Object.assign(new Error("x"), { code: "Ada said so" })).code).toBeUndefined();
});
