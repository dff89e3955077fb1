import { expect, test } from "vitest";
import { layout } from "../../../strata/layout.ts";
import { crackAt, crackPath } from "./crack.ts";

const drawn = layout(
  [
    { name: "rules", layer: "l", mutability: "fixed", tokens: 50 },
    { name: "notes", layer: "l", mutability: "amendable", tokens: 30 },
    { name: "clock", layer: "l", mutability: "live", tokens: 20, tail: true },
  ],
  100,
);

test("the cache broke where a section changed, at the top of everything, or after the prefix", () => {
  expect(crackAt({ what: "section", section: "notes" }, drawn)).toBe(50);
  expect(crackAt({ what: "cold", section: null }, drawn)).toBe(0);
  expect(crackAt({ what: "section", section: "gone" }, drawn)).toBe(0);
  expect(crackAt({ what: "compacted", section: null }, drawn)).toBe(80);
});

test("a crack is jagged from edge to edge", () => {
  expect(crackPath(18, 6)).toBe("M0.0 3L6.0 0L12.0 6L18.0 3");
});
