import type { MoneyAnswer } from "charter/answers";
import { expect, test } from "vitest";
import { firstDay } from "./days.ts";
import { csvOf, rowsOf } from "./table.tsx";

const cells: readonly (readonly [string | number, string])[] = [
  ["ada", "ada"],
  [0.25, "0.25"],
  [-1, "-1"],
  ["a,b", '"a,b"'],
  ['say "so"', '"say ""so"""'],
  ["two\nlines", '"two\nlines"'],
  ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
  ["+1", `"'+1"`],
  ["-1", `"'-1"`],
  ["@SUM(A1)", `"'@SUM(A1)"`],
  ["\t=1", `"'\t=1"`],
  [" =1", `"' =1"`],
];
for (const [cell, written] of cells)
  test(`the cell ${JSON.stringify(cell)} is written as ${JSON.stringify(written)}`, () => {
    expect(csvOf(["name", "cost"], [[cell, 1]])).toBe(`name,cost\r\n${written},1\r\n`);
  });

test("a range ends today, which counts as a day of it", () => {
  const now = new Date("2026-03-01T23:59:59.999Z");
  expect([firstDay("7", now), firstDay("30", now), firstDay("month", now), firstDay("all", now)]).toEqual([
    "2026-02-23",
    "2026-01-31",
    "2026-03-01",
    undefined,
  ]);
});

test("over all agents a schedule leads to its agent's, and its cost to that agent's scheduled turns", () => {
  const sums = { turns: 2, input: 100, read: 50 };
  const schedules: MoneyAnswer["schedules"] = [
    { agent: "ada", schedule: "s1", title: "Digest", cost: 0.3, ...sums },
    { agent: "art", schedule: null, title: null, cost: 0.2, ...sums },
  ];
  const money = { schedules, total: { cost: 1 }, unexplained: 0.1 } as unknown as MoneyAnswer;
  const days = { user: undefined, from: "2026-02-01", to: undefined };
  const turns = (agent: string) => `/agents/${agent}/turns?since=2026-02-01&channel=scheduled`;
  const [digest, gone] = [
    {
      ...sums,
      key: "s1",
      name: "Digest",
      href: "/agents/ada/schedules?schedule=s1",
      turnsHref: turns("ada"),
      cost: 0.3,
    },
    { ...sums, key: " gone art", name: "Schedules whose runs are no longer kept", turnsHref: turns("art"), cost: 0.2 },
  ];
  const rest = [
    { key: " others", name: "Turns of no schedule", cost: 0.4 },
    {
      key: " In no turn that is kept: erased, second opinions, trials",
      name: "In no turn that is kept: erased, second opinions, trials",
      cost: 0.1,
    },
  ];
  expect(rowsOf("schedule", money, { agent: undefined, ...days })).toEqual([
    { ...digest, agent: "ada" },
    { ...gone, agent: "art" },
    ...rest,
  ]);
  expect(rowsOf("schedule", money, { agent: "ada", ...days })).toEqual([digest, gone, ...rest]);
});
