import { expect, test } from "vitest";
import { descendantsOf } from "./reading.ts";

test("what stands under a part, at any depth and wherever it stands; nothing, where it has no id", () => {
  const parts = [
    { text: "leaf", parent: "b" },
    { text: "a", id: "a" },
    { text: "b", id: "b", parent: "a" },
    { text: "other", parent: "c" },
    { text: "free" },
  ];
  expect(descendantsOf(parts, { text: "a", id: "a" })).toEqual([2, 0]);
  expect(descendantsOf(parts, { text: "free" })).toEqual([]);
});
