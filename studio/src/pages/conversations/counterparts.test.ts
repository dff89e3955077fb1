import { expect, test } from "vitest";
import { counterpartsOf } from "./counterparts.ts";

const turn = (user: string | undefined, startedAt: string, input: string, channel: string | null = "web") => ({
  scope: { agent: "ada", ...(user === undefined ? {} : { user }) },
  channel,
  input,
  startedAt,
});

test("users by their turns, with the channels they used, the latest first", () => {
  const turns = [
    turn("bo", "2026-03-03", "Third.", "telegram"),
    turn("olga", "2026-03-02", "Hello!"),
    turn("bo", "2026-03-01", "First."),
  ];
  expect(counterpartsOf(turns, [])).toEqual([
    { key: "bo", channels: ["telegram", "web"], turns: 2, letters: 0, lastAt: "2026-03-03", last: "Third." },
    { key: "olga", channels: ["web"], turns: 1, letters: 0, lastAt: "2026-03-02", last: "Hello!" },
  ]);
});

test("a sender of letters is one counterpart with the turns that answered them", () => {
  const letters = [
    { counterpart: "0xabc", exchanges: 2, lastAt: "2026-03-04" },
    { counterpart: "shop/bo", exchanges: 3, lastAt: "2026-03-01" },
  ];
  const turns = [turn("counterpart:shop/bo", "2026-03-02", "A message came.", "automaton")];
  expect(counterpartsOf(turns, letters)).toEqual([
    { key: "counterpart:0xabc", channels: [], turns: 0, letters: 2, lastAt: "2026-03-04", last: undefined },
    {
      key: "counterpart:shop/bo",
      channels: ["automaton"],
      turns: 1,
      letters: 3,
      lastAt: "2026-03-02",
      last: undefined,
    },
  ]);
});

test("a sender of letters and a user of the same name are two", () => {
  const letters = [{ counterpart: "bo", exchanges: 3, lastAt: "2026-03-01" }];
  expect(counterpartsOf([turn("bo", "2026-03-02", "Hi.")], letters)).toEqual([
    { key: "bo", channels: ["web"], turns: 1, letters: 0, lastAt: "2026-03-02", last: "Hi." },
    { key: "counterpart:bo", channels: [], turns: 0, letters: 3, lastAt: "2026-03-01", last: undefined },
  ]);
});

test("what a schedule said is not what they said last", () => {
  const turns = [turn("bo", "2026-03-02", "Remind bo.", "scheduled"), turn("bo", "2026-03-01", "Remind me.")];
  expect(counterpartsOf(turns, [])).toEqual([
    { key: "bo", channels: ["scheduled", "web"], turns: 2, letters: 0, lastAt: "2026-03-02", last: "Remind me." },
  ]);
});

test("an agent's own turns have no counterpart", () => {
  expect(counterpartsOf([turn(undefined, "2026-03-02", "Wake up.", null)], [])).toEqual([]);
});
