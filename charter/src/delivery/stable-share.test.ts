import { expect, test } from "vitest";
import type { Receipt } from "../prompt/receipt.ts";
import { stableShare } from "./bill.ts";
import type { CacheRules } from "./receiver.ts";

const prefix: CacheRules = { kind: "prefix", min: 1024, granularity: 128, ttlSeconds: 300 };
const marks = {
  kind: "breakpoint",
  min: 1024,
  maxBreakpoints: 4,
  implicit: false,
  lookback: 20,
  ttlSeconds: 300,
} as const;
const receipt = (system: number, messages: number) =>
  ({
    predicted: { read: 0, written: 0, fresh: system + messages },
    slots: [{ slot: "system", sections: [{ name: "law", tokens: system }] }],
    history: { messages: 1, tokens: messages },
  }) as unknown as Receipt;

test("a request is kept in whole steps, where a receiver caches by itself", () => {
  expect([
    stableShare(receipt(1536, 464), prefix),
    stableShare(receipt(1600, 0), prefix),
    stableShare(receipt(23, 1000), prefix),
    stableShare(receipt(0, 0), prefix),
    stableShare(receipt(1536, 464), marks),
    stableShare(receipt(1536, 464), { kind: "none" }),
    stableShare({ slots: [] } as unknown as Receipt, prefix),
  ]).toEqual([960, 960, 0, 0, undefined, undefined, undefined]);
});
