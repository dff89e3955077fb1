import { expect, test } from "vitest";
import { sampleOf, sentOf } from "../../../test/stage/sample-of.ts";
import type { Sample } from "../../billing/sample.ts";
import type { Ground } from "../../chart/plot.tsx";
import { outlines, shadesOf, spendingOf, sumOf } from "./tokens-chart.tsx";

const ground: Ground = {
  zoom: 1,
  column: 2,
  top: 0,
  bottom: 100,
  left: (index) => index * 2,
  middle: (index) => index * 2 + 1,
  y: (value) => 100 - value,
};

test("everything of one part that is billed alike is one outline, in all columns", () => {
  const columns = [
    [
      { read: 2, written: 0, fresh: 1 },
      { read: 0, written: 0, fresh: 3 },
    ],
    [
      { read: 4, written: 0, fresh: 0 },
      { read: 0, written: 0, fresh: 0 },
    ],
  ];
  expect(outlines(columns, ground)).toEqual([
    { part: 0, kind: "read", path: "M0 98h2v2h-2zM2 96h2v4h-2z" },
    { part: 0, kind: "fresh", path: "M0 97h2v1h-2z" },
    { part: 1, kind: "fresh", path: "M0 94h2v3h-2z" },
  ]);
});

type Share = Sample["shares"][number];

const share = (name: string, fresh: number, more: Partial<Share> = {}): Share => ({
  part: "section",
  name,
  mutability: "fixed",
  read: 0,
  written: 0,
  fresh,
  ...more,
});
const tools = share("", 5, { part: "tools", name: null, mutability: null });
const history = share("", 7, { part: "history", name: null, mutability: null, read: 3 });
const usage = { input: 30, read: 3, written: 0, output: 2 };

const turn = sampleOf("t1", {
  usage,
  cost: 0.5,
  sections: [
    sentOf("rules", 10),
    sentOf("notes", 8, { mutability: "amendable" }),
    sentOf("clock", 2, { slot: "state", mutability: "live" }),
  ],
  shares: [
    tools,
    share("rules", 10),
    share("notes", 8, { mutability: "amendable" }),
    share("clock", 2, { mutability: "live" }),
    history,
  ],
});

test("parts are piled up in the order the receiver reads them: tools, prefix, history, tail", () => {
  const { parts, turns } = spendingOf([turn]);
  expect(parts.map(({ kind, name, mutability }) => [kind, name, mutability])).toEqual([
    ["tools", "Tools offered", undefined],
    ["section", "rules", "fixed"],
    ["section", "notes", "amendable"],
    ["history", "History", undefined],
    ["section", "clock", "live"],
  ]);
  expect(turns[0]?.billings.map(({ read, fresh }) => [read, fresh])).toEqual([
    [0, 5],
    [0, 10],
    [0, 8],
    [3, 7],
    [0, 2],
  ]);
});

test("the smallest of many sections are told together", () => {
  const { parts, turns } = spendingOf([turn], 1);
  expect(parts.map(({ name }) => name)).toEqual(["Tools offered", "rules", "Other sections", "History"]);
  expect(turns[0]?.billings[2]).toEqual({ read: 0, written: 0, fresh: 10 });
});

test("one section too many is named rather than called others", () => {
  expect(spendingOf([turn], 2).parts.map(({ kind }) => kind)).not.toContain("rest");
});

const predicted = { read: 1, written: 1, fresh: 1 };

test("a turn nobody counted is what was predicted; one that failed so is nothing", () => {
  const { parts, turns } = spendingOf([sampleOf("t2", { predicted }), sampleOf("t3", { predicted, state: "failed" })]);
  expect(parts.map(({ kind }) => kind)).toEqual(["uncounted"]);
  expect(turns.map(({ billings }) => billings)).toEqual([[predicted], [{ read: 0, written: 0, fresh: 0 }]]);
});

test("all turns are added up, and those without a price are counted", () => {
  expect(sumOf([turn, sampleOf("t2", { predicted }), sampleOf("t3", { predicted, state: "failed" })])).toEqual({
    read: 4,
    written: 1,
    fresh: 28,
    turns: 3,
    output: 2,
    cost: 0.5,
    priced: 1,
    billed: 2,
  });
});

test("sections of one mutability have shades of one colour, and what is read is paler than what is fresh", () => {
  const { parts } = spendingOf([{ ...turn, shares: [share("rules", 10), share("more", 10), tools] }]);
  const shades = shadesOf(parts);
  expect(shades.map((shade) => [shade("fresh"), shade("read")])).toEqual([
    [
      "color-mix(in oklab, var(--color-soft) 100%, var(--color-card))",
      "color-mix(in oklab, var(--color-soft) 30%, var(--color-card))",
    ],
    [
      "color-mix(in oklab, var(--color-fixed) 100%, var(--color-card))",
      "color-mix(in oklab, var(--color-fixed) 30%, var(--color-card))",
    ],
    [
      "color-mix(in oklab, var(--color-fixed) 58%, var(--color-card))",
      "color-mix(in oklab, var(--color-fixed) 17%, var(--color-card))",
    ],
  ]);
});
