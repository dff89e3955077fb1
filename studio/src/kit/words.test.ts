import { expect, test } from "vitest";
import { counterpartKey, fromNow, isCounterpart, shortTime, shownName, signed, sourceText } from "./words.ts";

test("a time in a narrow column says no more than it has to", () => {
  const now = new Date(2026, 10, 17, 9, 30);
  expect(shortTime(new Date(2026, 10, 17, 8, 5, 59).toISOString(), now)).toBe("08:05");
  expect(shortTime(new Date(2026, 10, 16, 8, 5).toISOString(), now)).toBe("16 Nov 08:05");
  expect(shortTime(new Date(2025, 10, 17, 8, 5).toISOString(), now)).toBe("17 Nov 2025");
});

test("what is more or less has a sign", () => {
  expect([7, -1200, 0].map(signed)).toEqual(["+7", "−1,200", "±0"]);
});

test("a text's source is said in words, and a source of one's own by its name", () => {
  expect(["standing", "original", "charter", "clock"].map(sourceText)).toEqual([
    "current text",
    "original text",
    "charter",
    "clock",
  ]);
});

const rows: [away: number, words: string][] = [
  [0, "now"],
  [59_000, "now"],
  [60_000, "in 1 min"],
  [3 * 3_600_000 + 5, "in 3 h"],
  [-2 * 86_400_000, "2 d ago"],
  [-61_000, "1 min ago"],
];
for (const [away, words] of rows)
  test(`${away} ms is “${words}”`, () => expect(fromNow(1e12 + away, 1e12)).toBe(words));

const names: [name: string, key: string, isOne: boolean, shown: string][] = [
  ["shop/bo", "counterpart:shop/bo", false, "shop/bo"],
  ["counterpart:shop/bo", "counterpart:shop/bo", true, "shop/bo"],
  ["0xabc", "counterpart:0xabc", false, "0xabc"],
];
for (const [name, key, isOne, shown] of names)
  test(`“${name}” is looked up as “${key}” and shown as “${shown}”`, () =>
    expect([counterpartKey(name), isCounterpart(name), shownName(name)]).toEqual([key, isOne, shown]));
