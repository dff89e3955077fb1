import { expect, test } from "vitest";
import type { SampleStep } from "../../../billing/sample.ts";
import { callsOf, readable, type TurnEvent, toldSteps } from "./record.ts";

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

test("what happened is told after the step it happened in; what came before the first, before it", () => {
  const step = (number: number, at: string) => ({ step: number, at }) as SampleStep;
  const event = (id: number, at: string) => ({ id, at }) as TurnEvent;
  const steps = [step(1, "2026-02-18T12:00:01Z"), step(2, "2026-02-18T12:00:03Z")];
  const early = event(1, "2026-02-18T12:00:00Z");
  const between = event(2, "2026-02-18T12:00:02Z");
  const late = event(3, "2026-02-18T12:00:04Z");
  const last = step(7, "2026-02-18T11:00:00Z");
  expect(toldSteps({ steps, events: [early, between, late] }, [], last)).toEqual({
    first: [early],
    steps: [
      { sent: steps[0], record: undefined, before: last, events: [between] },
      { sent: steps[1], record: undefined, before: steps[0], events: [late] },
    ],
  });
});
