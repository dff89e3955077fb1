import { expect, test } from "vitest";
import { obstaclesOf, sleepOf } from "./obstacles.tsx";

const now = Date.parse("2026-03-01T12:00:00Z");
const well = {
  state: "Idle",
  runner: "here:1",
  frozen: null,
  asleepUntil: null,
  tier: "Normal",
  away: null,
} as const;

test("nothing keeps one from its turns that runs, is awake and has enough", () => {
  expect(obstaclesOf(well, now)).toEqual([]);
  expect(obstaclesOf({ ...well, frozen: "amendments" }, now)).toEqual([]);
});

test("all that does is said at once", () => {
  const poor = { ...well, state: "Sleeping", runner: null, frozen: "agent", tier: "OutOfCycles" } as const;
  const away = { since: "2026-03-01T11:00:00Z", because: "model-busy: Too many requests (429)." };
  expect(obstaclesOf({ ...poor, away, asleepUntil: "2026-03-01T13:00:00Z" }, now)).toEqual([
    { kind: "no-process" },
    { kind: "frozen" },
    { kind: "asleep", until: "2026-03-01T13:00:00Z" },
    { kind: "tier", tier: "OutOfCycles" },
    { kind: "away", ...away },
  ]);
});

test("one that no process ever ran was never started, also if it was granted something", () => {
  expect(obstaclesOf({ ...well, state: null, runner: null }, now)).toEqual([{ kind: "never-started" }]);
  expect(obstaclesOf({ ...well, state: "Bootstrapping", runner: null }, now)).toEqual([{ kind: "never-started" }]);
  expect(obstaclesOf({ ...well, state: "Bootstrapping" }, now)).toEqual([]);
});

test("it sleeps until a time, until it is woken, or no longer", () => {
  expect(sleepOf({ asleepUntil: "2026-03-01T12:00:01Z" }, now)).toEqual({ until: "2026-03-01T12:00:01Z" });
  expect(sleepOf({ asleepUntil: "9999-12-31T23:59:59.999Z" }, now)).toEqual({ until: undefined });
  expect(sleepOf({ asleepUntil: "2026-03-01T12:00:00Z" }, now)).toBeNull();
  expect(sleepOf({ asleepUntil: null }, now)).toBeNull();
});
