import { describe, expect, test } from "vitest";
import { excesses, isBeyond, loopThere, type Spent, smoke } from "./budget.ts";

const file = "charter/test/some.test.ts";
const nothing: Spent = {
  processes: 0,
  databases: 0,
  windows: 0,
  runs: 0,
  cpu: { own: 0, children: 0, PostgreSQL: 0, Chromium: 0 },
};
const usualLoop = () => loopThere;

describe("a file of the first tier", () => {
  test("that stays within what it may take has no excess, and the loop is not run for it", () => {
    const most: Spent = { ...nothing, databases: 100, runs: 3_000, cpu: { ...nothing.cpu, own: 1, children: 1 } };
    const never = () => {
      throw new Error("The loop was run.");
    };
    expect(excesses(file, most, never)).toEqual([]);
  });

  test("that starts a process, opens a window or tries too many values is told each", () => {
    const spent = { ...nothing, processes: 1, windows: 2, databases: 101, runs: 10_000 };
    expect(excesses(file, spent, usualLoop)).toEqual([
      "processes 1 (at most 0)",
      "databases 101 (at most 100)",
      "windows 2 (at most 0)",
      "runs 10000 (at most 3000)",
    ]);
  });

  test("may start processes if it is the one story that does, so many and no more", () => {
    const started = (processes: number) => excesses(smoke.file, { ...nothing, processes }, usualLoop);
    expect([started(smoke.processes), started(smoke.processes + 1)]).toEqual([
      [],
      [`processes ${smoke.processes + 1} (at most ${smoke.processes})`],
    ]);
  });

  test("that takes more than four times its seconds is told, by whoever's seconds they are", () => {
    const taken = (own: number, children: number) =>
      excesses(file, { ...nothing, cpu: { ...nothing.cpu, own, children } }, usualLoop);
    expect([taken(4, 4), taken(4, 4.1)]).toEqual([[], ["seconds of processor time 8.1 (2 are meant)"]]);
  });
});

test("where the same loop takes three times as long, three times the seconds are allowed", () => {
  const [slow, usual] = [3 * loopThere, loopThere];
  expect([isBeyond(11.9, 2, slow), isBeyond(12.1, 2, slow), isBeyond(11.9, 2, usual)]).toEqual([false, true, true]);
});
