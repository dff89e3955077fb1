import { expect, test } from "vitest";
import { balanceFacts, shownBalances } from "./ether.ts";

const now = new Date("2026-02-18T15:04:00.000Z");
const token = `0x${"70".repeat(20)}`;
const ether = {
  asset: "ETH",
  amount: "1500000000000000000",
  decimals: 18,
  symbol: "ETH",
  block: 7,
  readAt: "2026-02-18T15:03:30.000Z",
};
const coins = {
  asset: token,
  amount: "2500000",
  decimals: 6,
  symbol: "USDC",
  block: 7,
  readAt: "2026-02-18T14:53:59.999Z",
};

test("balances are shown in whole units; what was read more than ten minutes ago is stale", () => {
  expect(shownBalances([ether, coins], now)).toEqual([
    { asset: "ETH", symbol: "ETH", amount: "1.5", block: 7, readAt: ether.readAt, stale: false },
    { asset: token, symbol: "USDC", amount: "2.5", block: 7, readAt: coins.readAt, stale: true },
  ]);
  expect(shownBalances([{ ...ether, readAt: "2026-02-18T14:54:00.000Z" }], now)[0]?.stale).toBe(false);
});

test("the agent is told the amount, its age, and whether that is stale", () => {
  expect(balanceFacts([ether, coins], now)).toEqual({
    eth_balance: "1.5 ETH, read less than a minute ago",
    token_balance: "2.5 USDC, read 10 minutes ago: stale",
  });
});

test("of two chains the one that was read last; of none, nothing", () => {
  const before = { ...ether, amount: "1", readAt: "2026-02-18T15:00:00.000Z" };
  expect([balanceFacts([before, ether], now), balanceFacts([], now)]).toEqual([
    { eth_balance: "1.5 ETH, read less than a minute ago" },
    {},
  ]);
});

test("what nobody has read for a day is told to the agent no more: its chain may be gone from the settings", () => {
  const old = { ...ether, readAt: "2026-02-17T15:03:59.999Z" };
  expect([balanceFacts([old], now), shownBalances([old], now)[0]?.stale]).toEqual([{}, true]);
});
