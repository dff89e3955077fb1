import { expect, test } from "vitest";
import { align, folds, type Row, totalsOf } from "./align.ts";
import type { Sent } from "./side.ts";

const sent = (name: string, text = name, slot = "system"): Sent => ({
  name,
  layer: "one",
  mutability: "amendable",
  slot,
  tail: slot === "state",
  revision: null,
  tokens: text.length,
  cut: false,
  text,
});
const all = (names: string) => names.split(" ").map((name) => sent(name));
const told = (rows: readonly Row[]) =>
  rows.map(({ kind, name, moved, left, right }) =>
    [kind, name, ...(moved ? ["moved"] : []), ...(left && right && left.slot !== right.slot ? ["slot"] : [])].join(" "),
  );

test("the same, changed, gone and new, each where it stands", () => {
  const left = [sent("soul"), sent("goals"), sent("rules", "a"), sent("tools")];
  const right = [sent("soul"), sent("rules", "b"), sent("news"), sent("tools")];
  expect(told(align(left, right))).toEqual(["same soul", "left goals", "changed rules", "right news", "same tools"]);
});

const orders: [what: string, left: string, right: string, rows: string[]][] = [
  ["nothing", "", "", []],
  ["one that moved up", "a b c d", "d a b c", ["same d moved", "same a", "same b", "same c"]],
  ["one that moved down", "a b c", "b c a", ["same b", "same c", "same a moved"]],
  ["turned around", "a b", "b a", ["same b moved", "same a"]],
];
for (const [what, left, right, rows] of orders)
  test(`order: ${what}`, () => {
    const of = (names: string) => (names === "" ? [] : all(names));
    expect(told(align(of(left), of(right)))).toEqual(rows);
  });

test("a section that was told anew in the history belongs to the same words, wherever they stand now", () => {
  const left = [
    sent("instructions", "old"),
    sent("tools"),
    sent("instructions", "new", "update"),
    sent("time", "1", "state"),
  ];
  const right = [sent("instructions", "new"), sent("tools"), sent("time", "2", "state")];
  expect(told(align(left, right))).toEqual([
    "same instructions moved slot",
    "left instructions",
    "same tools",
    "changed time",
  ]);
});

test("two on either side: the same slot, then whatever is left", () => {
  const left = [sent("a", "1"), sent("a", "2", "update")];
  const right = [sent("a", "3", "update"), sent("a", "4", "update")];
  expect(align(left, right).map(({ left: one, right: other }) => `${one?.text}→${other?.text}`)).toEqual([
    "2→3",
    "1→4",
  ]);
});

test("ten thousand sections in another order are aligned", () => {
  const many = Array.from({ length: 10_000 }, (_, index) => sent(`s${index}`));
  const rows = align(many, many.toReversed());
  expect(totalsOf(rows).kinds).toEqual({ same: 10_000, changed: 0, left: 0, right: 0 });
  expect(rows.filter(({ moved }) => !moved)).toHaveLength(1);
});

test("totals, and what is folded", () => {
  const rows = align(
    [sent("a"), sent("b"), sent("c", "1"), sent("d"), sent("e", "e", "update")],
    [sent("a"), sent("b"), sent("c", "22"), sent("d"), sent("e")],
  );
  expect(totalsOf(rows)).toEqual({ left: 5, right: 6, kinds: { same: 4, changed: 1, left: 0, right: 0 } });
  expect(folds(rows).map(({ same, rows: those }) => [same, those.map(({ name }) => name).join(" ")])).toEqual([
    [true, "a b"],
    [false, "c"],
    [true, "d"],
    [false, "e"],
  ]);
});
