import { expect, test } from "vitest";
import { confirmedBlock } from "./node-answer.ts";
import { findCommon, nextSpan, planRead } from "./read-chain.ts";

const at = (block: number) => ({ block, hash: `0x${block}` });
const state = { last: undefined, start: null, confirmed: 100, span: 2000 };

test("a block with so many on it, itself among them, is confirmed", () => {
  expect([confirmedBlock(100, 1), confirmedBlock(100, 12), confirmedBlock(3, 12)]).toEqual([100, 89, -8]);
});

test("it begins at the block that was said, else with what comes from now on", () => {
  expect(planRead({ ...state, from: 40 })).toEqual({ kind: "begin", start: 40, anchor: 39 });
  expect(planRead(state)).toEqual({ kind: "begin", start: 101, anchor: 100 });
  expect(planRead({ ...state, from: 0 })).toEqual({ kind: "begin", start: 1, anchor: 0 });
  expect(planRead({ ...state, from: 101 })).toEqual({ kind: "begin", start: 101, anchor: 100 });
  expect(planRead({ ...state, from: 102 })).toEqual({ kind: "wait" });
  expect(planRead({ ...state, confirmed: -8 })).toEqual({ kind: "wait" });
});

test("begun anew on a chain that was replaced, it begins where it began, or as far as the chain is", () => {
  expect(planRead({ ...state, start: 40 })).toEqual({ kind: "begin", start: 40, anchor: 39 });
  expect(planRead({ ...state, start: 400 })).toEqual({ kind: "begin", start: 101, anchor: 100 });
});

test("it goes on after the last block, as far as is confirmed, so many at once", () => {
  expect(planRead({ ...state, last: at(90) })).toEqual({ kind: "read", from: 91, to: 100 });
  expect(planRead({ ...state, last: at(90), span: 3 })).toEqual({ kind: "read", from: 91, to: 93 });
  expect(planRead({ ...state, last: at(100) })).toEqual({ kind: "wait" });
  expect(planRead({ ...state, last: at(120) })).toEqual({ kind: "wait" });
});

test("too much is halved down to one block, and grows again", () => {
  const halved = [2000];
  while ((halved.at(-1) as number) > 1) halved.push(nextSpan(halved.at(-1) as number, false));
  expect(halved).toEqual([2000, 1000, 500, 250, 125, 62, 31, 15, 7, 3, 1]);
  expect([nextSpan(1, false), nextSpan(1, true), nextSpan(2000, true), nextSpan(9999, true)]).toEqual([
    1, 2, 2250, 10_000,
  ]);
});

test("the common block is found with few questions, wherever it is", async () => {
  const kept = Array.from({ length: 1000 }, (_, index) => at(1000 - index));
  for (const common of [0, 1, 2, 500, 999, 1000]) {
    let asked = 0;
    const found = await findCommon(kept, async ({ block }) => {
      asked += 1;
      return block <= common;
    });
    expect(found).toEqual(common === 0 ? undefined : at(common));
    expect(asked).toBeLessThanOrEqual(10);
  }
  expect(await findCommon([], async () => true)).toBeUndefined();
});
