import { expect, test } from "vitest";
import { nextRow } from "./table.tsx";

test("the keys go from row to row, and stop at both ends", () => {
  expect(["ArrowUp", "ArrowDown", "Home", "End", "Enter"].map((key) => nextRow(key, 0, 3))).toEqual([
    0,
    1,
    0,
    2,
    undefined,
  ]);
  expect(["ArrowUp", "ArrowDown"].map((key) => nextRow(key, 2, 3))).toEqual([1, 2]);
});
