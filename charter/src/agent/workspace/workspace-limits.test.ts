import { expect, test } from "vitest";
import { usualWorkspaceLimits, workspaceLimitsOf } from "./limits.ts";

test("limits are the usual ones, but for those that are given", () => {
  expect(workspaceLimitsOf()).toEqual(usualWorkspaceLimits);
  expect(workspaceLimitsOf({ commandSeconds: 600 })).toEqual({ ...usualWorkspaceLimits, commandSeconds: 600 });
});

const rows: [what: string, given: object, expected: string][] = [
  ["one that is none", { minutes: 1 }, "There is no limit “minutes”."],
  ["nothing at all", { lines: 0 }, "The limit “lines” is 0."],
  ["no number", { bytes: "many" }, "The limit “bytes” is many."],
  ["longer than timers count", { commandSeconds: 3_000_000 }, "The limit “commandSeconds” is 3000000."],
  ["no end", { searchSeconds: Number.POSITIVE_INFINITY }, "The limit “searchSeconds” is Infinity."],
];
for (const [what, given, expected] of rows)
  test(`${what} is told`, () => expect(() => workspaceLimitsOf(given)).toThrow(expected));
