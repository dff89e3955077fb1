import { expect, test } from "vitest";
import { createAllowance } from "./receive.ts";

test("so many are allowed for each key, and each comes back after a while", () => {
  let now = 0;
  const allowed = createAllowance({ max: 2, perMs: 1000 }, () => new Date(now));
  expect([allowed("a"), allowed("a"), allowed("a"), allowed("b")]).toEqual([true, true, false, true]);
  now = 999;
  expect(allowed("a")).toBe(false);
  now = 1000;
  expect([allowed("a"), allowed("a"), allowed("a")]).toEqual([true, true, false]);
});

test("a crowd of keys does not fill the memory: who came last is remembered", () => {
  const allowed = createAllowance({ max: 1, perMs: 1000 }, () => new Date(0), 3);
  for (const key of ["a", "b", "c", "d"]) allowed(key);
  expect([allowed("d"), allowed("c"), allowed("a")]).toEqual([false, false, true]);
});
