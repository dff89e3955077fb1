import { expect, test } from "vitest";
import { sentOf } from "../../test/stage/sample-of.ts";
import { changesBetween, tokensIn } from "./sample.ts";

test("tokens that are not known count as none", () => {
  expect(tokensIn([sentOf("rules", 60), sentOf("clock", 5), sentOf("unknown", 0, { tokens: null })])).toBe(65);
});

test("what came, went or changed its size between two samples is told, each place of a section for itself", () => {
  const before = [sentOf("rules", 60), sentOf("notes", 9), sentOf("old", 3)];
  const after = [sentOf("rules", 60), sentOf("notes", 12), sentOf("notes", 20, { slot: "update" })];
  expect(changesBetween(before, after)).toEqual([
    { name: "notes", slot: "system", before: 9, after: 12 },
    { name: "notes", slot: "update", before: undefined, after: 20 },
    { name: "old", slot: "system", before: 3, after: undefined },
  ]);
  expect(changesBetween(before, before)).toEqual([]);
});
