import { expect, test } from "vitest";
import {
  budgetWords,
  causeWords,
  goingWords,
  microsOf,
  money,
  runwayWords,
  stateWords,
  stoppedWords,
  tierWords,
  unitsWords,
} from "./figures.tsx";

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

const amounts: [amount: string, words: string][] = [
  ["0", "0 ETH"],
  ["1.5", "1.5 ETH"],
  ["1234567.123456789", "1,234,567.1234 ETH"],
  ["0.000000000000012345678", "0.00000000000001234 ETH"],
  ["12.000000001", "12 ETH"],
];
for (const [amount, words] of amounts)
  test(`${amount} is “${words}”`, () => expect(unitsWords({ amount, symbol: "ETH" })).toBe(words));

test("replies are told by how far they are", () => {
  const none = { waiting: 0, signed: 0, sent: 0, mined: 0, final: 0, held: 0, failed: 0 };
  const many = { ...none, final: 2, waiting: 1, signed: 1, sent: 4, mined: 2, held: 3, failed: 1 };
  expect([goingWords({ ...none, final: 1 }), stoppedWords({ ...none, final: 1 })]).toEqual([undefined, undefined]);
  expect([goingWords(many), stoppedWords(many)]).toEqual([
    "2 to be sent, 4 sent, 2 in a block that does not count yet",
    "3 held: the fee is above the limit, 1 failed",
  ]);
});

test("a state is said in plain words; one nobody knows by its name", () => {
  expect(["Inferring", "Dreaming"].map((state) => stateWords(state).title)).toEqual(["Thinking", "Dreaming"]);
});

const causes: [cause: string, words: string][] = [
  ["turn-quiet", "there was nothing to do"],
  ["OutOfCycles", "the budget is used up"],
  ["model-asked is not foreseen in Idle", "“the model was asked” was not expected while “Idle”"],
  ["something else", "something else"],
];
for (const [cause, words] of causes) test(`“${cause}” is “${words}”`, () => expect(causeWords(cause)).toBe(words));
