import { expect, test } from "vitest";
import { createBoundedMap } from "./bounds.ts";

test("what was set longest ago goes, and what is set again stays", () => {
  const recent = createBoundedMap<string, number>(2);
  recent.set("a", 1);
  recent.set("b", 2);
  recent.set("a", 3);
  recent.set("c", 4);
  expect(["a", "b", "c"].map(recent.get)).toEqual([3, undefined, 4]);
  expect(["a", "a"].map(recent.delete)).toEqual([true, false]);
  expect(["a", "c"].map(recent.has)).toEqual([false, true]);
});

test("what was only looked up is no younger for it", () => {
  const recent = createBoundedMap<string, number>(2);
  recent.set("a", 1);
  recent.set("b", 2);
  recent.get("a");
  recent.set("c", 3);
  expect(["a", "b", "c"].map(recent.get)).toEqual([undefined, 2, 3]);
});
