import { expect, test } from "vitest";
import { chooseFee, costOf, type FeeChoice } from "./transaction.ts";

const quote = { gas: 100n, baseFee: 80n, tip: 10n };
const limits = { perReply: 100_000n, perDay: 1_000_000n, spent: 0n };
const fee = (maxFeePerGas: bigint, maxPriorityFeePerGas = 10n): FeeChoice => ({
  kind: "fee",
  fee: { gas: 100n, maxFeePerGas, maxPriorityFeePerGas },
});

const choices: [what: string, choice: FeeChoice, expected: FeeChoice][] = [
  ["twice the base fee and the tip", chooseFee(quote, limits), fee(170n)],
  ["less, where the limit of a reply is near", chooseFee(quote, { ...limits, perReply: 12_345n }), fee(123n)],
  ["less, where the limit of the day is near", chooseFee(quote, { ...limits, spent: 989_000n }), fee(110n)],
  ["an eighth more than the base fee at least", chooseFee(quote, { ...limits, perReply: 10_000n }), fee(100n)],
  [
    "nothing, where a reply would cost too much",
    chooseFee(quote, { ...limits, perReply: 9_999n }),
    { kind: "over", limit: "perReply", needed: 10_000n },
  ],
  [
    "nothing, where the day has cost too much",
    chooseFee(quote, { ...limits, spent: 990_001n }),
    { kind: "over", limit: "perDay", needed: 10_000n },
  ],
  [
    "nothing, where the limit was lowered below what is spent",
    chooseFee(quote, { ...limits, spent: 2_000_000n }),
    { kind: "over", limit: "perDay", needed: 10_000n },
  ],
  [
    "a quarter more than what it replaces, rounded up",
    chooseFee(quote, limits, { maxFeePerGas: 201n, maxPriorityFeePerGas: 21n }),
    fee(252n, 27n),
  ],
  [
    "what the chain asks, where that is more than a quarter more",
    chooseFee(quote, limits, { maxFeePerGas: 8n, maxPriorityFeePerGas: 1n }),
    fee(170n),
  ],
];
for (const [what, choice, expected] of choices) test(`it offers ${what}`, () => expect(choice).toEqual(expected));

test("what it may cost is the gas at the highest price", () => {
  expect(costOf({ gas: 100n, maxFeePerGas: 170n })).toBe(17_000n);
});
