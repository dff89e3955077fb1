import { expect, test } from "vitest";
import { share } from "./core-memory.ts";

/** Work that ends when it is told to, and says how often it began. */
function work() {
  const ends: ((error?: Error) => void)[] = [];
  const run = () =>
    new Promise<number>((resolve, reject) => {
      const number = ends.length + 1;
      ends.push((error) => (error ? reject(error) : resolve(number)));
    });
  return { run, begun: () => ends.length, end: (number: number, error?: Error) => ends[number - 1]?.(error) };
}

test("one who asks alone is not kept waiting", async () => {
  const { run, end } = work();
  const asked = share(run);
  const one = asked();
  end(1);
  expect(await one).toBe(1);
  const other = asked();
  end(2);
  expect(await other).toBe(2);
});

test("those who ask meanwhile share the next, which begins after they asked", async () => {
  const { run, begun, end } = work();
  const asked = share(run);
  const [first, ...others] = [asked(), asked(), asked(), asked()];
  expect(begun()).toBe(1);
  end(1);
  expect(await first).toBe(1);
  await expect.poll(begun).toBe(2);
  const last = asked();
  end(2);
  expect(await Promise.all(others)).toEqual([2, 2, 2]);
  end(3);
  expect(await last).toBe(3);
});

test("work that takes long delays nobody else for long, and one that fails fails for those who share it", async () => {
  const { run, begun, end } = work();
  const asked = share(run);
  const stuck = asked();
  const next = asked();
  const failed = expect(next).rejects.toThrow("no");
  await expect.poll(begun).toBe(2);
  end(2, new Error("no"));
  await failed;
  end(1);
  expect(await stuck).toBe(1);
  const again = asked();
  end(3);
  expect(await again).toBe(3);
});
