import { expect, test } from "vitest";
import { standingUnder } from "./under.ts";

test("what stands under a part, at any depth and wherever it stands; nothing, where it has no id", () => {
  const parts = [
    { text: "leaf", under: "b" },
    { text: "a", id: "a" },
    { text: "b", id: "b", under: "a" },
    { text: "other", under: "c" },
    { text: "free" },
  ];
  expect(standingUnder(parts, { text: "a", id: "a" })).toEqual([2, 0]);
  expect(standingUnder(parts, { text: "free" })).toEqual([]);
});
