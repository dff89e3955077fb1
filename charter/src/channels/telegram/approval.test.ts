import { expect, test } from "vitest";
import { decisionOf } from "./deliver-to.ts";

const rows: [data: string, expected: unknown][] = [
  ["yes 0mi2abc00xyz", { approved: true, held: "0mi2abc00xyz" }],
  ["no 0mi2abc00xyz", { approved: false, held: "0mi2abc00xyz" }],
  ["mine 0mi2abc00xyz", { approved: true, held: "0mi2abc00xyz", mine: true }],
  ["yes", undefined],
  ["yes ", undefined],
  ["YES 1", undefined],
  ["yes 1 2", undefined],
  ["yes ' or 1=1", undefined],
  [`yes ${"1".repeat(61)}`, undefined],
  ["", undefined],
];
for (const [data, expected] of rows)
  test(`a button's data is read strictly: ${JSON.stringify(data.slice(0, 20))}`, () =>
    expect(decisionOf(data)).toEqual(expected));
