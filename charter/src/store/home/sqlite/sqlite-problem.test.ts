import { expect, test } from "vitest";
import { sqliteProblem } from "./sqlite-problem.ts";

/** SQLite's own numbers, some with a reason in their higher bits. */
const busy: readonly [what: string, errcode: number][] = [
  ["another writes", 5],
  ["another recovers what a third left behind", 261],
  ["others were faster each time it tried to begin", 15],
];
for (const [what, errcode] of busy)
  test(`${what}: the file is busy, and not broken`, () => {
    expect(sqliteProblem(Object.assign(new Error("as SQLite has it"), { errcode }), "charter.db")).toMatchObject({
      code: "store-busy",
      message: "charter.db was kept busy by another process.",
    });
  });

test("what SQLite says of a statement is no problem of the file's", () => {
  const error = Object.assign(new Error("no such table: nowhere"), { errcode: 1 });
  expect(sqliteProblem(error, "charter.db")).toBe(error);
});
