import { expect, test } from "vitest";
import { retryDelayMs } from "./retry-delay.ts";

const seconds = (tries: number, chance: number) => retryDelayMs(tries, () => chance) / 1000;

test("each wait is twice the one before, up to an hour", () => {
  expect([1, 2, 3, 4, 7, 8, 100].map((tries) => seconds(tries, 1))).toEqual([60, 120, 240, 480, 3600, 3600, 3600]);
});

test("half of it is chance", () => {
  expect([0, 0.5, 1].map((chance) => seconds(3, chance))).toEqual([120, 180, 240]);
});
