import { expect, test } from "vitest";
import { counterpartKey, isCounterpart, shownName } from "./counterpart.ts";

const rows: [name: string, key: string, isOne: boolean, shown: string][] = [
  ["shop/bo", "counterpart:shop/bo", false, "shop/bo"],
  ["counterpart:shop/bo", "counterpart:shop/bo", true, "shop/bo"],
  ["0xabc", "counterpart:0xabc", false, "0xabc"],
];
for (const [name, key, isOne, shown] of rows)
  test(`“${name}” is looked up as “${key}” and shown as “${shown}”`, () =>
    expect([counterpartKey(name), isCounterpart(name), shownName(name)]).toEqual([key, isOne, shown]));
