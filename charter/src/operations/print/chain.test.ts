import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import type { AutomatonStatus } from "../../channels/automaton/automaton-status.ts";
import type { ChainStatus } from "../../channels/chain/chain-status.ts";
import { startText, statusLines } from "./automaton.ts";
import { pairs } from "./columns.ts";

const now = new Date("2026-02-18T15:04:00.000Z");
const chain: ChainStatus = {
  ...{ chain: 8453, contract: "0xc0", address: "0xa9", block: 88, head: 99, lag: 11, unconfirmed: 1 },
  ...{ readAt: "2026-02-18T15:03:50.000Z", problem: "no address answers.", feesToday: "0.001" },
  replies: { waiting: 1, signed: 0, sent: 2, mined: 1, final: 3, held: 1, failed: 1 },
  held: [{ reply: "r1", message: "m1", to: "0xb0", reason: "It would cost too much." }],
  failed: [{ reply: "r2", message: "m2", to: "0xb0", reason: "It is too long." }],
  ...{ stuck: [], key: "file", sends: true, maxFeePerReply: "0.001", maxFeePerDay: "0.02" },
  balances: [
    { asset: "ETH", symbol: "ETH", amount: "1.5", block: 88, readAt: "2026-02-18T15:03:50.000Z", stale: false },
    { asset: "0x70ce", symbol: "USDC", amount: "2.5", block: 88, readAt: "2026-02-18T14:49:00.000Z", stale: true },
  ],
};
const status: AutomatonStatus<ChainStatus> = {
  ...{ agent: "sol", state: "Idle", stateAt: "2026-02-18T15:00:00.000Z", turn: null, tier: "Normal", frozen: null },
  ...{ asleepUntil: null, turns: 7, ownTurnAt: null, nextOwnTurnAt: null, runner: "host:1" },
  balances: {
    ...{ granted: 5_000_000, spent: 1_000_000, balance: 4_000_000, unknown: null, reserve: 0, need: 0 },
    ...{ burnPerHour: null, runwayHours: null },
  },
  ...{ away: null, waiting: 2, dead: 0, transitions: [], chain },
};

test("the status of an agent with a chain, as it is printed", () => {
  expect(statusLines(status, now)).toEqual([
    "agent        sol",
    "state        Idle, since 2026-02-18 15:00:00 UTC",
    "tier         Normal",
    "balance      $4.00: $5.00 granted, $1.00 spent",
    "need         unknown: no turn has cost anything yet",
    "burn         unknown",
    "runway       unknown",
    "waiting      2 messages",
    "dead         0 messages",
    "asleep       no",
    "in charge    host:1",
    "own turn     none was taken yet",
    "turns        7",
    "chain        8453, contract 0xc0",
    "read to      block 88, 11 blocks behind 99, at 2026-02-18 15:03:50 UTC",
    "unconfirmed  1 message",
    "replies      3 final, 1 not confirmed yet, 2 sent, 1 waiting, 1 held, 1 failed",
    "key          in its file",
    "fees today   0.001 ETH of at most 0.02; 0.001 a reply",
    "has          1.5 ETH, read less than a minute ago",
    "has          2.5 USDC, read 15 minutes ago: stale",
    "held         m1: It would cost too much.",
    "failed       m2: It is too long.",
    "trouble      no address answers.",
  ]);
});

test("without settings, and before anything was read, what is not known is said not to be", () => {
  const unknown = { ...chain, block: null, readAt: null, problem: null, sends: null, key: null, maxFeePerDay: null };
  const bare = { ...unknown, held: [], failed: [], balances: [] };
  expect(statusLines({ ...status, chain: bare }, now).slice(13)).toEqual([
    "chain        8453, contract 0xc0",
    "read to      nothing yet",
    "unconfirmed  1 message",
    "replies      3 final, 1 not confirmed yet, 2 sent, 1 waiting, 1 held, 1 failed",
    "key          not known: no settings here name this chain",
    "fees today   0.001 ETH",
  ]);
});

const known = {
  id: 8453,
  rpc: ["https://a.example/v2/key", "http://127.0.0.1:8545"],
  sends: true,
  key: "file",
} as const;
const where = "sol is on chain 8453, at a.example, 127.0.0.1:8545; replies are";

test.for([
  ["all is well", known, [], `${where} sent`],
  ["no key", { ...known, sends: false, key: null }, [], `${where} kept, not sent: no key is named`],
  ["they are polled", { ...known, sends: false }, [], `${where} kept, not sent`],
  ["one is away", known, ["a.example: away."], `${where} sent. a.example: away. The others are asked`],
  [
    "all are",
    known,
    ["a: away.", "b: away."],
    `${where} sent. a: away. b: away. It is tried again by itself; until then nothing is read`,
  ],
] as const)("an agent's chain at the start: %s", ([, chain, trouble, told]) => {
  expect(startText("sol", chain, trouble)).toBe(told);
});

test("at the edge of a terminal a value goes on under itself, and in a pipe it does not", () => {
  const rows = [
    ["own turn", "the last began at noon; the next is due later"],
    ["dead", "0"],
  ] as const;
  expect(pairs(rows, { columns: 40 })).toEqual([`own turn  ${rows[0][1]}`, "dead      0"]);
  const plain = pairs(rows, { isTTY: true, columns: 40 }).map(stripVTControlCharacters);
  expect(plain).toEqual(["own turn  the last began at noon; the", "          next is due later", "dead      0"]);
});

test("when its next turn is due is said where it is known, and never guessed", () => {
  const own = (more: Partial<typeof status>) =>
    statusLines({ ...status, ...more }, now).find((line) => line.startsWith("own turn"));
  const ownTurnAt = "2026-02-18T15:00:00.000Z";
  expect([own({ ownTurnAt }), own({ ownTurnAt, nextOwnTurnAt: "2026-02-18T16:00:00.000Z" })]).toEqual([
    "own turn     the last began 2026-02-18 15:00:00 UTC",
    "own turn     the last began 2026-02-18 15:00:00 UTC; the next is due 2026-02-18 16:00:00 UTC",
  ]);
});
