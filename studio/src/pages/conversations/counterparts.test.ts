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
    { name: "bo", channels: ["telegram", "web"], turns: 2, letters: 0, lastAt: "2026-03-03", last: "Third." },
    { name: "olga", channels: ["web"], turns: 1, letters: 0, lastAt: "2026-03-02", last: "Hello!" },
  ]);
});

test("who writes letters and takes turns is one counterpart", () => {
  const letters = [
    { counterpart: "0xabc", exchanges: 2, lastAt: "2026-03-04" },
    { counterpart: "bo", exchanges: 3, lastAt: "2026-03-01" },
  ];
  expect(counterpartsOf([turn("bo", "2026-03-02", "Hi.")], letters)).toEqual([
    { name: "0xabc", channels: [], turns: 0, letters: 2, lastAt: "2026-03-04", last: undefined },
    { name: "bo", channels: ["web"], turns: 1, letters: 3, lastAt: "2026-03-02", last: "Hi." },
  ]);
});

test("what a schedule said is not what they said last", () => {
  const turns = [turn("bo", "2026-03-02", "Remind bo.", "scheduled"), turn("bo", "2026-03-01", "Remind me.")];
  expect(counterpartsOf(turns, [])).toEqual([
    { name: "bo", channels: ["scheduled", "web"], turns: 2, letters: 0, lastAt: "2026-03-02", last: "Remind me." },
  ]);
});

test("an agent's own turns have no counterpart", () => {
  expect(counterpartsOf([turn(undefined, "2026-03-02", "Wake up.", null)], [])).toEqual([]);
});
