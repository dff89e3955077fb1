import { expect, test } from "vitest";
import { createStateChanges } from "./messages.ts";

const at = "2026-02-20T10:00:00.000Z";
const from = (state: string) => createStateChanges(state, () => new Date(at));

test("a turn's changes carry its id, what happened and when; where nothing changes, nothing is kept", () => {
  const changes = from("Idle");
  changes.note("tick");
  for (const event of ["turn-started", "context-loading", "model-asked", "turn-recorded", "turn-finished"] as const)
    changes.note(event, "t1");
  expect(changes.take()).toEqual([
    { from: "Idle", to: "LoadingContext", cause: "turn-started", turn: "t1", at },
    { from: "LoadingContext", to: "Inferring", cause: "model-asked", turn: "t1", at },
    { from: "Inferring", to: "Persisting", cause: "turn-recorded", turn: "t1", at },
    { from: "Persisting", to: "Idle", cause: "turn-finished", turn: "t1", at },
  ]);
  expect([changes.take(), changes.state()]).toEqual([[], "Idle"]);
});

test("an event that no row allows is a fault, once; the next look mends it", () => {
  const changes = from("Inferring");
  changes.note("tick", "t1");
  changes.note("turn-failed", "t1");
  changes.note("tick");
  expect(changes.take()).toEqual([
    { from: "Inferring", to: "Faulted", cause: "tick is not foreseen in Inferring", turn: "t1", at, fault: true },
    { from: "Faulted", to: "Idle", cause: "tick", turn: null, at },
  ]);
});

test("a rest names what it is for", () => {
  const changes = from("Bootstrapping");
  changes.note("rest", null, "frozen");
  changes.note("rest", null, "asleep");
  changes.note("tick");
  expect(changes.take()).toEqual([
    { from: "Bootstrapping", to: "Sleeping", cause: "frozen", turn: null, at },
    { from: "Sleeping", to: "Idle", cause: "tick", turn: null, at },
  ]);
});
