import { expect, test } from "vitest";
import { runFaults } from "./kill-check.ts";

test("what would be lost or doubled is noticed", () => {
  const one = { id: "a-run-1", state: "answered" } as const;
  const two = { id: "a-run-2", state: "answered" } as const;
  const answered = { state: "answered", turn: one.id } as const;
  const failed = { state: "failed", turn: one.id } as const;
  const fine = { pieces: 1, reports: 0 };
  expect(runFaults(answered, [one], fine)).toEqual([]);
  expect(runFaults(answered, [one, { ...two, state: "interrupted" }], fine)).toEqual([]);
  expect(runFaults(failed, [{ ...one, state: "interrupted" }], { pieces: 0, reports: 1 })).toEqual([]);
  expect(runFaults(answered, [one, two], fine)).toEqual(['is answered with {"answers":2,"pieces":1,"reports":0}']);
  expect(runFaults(answered, [one], { ...fine, pieces: 2 })).toEqual([
    'is answered with {"answers":1,"pieces":2,"reports":0}',
  ]);
  expect(runFaults(failed, [one], { pieces: 0, reports: 1 })).toEqual([
    'is failed with {"answers":1,"pieces":0,"reports":1}',
  ]);
  expect(runFaults(failed, [], { pieces: 0, reports: 0 })).toEqual([
    'is failed with {"answers":0,"pieces":0,"reports":0}',
  ]);
  expect(runFaults(answered, [two], fine)).toEqual(["names the turn a-run-1, not its answer's"]);
  expect(runFaults({ state: "running", turn: one.id }, [{ ...one, state: "running" }], fine)).toEqual([
    "is running for ever",
    "left a-run-1 running",
  ]);
});
