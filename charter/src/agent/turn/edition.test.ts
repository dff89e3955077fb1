import { expect, test } from "vitest";
import type { Charter } from "../../prompt/charter.ts";
import { present } from "../../prompt/reading.ts";
import { assembleWithin } from "./turn-prompt.ts";

const charter: Charter = {
  name: "test",
  layers: [{ name: "live", mutability: "live", sections: [{ name: "list", trust: "own", sources: [] }] }],
  givesWay: [{ section: "list", parts: "note", from: "end", told: "({missing} cut)" }],
};
const notes = (count: number, letter: string) =>
  present(Array.from({ length: count }, () => ({ text: letter.repeat(200), kind: "note" })));

test.for([
  ["one byte a letter", "a", 10],
  ["two", "é", 5],
  ["three", "語", 3],
  ["four", "😀", 2],
] as const)("a prompt gives way by its bytes, as its charter says: %s", ([, letter, kept]) => {
  const { text, cuts } = assembleWithin(charter, { list: notes(40, letter) }, {}, 1024 + 2048);
  expect(text).toBe(`${`${letter.repeat(200)}\n`.repeat(kept)}(${40 - kept} cut)`);
  expect(cuts.length).toBe(1);
});

test("what fits, or has no limit in bytes, stays whole", () => {
  const readings = { list: notes(2, "語") };
  const whole = assembleWithin(charter, readings, {}, undefined).text;
  expect(assembleWithin(charter, readings, {}, 1024 + 1201).text).toBe(whole);
  expect(assembleWithin(charter, readings, { chars: 500 }, 1_000_000).text).toBe(whole);
});
