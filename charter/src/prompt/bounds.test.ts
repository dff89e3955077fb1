import { expect, test } from "vitest";
import { createBoundedMap } from "./bounds.ts";

test("the oldest entries go until the others weigh no more than they may", () => {
  const map = createBoundedMap<string, number>(10, (weight) => weight);
  const kept = () => ["a", "b", "c", "d"].filter(map.has);
  for (const [key, weight] of [
    ["a", 4],
    ["b", 4],
    ["a", 2],
    ["c", 4],
  ] as const)
    map.set(key, weight);
  expect(kept()).toEqual(["a", "b", "c"]);
  map.set("d", 5);
  expect(kept()).toEqual(["c", "d"]);
  map.set("b", 11);
  expect(kept()).toEqual([]);
});
