import { expect, test } from "vitest";
import { sentOf } from "../../test/stage/sample-of.ts";
import { billRows, longest } from "./bill.ts";
import type { SampleStep } from "./sample.ts";

const step: SampleStep = {
  step: 1,
  at: "2026-02-18T12:00:00.000Z",
  predicted: { read: 0, written: 0, fresh: 60 },
  usage: { input: 70, read: 50, written: 0, output: 3 },
  cost: null,
  total: 60,
  tools: 20,
  toolsBilled: { read: 23, written: 0, fresh: 0 },
  history: { tokens: 10, messages: 3, billed: { read: 11, written: 0, fresh: 0 } },
  sections: [
    sentOf("rules", 20, { billed: { read: 16, written: 0, fresh: 7 }, predicted: { read: 0, written: 0, fresh: 20 } }),
    sentOf("notes", 5, { slot: "update", revision: 2, mutability: "amendable", cut: true }),
    sentOf("clock", 5, { slot: "state", mutability: "live" }),
  ],
  count: { counted: 60, tokenizer: null, billed: 70, says: null },
  broke: null,
  missed: false,
  cache: null,
  erased: false,
};

test("a step's bill is in the order the receiver reads it, the whole request last", () => {
  const rows = billRows(step);
  expect(rows.map(({ what, tone, slot, tokens }) => [what, tone, slot, tokens])).toEqual([
    ["Tools that were offered", "plain", undefined, 20],
    ["rules", "fixed", "system", 20],
    ["History, 3 messages", "plain", undefined, 10],
    ["notes", "amendable", "update", 5],
    ["clock", "live", "state", 5],
    ["The whole request", "plain", undefined, 60],
  ]);
  expect(rows.at(-1)).toMatchObject({ predicted: { fresh: 60 }, billed: { read: 50, fresh: 20 } });
  expect(longest(rows.slice(0, -1))).toBe(23);
});

test("nothing is billed where the provider counted nothing, and without tools and history they have no line", () => {
  const rows = billRows({ ...step, usage: null, tools: 0, history: null, sections: [] });
  expect(rows.map(({ what, billed }) => [what, billed])).toEqual([["The whole request", null]]);
  expect(longest([])).toBe(1);
});
