import { expect, test } from "vitest";
import { microsOf, money, runwayWords, tierWords } from "./budget-words.ts";

test("every tier has words, a worse one a warning; one nobody knows is said by its name", () => {
  const tiers = ["Normal", "LowCycles", "Critical", "OutOfCycles", "Rich"];
  expect(tiers.map((tier) => [tierWords(tier).title, tierWords(tier).tone])).toEqual([
    ["Enough budget", "good"],
    ["Low budget", "wait"],
    ["Budget nearly used up", "bad"],
    ["Budget used up", "bad"],
    ["Rich", "wait"],
  ]);
});

const runways: [hours: number, words: string][] = [
  [-3, "nothing left"],
  [0, "nothing left"],
  [0.4, "less than an hour"],
  [1.9, "about 1 hour"],
  [47.9, "about 47 hours"],
  [48, "about 2 days"],
  [24 * 59.9, "about 59 days"],
  [24 * 90, "about 2 months"],
  [24 * 365 * 40, "years"],
];
for (const [hours, words] of runways)
  test(`${hours} hours are “${words}”`, () => expect(runwayWords(hours)).toBe(words));

const typed: [words: string, micros: number | undefined][] = [
  ["5", 5_000_000],
  [" $2.50 ", 2_500_000],
  [".000001", 1],
  ["0.1234567", undefined],
  ["1,000", undefined],
  ["0", undefined],
  ["-1", undefined],
  ["1e3", undefined],
  ["", undefined],
];
for (const [words, micros] of typed)
  test(`“${words}” is ${micros ?? "no amount"}`, () => expect(microsOf(words)).toBe(micros));

test("a debt is money too", () => {
  expect([2_500_000, 0, -120_000].map(money)).toEqual(["$2.50", "$0", "−$0.120"]);
});
