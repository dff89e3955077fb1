import { code, count, id, json, name, time } from "../home/column.ts";
import { table } from "../home/table.ts";

/** Since when an agent's model has given no answer, and what was said of it last. */
export type ModelAway = {
  readonly since: string;
  readonly because: string;
  /** The turn that failed, while nothing else was asked since: whether its messages were at fault is not known yet. */
  readonly turn: string | null;
};

/** What an agent with a life of its own needs: its state and means. */
export const automata = table(
  "automata",
  { of: "agent", key: ["agent"], isByKey: true },
  {
    state: code(),
    stateAt: time(),
    /** The turn that brought it into that state. */
    turn: id().nullable(),
    tier: code(),
    /** Checks in a row that found it better off than its tier says. */
    goodChecks: count().usual(0),
    /** All it was granted, in millionths of a dollar; null: nothing ever. */
    granted: count().nullable(),
    /** What it had spent when it was first granted something. */
    spentBefore: count().usual(0).hidden(),
    asleepUntil: time().nullable(),
    /** When its last turn by itself began. */
    ownTurnAt: time().nullable(),
    /** Its model gave no answer when it was last asked; null: it did. */
    away: json<ModelAway>().nullable(),
    /** The process in charge of it (“host:pid”), and until when. */
    runner: name().nullable().passing(),
    leasedUntil: time().nullable().passing(),
    earnedOn: time().nullable().hidden(),
    earned: count().usual(0).hidden(),
  },
);

/** Of agents with a life of their own: what was ever spent, and how many turns there were. */
export const totals = table(
  "totals",
  {
    of: "agent",
    key: ["agent"],
    isByKey: true,
    // A user's turn counts among its agent's, and so does what it cost; of the agent's means it changes nothing.
    fence: { change: "agent = {agent}" },
    erase: { blank: "keep" },
  },
  { micros: count(), turns: count() },
);
