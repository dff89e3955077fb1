import { expect, test } from "vitest";
import { revisionIn, textOf } from "./history.tsx";

const rows: [asked: string | undefined, revision: number][] = [
  ["2", 2],
  ["0", 0],
  ["-3", 0],
  ["99", 5],
  ["2.7", 2],
  ["nonsense", 0],
  [undefined, 0],
];
for (const [asked, revision] of rows)
  test(`the address names revision ${asked}: it is ${revision}`, () => expect(revisionIn(asked, 5)).toBe(revision));

test("erased words are not unknown words", () => {
  const amendments = [
    { revision: 2, after: "b" },
    { revision: 1, after: null },
  ];
  expect([2, 1, 3].map((revision) => textOf(amendments, revision))).toEqual(["b", null, undefined]);
});
