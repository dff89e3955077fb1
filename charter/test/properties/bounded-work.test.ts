import { expect, test } from "vitest";
import { hostileUnits, textCalls, textFunctions } from "./bounded-work.ts";

test("each exported function that takes a text is one whose time is measured", () => {
  expect(textFunctions().filter((key) => textCalls[key] === undefined)).toEqual([]);
});

test("and each gets as many hostile texts", () => {
  expect(new Set(hostileUnits).size).toBe(66);
});
