import { expect, test } from "vitest";
import type { Receiver } from "../delivery/receiver.ts";
import { answerLimit } from "./survival.ts";

type Asked = Pick<Receiver, "price" | "output" | "window">;
const price = { input: 3, read: 0.3, write: 3.75, output: 15 };
/** Costs 300 + 30 + 375 millionths: with 15 for each token of the answer. */
const predicted = { fresh: 100, read: 100, written: 100 };

const table: [what: string, left: number, receiver: Partial<Asked>, limit: number | undefined][] = [
  ["one that pays for all it may write is not limited", 705 + 15 * 1000, { output: 1000 }, undefined],
  ["one token less than it may write", 705 + 15 * 1000 - 1, { output: 1000 }, 999],
  ["one token", 705 + 15, { output: 1000 }, 1],
  ["less than a token", 705 + 14, { output: 1000 }, 0],
  ["not even the request", 704, { output: 1000 }, 0],
  ["where nobody knows how long an answer may be, the window is the most", 705 + 15 * 200_000, {}, undefined],
  ["below the window, no more than every model takes", 705 + 15 * 100_000, {}, 8192],
  ["and no more than is paid for", 705 + 15 * 8191, {}, 8191],
  ["without a window there is always a limit", 1e15, { window: null }, 8192],
  ["a model without a price", 1, { price: null }, undefined],
  ["a model whose answers cost nothing", 1, { price: { ...price, output: 0 } }, undefined],
];
for (const [what, left, receiver, limit] of table)
  test(`the longest answer: ${what}`, () => {
    expect(answerLimit(left, { price, window: 200_000, ...receiver }, predicted)).toBe(limit);
  });
