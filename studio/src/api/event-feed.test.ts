import { expect, test } from "vitest";
import { coalesce } from "./event-feed.ts";

/** Something to do that is over when it is told so, and tells when it begins. */
function work() {
  const ends: (() => void)[] = [];
  let begun: (() => void) | undefined;
  const what = () => {
    begun?.();
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  const next = () =>
    new Promise<void>((resolve) => {
      begun = resolve;
    });
  return { ends, what, next };
}

test("many wishes are one, and one that comes meanwhile is granted when that one is over", async () => {
  const { ends, what, next } = work();
  const wish = coalesce(what, { delayMs: 1, timeoutMs: 60_000 });
  const first = next();
  for (let count = 0; count < 5; count++) wish();
  await first;
  for (let count = 0; count < 5; count++) wish();
  expect(ends.length).toBe(1);
  const second = next();
  ends[0]?.();
  await second;
  expect(ends.length).toBe(2);
  ends[1]?.();
});

test("what fails or never ends does not hold up what is wished for next", async () => {
  let count = 0;
  const wish = coalesce(
    async () => {
      count++;
      if (count < 3) wish();
      if (count === 1) throw new Error("no");
      if (count === 2) await new Promise(() => {});
      done();
    },
    { delayMs: 1, timeoutMs: 5 },
  );
  let done = () => {};
  const third = new Promise<void>((resolve) => {
    done = resolve;
  });
  wish();
  await third;
  expect(count).toBe(3);
});
