import { expect, test } from "vitest";
import { createBackoffs } from "./round.ts";

const stage = () => {
  const time = { now: 1_000_000 };
  return {
    time,
    backoffs: createBackoffs(
      () => new Date(time.now),
      () => 1,
    ),
  };
};

test("what failed waits twice as long each time, up to five minutes; what worked waits no more", () => {
  const { time, backoffs } = stage();
  const waits = Array.from({ length: 10 }, () => {
    backoffs.failed("model");
    const began = time.now;
    while (!backoffs.isOver("model")) time.now += 1000;
    return (time.now - began) / 1000;
  });
  expect(waits).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300, 300]);
  backoffs.failed("model");
  backoffs.succeeded("model");
  expect(backoffs.isOver("model")).toBe(true);
  backoffs.failed("model");
  time.now += 5000;
  expect(backoffs.isOver("model")).toBe(true);
});

test("one waits for itself only, and not for a clock that was set back", () => {
  const { time, backoffs } = stage();
  backoffs.failed("a call");
  expect([backoffs.isOver("a call"), backoffs.isOver("model")]).toEqual([false, true]);
  time.now -= 1;
  expect(backoffs.isOver("a call")).toBe(true);
});
