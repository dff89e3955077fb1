import { expect, test } from "vitest";
import { budgetWords, microsOf, money, runwayWords, tierWords } from "./budget-words.ts";

test("every tier has words, a worse one a warning; one nobody knows is said by its name", () => {
  const tiers = ["Normal", "LowCycles", "Critical", "OutOfCycles", "Rich"];
  expect(tiers.map((tier) => [tierWords(tier).title, tierWords(tier).tone])).toEqual([
    ["Enough", "good"],
    ["Low", "wait"],
    ["Nearly used up", "bad"],
    ["Used up", "bad"],
    ["Rich", "wait"],
  ]);
});

const runways: [hours: number, words: string][] = [
  [-3, "nothing is left"],
  [0, "nothing is left"],
  [0.4, "lasts less than an hour at this rate"],
  [1.9, "lasts about 1 hour at this rate"],
  [47.9, "lasts about 47 hours at this rate"],
  [48, "lasts about 2 days at this rate"],
  [24 * 59.9, "lasts about 59 days at this rate"],
  [24 * 90, "lasts about 2 months at this rate"],
  [24 * 365 * 40, "lasts years at this rate"],
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

test("without a grant or a price there is no saying how well off it is", () => {
  const why = ["never-granted", "no-price", null] as const;
  expect(why.map((unknown) => budgetWords("OutOfCycles", unknown).title)).toEqual(["No limit", "Not known", "Used up"]);
});
