import { expect, test } from "vitest";
import { ApiProblem } from "../api/request.ts";
import { movement, type Quote, standsIn, verdictIn, verdictOf } from "./verdict.ts";

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

test("tokens move up, down or not at all", () => {
  const quote = (before: number, after: number) => ({ tokens: { before, after } }) as Quote;
  expect([quote(3, 10), quote(10, 3), quote(3, 3)].map(movement)).toEqual(["+7", "−7", "±0"]);
});
