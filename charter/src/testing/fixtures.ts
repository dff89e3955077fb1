import type { TurnOutcome } from "../agent/turn-interface.ts";
import { checkNames, isText } from "../prompt/argument.ts";
import { Problem } from "../prompt/problem.ts";
import type { Store } from "../store/store.ts";
import { failure, givenAs } from "./expectation.ts";

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

/** How a store in memory is opened. */
export type MemoryStoreOptions = {
  /** What time it is in the store; the computer's, unless said otherwise. Give the agent the same. */
  readonly clock?: () => Date;
};

/** A real store, in SQLite, in memory: nothing of it is faked, and nothing is left of it when it is closed. */
export async function memoryStore(options: MemoryStoreOptions = {}): Promise<Store> {
  checkNames<MemoryStoreOptions>("memoryStore", options, ["clock"]);
  const { clock } = options;
  // Loaded here, so that the rest of this door does without a database, as in a browser.
  const [{ createStore }, { sqlite }] = await Promise.all([
    import("../store/store.ts"),
    import("../store/home/sqlite/sqlite.ts"),
  ]);
  return createStore(sqlite(":memory:"), clock ? { now: clock } : {});
}

/** The reply of a turn; where there is none, the test fails and says why: `replyOf(await agent.runTurn({ input: "Hi" }))`. */
export function replyOf(outcome: Pick<TurnOutcome, "state" | "reply" | "problem">): string {
  const { state, reply, problem } = Object(outcome) as TurnOutcome;
  if (!isText(state))
    throw failure(
      `replyOf takes the outcome of a turn, and it was given ${givenAs(outcome)}: replyOf(await agent.runTurn({ input })).`,
      replyOf,
    );
  if (reply !== null) return reply;
  const why = problem ? `${problem.code}: ${problem.message}\n${problem.hint}` : `it is ${state}.`;
  throw failure(`The turn has no reply: ${why}`, replyOf);
}
