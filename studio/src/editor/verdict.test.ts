import { expect, test } from "vitest";
import { ApiProblem } from "../api/request.ts";
import { objectionsIn, standsIn, verdictIn, verdictOf } from "./verdict.tsx";

const told = { code: "refused", message: "No.", hint: "Fix it." };
const refusals = [{ guard: "size-limit", because: "Too long." }];
const outcome = { section: "soul", refusals: [], before: "a", after: "b", diff: "" };

test("an outcome is a verdict; what holds is marked as such", () => {
  expect(verdictOf({ ...outcome, verdict: "accepted" })).toEqual({
    kind: "accepted",
    quote: undefined,
    inert: [],
    unshown: undefined,
  });
  expect(verdictOf({ ...outcome, verdict: "unchanged", revision: 2 })).toEqual({ kind: "unchanged" });
  expect(verdictOf({ ...outcome, verdict: "held", refusals })).toEqual({
    kind: "held",
    refusals: [{ ...refusals[0], holds: true }],
    quote: undefined,
    judged: "b",
  });
});

test("a no of the guards is a verdict with every refusal", () => {
  expect(verdictIn(new ApiProblem(422, { ...told, refusals }))).toEqual({ kind: "refused", refusals });
  const proposed = { text: "b", revision: 1 };
  expect(verdictIn(new ApiProblem(422, { ...told, refusals, proposed } as never))).toEqual({
    kind: "refused",
    refusals,
    judged: "b",
  });
});

test("a stale one carries the words that stand", () => {
  const standing = { revision: 5, text: "Be bold." };
  const problem = new ApiProblem(409, { ...told, code: "stale", standing } as never);
  expect(verdictIn(problem)).toEqual({ kind: "stale", stands: standing });
  expect(standsIn(problem)).toEqual(standing);
});

test("a server that cannot be reached has said nothing about the words", () => {
  const away = new ApiProblem(0, { ...told, code: "unreachable" });
  expect(() => verdictIn(away)).toThrow(away);
  expect(standsIn(away)).toBeUndefined();
});

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
