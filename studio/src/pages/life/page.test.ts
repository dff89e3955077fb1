import { expect, test } from "vitest";
import { episodesOf } from "./page.tsx";

const change = (to: string, cause: string, turn: string | null, at: string, fault = false) => ({
  from: "Idle",
  to,
  cause,
  turn,
  at,
  fault,
});

test("the changes of one turn are one episode, by how it ended; others stand alone", () => {
  const transitions = [
    change("Idle", "turn-finished", "t2", "09:05"),
    change("Faulted", "tick is not foreseen in Inferring", "t2", "09:04", true),
    change("Inferring", "model-asked", "t2", "09:03"),
    change("LoadingContext", "turn-started", "t1", "09:02"),
    change("Idle", "tick", null, "09:01"),
    change("Sleeping", "asleep", null, "09:00"),
  ];
  expect(episodesOf(transitions)).toEqual([
    {
      turn: "t2",
      at: "09:05",
      cause: "turn-finished",
      states: ["Inferring", "Faulted", "Idle"],
      faults: ["tick is not foreseen in Inferring"],
    },
    { turn: "t1", at: "09:02", cause: "turn-started", states: ["LoadingContext"], faults: [] },
    { turn: null, at: "09:01", cause: "tick", states: ["Idle"], faults: [] },
    { turn: null, at: "09:00", cause: "asleep", states: ["Sleeping"], faults: [] },
  ]);
});
