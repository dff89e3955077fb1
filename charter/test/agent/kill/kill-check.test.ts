import { expect, test } from "vitest";
import type { Turn } from "../../../src/store/index.ts";
import { callsOf, replyTo } from "./kill-agent.ts";
import { findTurnFaults } from "./kill-check.ts";

test("what would be lost or doubled is noticed", () => {
  const turn = { id: "t", input: "it", state: "answered", reply: replyTo("it") } as Turn;
  const ids = callsOf("it").flat();
  const calls = ids.map((id) => ({ id, name: "write_down", input: "{}" }));
  const results = new Map(ids.map((call) => [call, { call, name: "write_down", output: "Written." }]));
  const effects = ids.map((call) => ({ did: "wrote" as const, turn: "t", call }));
  const whole = { turn, calls, results };
  const without = <Value>(list: readonly Value[]) => list.slice(0, -1);
  const faults = [
    findTurnFaults(whole, effects),
    findTurnFaults(whole, [...effects, ...effects.slice(0, 1)]),
    findTurnFaults(whole, without(effects)),
    findTurnFaults({ ...whole, turn: { ...turn, state: "interrupted" }, calls: without(calls) }, effects),
    findTurnFaults({ ...whole, results: new Map(without([...results])) }, effects),
    findTurnFaults({ ...whole, turn: { ...turn, reply: "All of it" } }, effects),
    findTurnFaults({ ...whole, turn: { ...turn, state: "running" } }, effects),
  ];
  expect(faults).toEqual([
    [],
    ["the effect of it/write happened 2 times: t (answered)"],
    ["it/again has a result and no effect: t (answered)"],
    ["it/again had an effect and no intent: t (interrupted)"],
    ["a call of it has no result: t (answered)"],
    ["its reply is “All of it”: t (answered)"],
    ["nobody works on it, and it counts as running: t (running)"],
  ]);
});
