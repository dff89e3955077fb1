import { expect, test } from "vitest";
import { nextSurvival, reckonSurvival, type SurvivalInput, type SurvivalResult, worseTier } from "./survival.ts";

const known = (tier: SurvivalResult["tier"], balance: number, need: number): SurvivalResult => ({
  tier,
  unknown: null,
  balance,
  need,
});
/** Ten turns of 80: the dearest tenth is one of them, and a quarter more is 100. */
const last = Array(10).fill(80);

const table: [what: string, input: Partial<SurvivalInput>, result: SurvivalResult][] = [
  ["never granted", { granted: null }, { tier: "Normal", unknown: "never-granted", balance: null, need: 100 }],
  ["no price", { priced: false }, { tier: "Normal", unknown: "no-price", balance: null, need: 100 }],
  ["plenty", { granted: 1500 }, known("Normal", 1500, 100)],
  ["one short of fifteen turns", { granted: 1499 }, known("LowCycles", 1499, 100)],
  ["enough for one turn", { granted: 100 }, known("LowCycles", 100, 100)],
  ["one short of a turn", { granted: 99 }, known("Critical", 99, 100)],
  ["one left", { granted: 1 }, known("Critical", 1, 100)],
  ["all spent", { granted: 1000, spent: 1000 }, known("OutOfCycles", 0, 100)],
  ["more than all spent", { granted: 1000, spent: 1200 }, known("OutOfCycles", -200, 100)],
  ["a reserve is not used", { granted: 1500, reserve: 1 }, known("LowCycles", 1500, 100)],
  ["only the reserve is left", { granted: 500, reserve: 500 }, known("OutOfCycles", 500, 100)],
  ["no turn so far needs nothing", { granted: 1, last: [] }, known("Normal", 1, 0)],
  ["turns whose cost nobody counted are none", { granted: 1, last: [null, null] }, known("Normal", 1, 0)],
  ["of eleven turns the dearest two", { granted: 9, last: [...last, 40, null] }, known("Critical", 9, 100)],
  [
    "fifty: the dearest five",
    { granted: 9, last: [500, 400, 300, 200, 100, ...Array(45).fill(1)] },
    known("Critical", 9, 375),
  ],
  ["parts are rounded up", { granted: 9, last: [1] }, known("LowCycles", 9, 2)],
];
for (const [what, input, result] of table)
  test(`survival: ${what}`, () =>
    expect(reckonSurvival({ granted: 0, spent: 0, reserve: 0, priced: true, last, ...input })).toEqual(result));

test("from check to check: it falls at once, also several tiers", () => {
  const falls = ["Critical", "OutOfCycles"] as const;
  expect(falls.map((tier) => nextSurvival({ tier: "Normal", goodChecks: 2 }, { tier, unknown: null }))).toEqual([
    { tier: "Critical", goodChecks: 0 },
    { tier: "OutOfCycles", goodChecks: 0 },
  ]);
});

test("from check to check: it rises with the third good one in a row, to where it is then", () => {
  let kept = { tier: "OutOfCycles", goodChecks: 0 } as Parameters<typeof nextSurvival>[0];
  const seen = (["Normal", "Normal", "OutOfCycles", "Normal", "Critical", "LowCycles", "LowCycles"] as const).map(
    (tier) => {
      kept = nextSurvival(kept, { tier, unknown: null });
      return `${kept.tier} ${kept.goodChecks}`;
    },
  );
  expect(seen).toEqual([
    "OutOfCycles 1",
    "OutOfCycles 2",
    "OutOfCycles 0",
    "OutOfCycles 1",
    "OutOfCycles 2",
    "LowCycles 0",
    "LowCycles 0",
  ]);
});

test("what cannot be known is Normal at once", () => {
  expect(nextSurvival({ tier: "Critical", goodChecks: 1 }, { tier: "Normal", unknown: "no-price" })).toEqual({
    tier: "Normal",
    goodChecks: 0,
  });
});

test("the worse of two tiers", () => {
  expect([worseTier("Normal", "LowCycles"), worseTier("Critical", "LowCycles"), worseTier("Normal", "Normal")]).toEqual(
    ["LowCycles", "Critical", "Normal"],
  );
});
