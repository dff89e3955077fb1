import { expect, test } from "vitest";
import { hitsOf, maxHits } from "./view.tsx";

const at = (start: number, end: number) => ({ start, end });

test("words are found in the order the sections are shown in, whatever their case, and nothing is a pattern", () => {
  const text = "Kind (a+b).\nkind\nKİND a+b";
  expect(hitsOf(text, [at(12, 25), at(0, 12)], "kind")).toEqual([
    { start: 12, end: 16 },
    { start: 0, end: 4 },
  ]);
  expect(hitsOf(text, [at(0, 25)], "a+b")).toEqual([
    { start: 6, end: 9 },
    { start: 22, end: 25 },
  ]);
  for (const words of ["[", "(", "a-z]", "\\", "$^", "/"])
    expect(hitsOf(text, [at(0, 25)], words).length).toBeLessThan(2);
  expect(hitsOf(text, [at(0, 25)], "")).toEqual([]);
});

test("no more are looked for than anyone would step through", () => {
  expect(hitsOf("e".repeat(100_000), [at(0, 100_000)], "e").length).toBe(maxHits);
});
