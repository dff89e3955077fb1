import { expect, test } from "vitest";
import { sampleOf } from "../../../test/stage/sample-of.ts";
import { ordersOf, ordersText } from "./billed.tsx";

const turn = (fresh: number, own: number, costs: readonly [number | null, number | null] = [null, null]) =>
  sampleOf("t", {
    usage: { input: fresh + 100, read: 100, written: 0, output: 1 },
    cost: costs[0],
    ownOrder: { read: 0, written: 0, fresh: own, cost: costs[1] },
  });

test("both orders are added up over the turns of which both are known", () => {
  const predicted = { read: 1, written: 1, fresh: 1 };
  const orders = ordersOf([turn(10, 30), sampleOf("t2", { predicted }), turn(20, 63)]);
  expect(orders).toMatchObject({ ours: [10, 30], own: [30, 93], unknown: 1, costs: undefined });
  expect(ordersText(orders)).toBe(
    "As delivered: 30 tokens billed as fresh or written in 2 turns; in the charter’s order it would have been 93: 3.1 ×.",
  );
});

test("where every price is known the dollars are told as well", () => {
  const orders = ordersOf([turn(1_000, 1_000, [0.25, 0.5])]);
  expect(ordersText(orders)).toBe(
    "As delivered: 1,000 tokens billed as fresh or written in 1 turn; in the charter’s order it would have been 1,000: the same. In dollars: $0.250 instead of $0.500.",
  );
});

const rows: [ours: number, own: number, times: string][] = [
  [0, 0, "the same"],
  [0, 5, "all of it saved"],
  [100, 90, "0.9 ×"],
  [100, 103, "1.03 ×"],
  [10, 1_234, "123 ×"],
];
for (const [ours, own, times] of rows)
  test(`${own} instead of ${ours} is ${times}`, () =>
    expect(ordersText(ordersOf([turn(ours, own)]))).toContain(`: ${times}.`));
