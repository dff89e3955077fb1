import { expect, test } from "vitest";
import { addUsage, costOf, dollarText, inDollars, inMicros, microsOf, noUsage, stepCost, sumCosts } from "./cost.ts";

const price = { input: 3, read: 0.3, write: 3.75, output: 15 };
const usage = { input: 1000, read: 600, written: 300, output: 10 };

test("each token is paid by how it met the cache; what nobody counted is not paid", () => {
  expect([
    microsOf(price, { read: 600, written: 300, fresh: 100, output: 10 }),
    microsOf(price, {}),
    costOf(usage, { price }),
    costOf({ ...noUsage, input: 1000 }, { price }),
    costOf(noUsage, { price }),
    costOf(usage, { price: null }),
  ]).toEqual([1755, 0, 0.001755, 0.003, 0, null]);
});

test("a provider that counts what it cached beside its input is paid for all of it, and for nothing below zero", () => {
  expect(costOf({ input: 100, read: 600, written: 300, output: 0 }, { price })).toBe(0.001305);
});

test("a step costs what was counted and its second opinions; where one of them is not known, neither is the sum", () => {
  const paid = { cost: 0.5 };
  expect([
    stepCost({ usage }, { price }),
    stepCost({ usage, opinions: [paid, paid] }, { price }),
    stepCost({ usage, opinions: [paid, { cost: null }] }, { price }),
    stepCost({ usage, opinions: [paid] }, { price: null }),
    stepCost({ usage: noUsage, opinions: [paid] }, { price }),
    stepCost({}, { price }),
  ]).toEqual([0.001755, 1.001755, null, null, null, null]);
  expect([sumCosts([]), sumCosts([0.25]), sumCosts([0.25, 0.5]), sumCosts([0.25, null]), sumCosts([null])]).toEqual([
    null,
    0.25,
    0.75,
    null,
    null,
  ]);
});

test("money is kept in whole millionths of a dollar", () => {
  expect([inMicros(0.0017554), inMicros(0.0000005), inDollars(1755)]).toEqual([1755, 1, 0.001755]);
});

test("dollars are written with two digits that say something, and never as a power of ten", () => {
  expect([0, 0.00000096, 0.000012, 0.0355, 0.41, 1, 12.34, 123.4, -0.002].map(dollarText)).toEqual([
    "$0",
    "$0.00000096",
    "$0.000012",
    "$0.035",
    "$0.41",
    "$1.0",
    "$12",
    "$123",
    "$-0.0020",
  ]);
});

test("what was counted adds up, and what never was stays unknown", () => {
  expect(addUsage(usage, { ...noUsage, input: 1, output: 2 })).toEqual({
    input: 1001,
    read: 600,
    written: 300,
    output: 12,
  });
  expect(addUsage(noUsage, noUsage)).toEqual(noUsage);
});
