import { expect, test } from "vitest";
import { layout } from "../../strata/layout.ts";
import { align } from "./align.ts";
import { outline, ribbonsOf } from "./pictures.tsx";
import type { Sent } from "./side.ts";

const sent = (name: string, tokens: number, text = name): Sent => ({
  name,
  layer: "one",
  mutability: "fixed",
  slot: "system",
  tail: false,
  revision: null,
  tokens,
  cut: false,
  text,
});

function drawn(left: readonly Sent[], right: readonly Sent[], scale: number) {
  return ribbonsOf(align(left, right), layout(left, 100, scale), layout(right, 100, scale));
}

test("neighbours that are the same share a ribbon; what changed has its own; what is on one side has none", () => {
  const left = [sent("a", 10), sent("b", 10), sent("c", 20), sent("d", 10)];
  const right = [sent("a", 10), sent("b", 10), sent("c", 40, "longer"), sent("e", 10)];
  expect(drawn(left, right, 100)).toEqual([
    { kind: "same", left: { from: 0, to: 20 }, right: { from: 0, to: 20 } },
    { kind: "changed", left: { from: 20, to: 40 }, right: { from: 20, to: 60 } },
  ]);
});

test("what moved crosses over", () => {
  expect(drawn([sent("a", 50), sent("b", 50)], [sent("b", 50), sent("a", 50)], 100)).toEqual([
    { kind: "moved", left: { from: 50, to: 100 }, right: { from: 0, to: 50 } },
    { kind: "same", left: { from: 0, to: 50 }, right: { from: 50, to: 100 } },
  ]);
});

test("of ten thousand that changed some hundreds are drawn", () => {
  const many = (text: string) => Array.from({ length: 10_000 }, (_, index) => sent(`s${index}`, 1, text));
  expect(drawn(many("a"), many("b"), 10_000)).toHaveLength(300);
});

test("an outline goes from edge to edge and back", () => {
  const ribbon = { kind: "same", left: { from: 0, to: 10 }, right: { from: 5, to: 15 } } as const;
  expect(outline(ribbon, 40)).toBe("M0,0C20,0 20,5 40,5L40,15C20,15 20,10 0,10Z");
});
