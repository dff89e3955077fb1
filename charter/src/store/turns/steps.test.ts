import { expect, test } from "vitest";
import { stepDigest, stepResultDigest } from "./steps.ts";

const link = {
  agent: "ada",
  number: 7,
  user_id: "bo",
  turn: "t1",
  step: 2,
  at: "2026-02-18T15:04:00.000Z",
  receipt: "r",
  previous: "p",
};

const others: readonly Partial<typeof link>[] = [
  { agent: "eve" },
  { number: 8 },
  { user_id: "" },
  { turn: "t2" },
  { step: 3 },
  { at: "2026-02-18T15:04:00.001Z" },
  { receipt: "r2" },
  { previous: "p2" },
];
for (const other of others)
  test(`a step with another ${Object.keys(other)} has another digest`, () => {
    expect(stepDigest({ ...link })).toBe(stepDigest(link));
    expect(stepDigest({ ...link, ...other })).not.toBe(stepDigest(link));
  });

test("what came of a step is bound to that step", () => {
  expect(stepResultDigest("a", "{}")).not.toBe(stepResultDigest("b", "{}"));
  expect(stepResultDigest("a", "{}")).not.toBe(stepResultDigest("a", "[]"));
});
