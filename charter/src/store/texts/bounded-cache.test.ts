import { expect, test } from "vitest";
import { createBoundedCache } from "./bounded-cache.ts";

test("what was set longest ago goes, and what is set again stays", () => {
  const recent = createBoundedCache<number>(2);
  recent.set("a", 1);
  recent.set("b", 2);
  recent.set("a", 3);
  recent.set("c", 4);
  expect(["a", "b", "c"].map(recent.get)).toEqual([3, undefined, 4]);
  recent.delete("a");
  expect(recent.get("a")).toBeUndefined();
});
