import { expect, test } from "vitest";
import { createLoop } from "./loop.ts";

/** A sleep that ends when it is called off, and tells how long it would have been. */
function patient(slept: number[]) {
  return (milliseconds: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      slept.push(milliseconds);
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
}

test("rounds follow each other; one that is woken while it works is followed at once", async () => {
  const slept: number[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  let rounds = 0;
  const loop = createLoop({
    round: async () => {
      rounds++;
      if (rounds === 2) loop.wake();
      if (rounds === 3) resolve();
      return rounds === 1 ? 0 : 5000;
    },
    onError: () => {},
    sleep: patient(slept),
    random: () => 1,
  });
  loop.start();
  await promise;
  await loop.stop();
  expect([rounds, slept]).toEqual([3, [5000]]);
});

test("a round that throws is told and tried again, later and later; wake does not hurry it before it sleeps", async () => {
  const slept: number[] = [];
  const told: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const loop = createLoop({
    round: async () => {
      loop.wake();
      if (told.length === 3) resolve();
      if (told.length < 3) throw new Error(`no ${told.length}`);
      return 0;
    },
    onError: (error) => told.push((error as Error).message),
    sleep: async (milliseconds) => {
      slept.push(milliseconds);
    },
    random: () => 1,
  });
  loop.start();
  await promise;
  await loop.stop();
  expect([told, slept]).toEqual([
    ["no 0", "no 1", "no 2"],
    [1000, 2000, 4000],
  ]);
});
