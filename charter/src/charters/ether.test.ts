import { expect, test } from "vitest";
import { etherText, unitsText, weiOf } from "./ether.ts";

const amounts: [text: string, wei: bigint][] = [
  ["0", 0n],
  ["1", 10n ** 18n],
  ["0.001", 10n ** 15n],
  ["1.5", 15n * 10n ** 17n],
  ["0.000000000000000001", 1n],
  ["123456789012.000000000000000009", 123456789012n * 10n ** 18n + 9n],
];
for (const [text, wei] of amounts)
  test(`${text} ETH is ${wei} wei, and back`, () => expect([weiOf(text), etherText(wei)]).toEqual([wei, text]));

test.each(["", "-1", "1e3", "1,5", ".5", "1.", "0x1", "0.0000000000000000001", "1234567890123"])(
  "“%s” is no amount of ETH",
  (text) => expect(weiOf(text)).toBe(undefined),
);

test("a token has its own places, none as well; a debt has its sign", () => {
  expect([unitsText(1_500_000n, 6), unitsText(7n, 0), unitsText(-5n, 2)]).toEqual(["1.5", "7", "-0.05"]);
});
