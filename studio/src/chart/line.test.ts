import { expect, test } from "vitest";
import { linePath } from "./scale.ts";

test("a line goes through its points", () => {
  expect(
    linePath([
      { x: 0, y: 1 },
      { x: 2, y: 3.456 },
    ]),
  ).toBe("M0 1L2 3.46");
});

test("a line is parted where a point is missing, and a point that stands alone is a dot", () => {
  expect(linePath([undefined, { x: 1, y: 1 }, undefined, { x: 3, y: 1 }, { x: 4, y: 2 }])).toBe("M1 1h.01M3 1L4 2");
  expect(linePath([])).toBe("");
});
