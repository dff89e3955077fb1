import { expect, test } from "vitest";
import { bounded } from "./section-costs.ts";

const turn = (id: string) => ({ id, agent: "ada", channel: null, micros: 1, read: 0 });

const rows: [what: string, steps: readonly number[], looked: readonly string[]][] = [
  ["2,000 requests", [1_000, 999, 1], ["t0", "t1", "t2"]],
  ["one more", [1_000, 999, 2], ["t0", "t1"]],
  ["older turns, however small, once there are too many", [1_999, 2, 0, 1], ["t0"]],
  ["the newest turn in any case", [5_000, 0], ["t0"]],
  ["turns without a request", [0, 0], ["t0", "t1"]],
];
for (const [what, steps, looked] of rows)
  test(`receipts are read of the newest turns: ${what}`, () => {
    const turns = steps.map((_, index) => turn(`t${index}`));
    const counts = new Map(steps.map((count, index) => [`t${index}`, count]));
    expect(bounded(turns, counts).map(({ id }) => id)).toEqual(looked);
  });
