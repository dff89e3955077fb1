import { expect, test } from "vitest";
import { createRateLimiter } from "./limits.ts";

function stage(max?: number) {
  let time = 1_000_000;
  const rate = createRateLimiter(() => time, max);
  return {
    rate,
    wait: (milliseconds: number) => {
      time += milliseconds;
    },
  };
}

test("a minute's worth may be taken at once, and then one as often as they are earned", () => {
  const { rate, wait } = stage();
  const taken = Array.from({ length: 7 }, () => rate.consume("ada", 6));
  expect(taken).toEqual([0, 0, 0, 0, 0, 0, 10]);
  wait(9_000);
  expect(rate.consume("ada", 6)).toBe(1);
  wait(1_000);
  expect([rate.consume("ada", 6), rate.consume("ada", 6)]).toEqual([0, 10]);
});

test("what was refused is not counted", () => {
  const { rate, wait } = stage();
  for (let count = 0; count < 1000; count++) rate.consume("ada", 6);
  wait(60_000);
  expect(Array.from({ length: 7 }, () => rate.consume("ada", 6))).toEqual([0, 0, 0, 0, 0, 0, 10]);
});

test("asking how long to wait takes nothing", () => {
  const { rate } = stage();
  expect([
    rate.waitSeconds("ada", 1),
    rate.waitSeconds("ada", 1),
    rate.consume("ada", 1),
    rate.waitSeconds("ada", 1),
  ]).toEqual([0, 0, 0, 60]);
});

test("one caller's haste is no other's", () => {
  const { rate } = stage();
  expect([rate.consume("ada", 1), rate.consume("ada", 1), rate.consume("bob", 1)]).toEqual([0, 60, 0]);
});

test("no limit is no limit", () => {
  const { rate } = stage();
  for (let count = 0; count < 10_000; count++) expect(rate.consume("ada", Number.POSITIVE_INFINITY)).toBe(0);
});

test("any number of made-up addresses do not fill the memory, and whoever asked last is still known", () => {
  const { rate } = stage(1_000);
  for (let count = 0; count < 20_000; count++) rate.consume(`address ${count}`, 1);
  expect(rate.size()).toBeLessThanOrEqual(1_000);
  expect(rate.waitSeconds("address 19999", 1)).toBe(60);
});

test("who is as good as new is forgotten first", () => {
  const { rate, wait } = stage(100);
  for (let count = 0; count < 100; count++) rate.consume(`old ${count}`, 60);
  wait(60_000);
  rate.consume("new", 60);
  expect(rate.size()).toBe(1);
});
