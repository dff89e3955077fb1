import { Problem } from "../prompt/problem.ts";

/** A time span, of which all that is given is added up. */
export type ClockStep = {
  readonly days?: number;
  readonly hours?: number;
  readonly minutes?: number;
  readonly seconds?: number;
  readonly milliseconds?: number;
};

/** A clock that stands still until the test moves it. It is a function, as `createAgent({ clock })` takes it. */
export type TestClock = (() => Date) & {
  /** Moves it on by so much, or back, where a number is negative. */
  readonly advance: (by: ClockStep) => void;
  /** Sets it to another time. */
  readonly set: (time: string | Date) => void;
};

/** A clock for tests: `testClock("2026-02-18T09:00:00Z")`. */
export function testClock(start: string | Date): TestClock {
  let now = instantOf(start);
  return Object.assign(() => new Date(now), {
    advance: (by: ClockStep) => {
      now += millisecondsOf(by);
    },
    set: (time: string | Date) => {
      now = instantOf(time);
    },
  });
}

const units = { days: 86_400_000, hours: 3_600_000, minutes: 60_000, seconds: 1000, milliseconds: 1 };

/** A clock that is told to move by something else must not stand still instead. */
function millisecondsOf(by: ClockStep): number {
  const steps = Object.entries(by).map(([unit, count]) => count * (units[unit as keyof ClockStep] ?? Number.NaN));
  const sum = steps.reduce((all, step) => all + step, 0);
  if (steps.length > 0 && Number.isFinite(sum)) return sum;
  const hint = "Give a time span, as in { minutes: 5 }.";
  throw new Problem("bad-time", `A clock cannot be moved by ${JSON.stringify(by)}.`, hint);
}

function instantOf(time: string | Date): number {
  const instant = new Date(time).getTime();
  // A time without its zone would be another one on another machine.
  const isClear = typeof time !== "string" || /^\d{4}-\d\d-\d\d$|(?:Z|[+-]\d\d:?\d\d)$/i.test(time);
  if (isClear && !Number.isNaN(instant)) return instant;
  throw new Problem("bad-time", `“${time}” is no time.`, "Give an ISO 8601 time, as in 2026-02-18T15:04:00Z.");
}
