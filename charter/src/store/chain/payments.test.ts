import { expect, test } from "vitest";
import { cyclesOf } from "./chain.ts";

const own = `0x${"ad".repeat(20)}`;
const bo = `0x${"b0".repeat(20)}`;
const ether = 10n ** 18n;
const rule = { address: own, cyclesPerEther: 2000, maxCyclesPerDay: 1000 };
const paid = (value: bigint, sender = bo) => ({ sender, value: String(value) });

const table: [what: string, payments: ReturnType<typeof paid>[], earned: number, cycles: number[]][] = [
  ["each by the rule, without what is less than one", [paid(ether / 10n), paid(ether / 1999n)], 0, [200, 1]],
  ["less than one is nothing", [paid(1n)], 0, [0]],
  ["the day's limit is reached, and not passed", [paid(ether / 10n), paid(ether / 10n)], 600, [200, 200]],
  ["what passes it waits, and so does all after it", [paid(ether / 2n), paid(1n)], 1, []],
  ["one that is more than a day may have is worth a day", [paid(3n * ether)], 0, [1000]],
  ["a day that is over its limit has nothing more to give", [paid(ether / 10n)], 2000, []],
  ["what it pays itself is nothing", [paid(ether, own), paid(ether, own.toUpperCase().replace("X", "x"))], 0, [0, 0]],
  ["what only one node speaks of is nothing", [paid(ether, `node's word/${bo}`), paid(ether / 10n)], 0, [0, 200]],
  ["more than any number holds", [paid(2n ** 256n - 1n)], 0, [1000]],
];
for (const [what, payments, earned, cycles] of table)
  test(`payments: ${what}`, () => {
    expect(cyclesOf(payments, rule, earned)).toEqual(cycles.map((one, at) => ({ ...payments[at], cycles: one })));
  });
