import { expect, test } from "vitest";
import { goingWords, stoppedWords, unitsWords } from "./chain-words.ts";

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
