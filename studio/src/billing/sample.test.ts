import { expect, test } from "vitest";
import { sentOf } from "../../test/stage/sample-of.ts";
import { changesBetween, strataOf, tokensIn } from "./sample.ts";

test("sections become bands in the order they were sent; the state is the tail", () => {
  const sections = [
    sentOf("rules", 60, { cut: true }),
    sentOf("notes", 9, { slot: "update", mutability: "amendable" }),
    sentOf("clock", 5, { slot: "state", mutability: "live" }),
  ];
  expect(strataOf(sections)).toEqual([
    { name: "rules", layer: "layer", mutability: "fixed", tokens: 60, cut: true },
    { name: "notes", layer: "layer", mutability: "amendable", tokens: 9 },
    { name: "clock", layer: "layer", mutability: "live", tokens: 5, tail: true },
  ]);
  expect(tokensIn(sections)).toBe(74);
  expect(tokensIn([sentOf("unknown", 0, { tokens: null })])).toBe(0);
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
