import { expect, test } from "vitest";
import { createNewest } from "./use-assembled.ts";

/** Questions that are answered by hand. */
function byHand() {
  const asked: { wish: string; answer: (words: string) => void; refuse: (because: string) => void }[] = [];
  const ask = (wish: string) =>
    new Promise<string>((resolve, reject) => {
      asked.push({ wish, answer: resolve, refuse: (because) => reject(new Error(because)) });
    });
  return { asked, ask };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("while one wish is worked on, only the newest of the others is kept", async () => {
  const { asked, ask } = byHand();
  const told: unknown[] = [];
  const newest = createNewest(ask, (outcome) => told.push(outcome));
  for (const wish of ["a", "b", "c", "d"]) newest.want(wish);
  expect(asked.map(({ wish }) => wish)).toEqual(["a"]);
  asked[0]?.answer("A");
  await settled();
  expect(asked.map(({ wish }) => wish)).toEqual(["a", "d"]);
  asked[1]?.answer("D");
  await settled();
  expect(told).toEqual([
    { wish: "a", last: false, answer: "A" },
    { wish: "d", last: true, answer: "D" },
  ]);
});

test("what went wrong is told, and the next wish is asked all the same", async () => {
  const { asked, ask } = byHand();
  const told: unknown[] = [];
  const newest = createNewest(ask, (outcome) => told.push(outcome));
  newest.want("a");
  asked[0]?.refuse("No.");
  await settled();
  newest.want("b");
  asked[1]?.answer("B");
  await settled();
  expect(told).toEqual([
    { wish: "a", last: true, problem: new Error("No.") },
    { wish: "b", last: true, answer: "B" },
  ]);
});

test("whoever has closed is told nothing any more", async () => {
  const { asked, ask } = byHand();
  const told: unknown[] = [];
  const newest = createNewest(ask, (outcome) => told.push(outcome));
  newest.want("a");
  newest.want("b");
  newest.close();
  asked[0]?.answer("A");
  await settled();
  expect([told, asked.length]).toEqual([[], 1]);
});
