import { expect, test } from "vitest";
import { landed } from "./happening.ts";

const section = (name: string, revision: number | null, tokens: number, mutability = "amendable" as const) => ({
  name,
  revision,
  tokens,
  mutability,
});

test("what a hand changed is news; what is generated per turn is not", () => {
  const live = { ...section("time", null, 20), mutability: "live" as const };
  const before = [section("soul", 1, 100), section("goals", 1, 10), live];
  const after = [section("soul", 2, 90), section("instructions", 1, 12), { ...live, tokens: 25 }];
  expect(landed(before, after)).toEqual([
    { name: "soul", revision: 2, tokens: -10 },
    { name: "instructions", revision: 1, tokens: 12 },
    { name: "goals", revision: null, tokens: -10 },
  ]);
  expect(landed(after, after)).toEqual([]);
});

test("a change that is told in the history is news by its own words, once", () => {
  const prefix = section("instructions", 0, 45);
  const update = (revision: number, tokens: number) => ({
    ...section("instructions", revision, tokens),
    isUpdate: true,
  });
  expect(landed([prefix], [prefix, update(1, 32)])).toEqual([
    { name: "instructions", revision: 1, tokens: 32, isUpdate: true },
  ]);
  expect(landed([prefix, update(1, 32)], [prefix, update(1, 32), update(2, 40)])).toEqual([
    { name: "instructions", revision: 2, tokens: 40, isUpdate: true },
  ]);
  expect(landed([prefix, update(1, 32)], [prefix, update(1, 32)])).toEqual([]);
});
