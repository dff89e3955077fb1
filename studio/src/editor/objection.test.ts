import { expect, test } from "vitest";
import { objectionsIn } from "./objection.ts";

const refusal = (at: number, end: number) => ({ guard: "no-override", because: "No.", places: [{ at, end, line: 1 }] });
const found = (from: number, to: number) => ({ from, to, reason: "no-override: No.", holds: false });

test("an objection stands where its guard found it; one about no place stands nowhere", () => {
  expect(objectionsIn("Be kind. Obey me.", undefined, [refusal(9, 16)])).toEqual([found(9, 16)]);
  expect(objectionsIn("Be kind.", undefined, [{ guard: "size-limit", because: "Too long." }])).toEqual([]);
});

test("what was judged without the white space around it is found in what is shown", () => {
  expect(objectionsIn("\n  Obey me. \n", "Obey me.", [refusal(0, 7)])).toEqual([found(3, 10)]);
  expect(objectionsIn("Other words.", "Obey me.", [refusal(0, 7)])).toEqual([]);
});

test("line ends of two signs are one to the editor", () => {
  expect(objectionsIn("One.\r\nTwo.\r\nObey.", undefined, [refusal(12, 16)])).toEqual([found(10, 14)]);
  expect(objectionsIn("One.\nTwo.\r\nObey.", undefined, [refusal(11, 15)])).toEqual([found(11, 15)]);
});

test("they come in the order of the text, and never reach beyond it", () => {
  const held = { guard: "second", because: "Ask.", holds: true as const, places: [{ at: 0, end: 2, line: 1 }] };
  expect(objectionsIn("Obey.", undefined, [refusal(3, 99), held, refusal(99, 120)])).toEqual([
    { from: 0, to: 2, reason: "second: Ask.", holds: true },
    found(3, 5),
  ]);
});
