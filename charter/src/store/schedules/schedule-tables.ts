import { code, count, id, name, oneOf, text, time } from "../home/column.ts";
import { type RecordOf, table } from "../home/table.ts";

export const schedules = table(
  "schedules",
  { of: "user", key: ["id"], indexes: { schedules_due: "(next_at) where next_at is not null" } },
  {
    id: id(),
    title: text(),
    cron: code().nullable(),
    /** Its own time zone; without one, the user's current one applies. */
    zone: name().nullable(),
    input: text(),
    channel: name(),
    /** What happens to times at which no worker was running: the newest is made up for (`once`), or none is. */
    missed: oneOf("once", "skip").usual("once"),
    /** What happens to a time at which the run before is still going. */
    overlap: oneOf("skip", "queue").usual("skip"),
    /** How often a run is tried before it has failed. */
    maxTries: count().usual(3),
    nextAt: time().nullable(),
    /** The last time it was due. */
    lastAt: time().nullable(),
    endedAt: time().nullable(),
    /** The zone its next time was worked out in, where it has none of its own: when the user's changes, the time moves. */
    nextZone: name().nullable().hidden(),
  },
);

/** A turn that is run later: once, or repeatedly by a cron line. */
export type Schedule = RecordOf<typeof schedules>;

/** One for each time a schedule was due: it ran, runs, will run, or says why it did not. */
export const runs = table(
  "runs",
  {
    of: "user",
    key: ["id"],
    unique: { runs_due: "(schedule, due_at)" },
    indexes: {
      // Lists of runs.
      runs_scope: "(agent, user_id, due_at)",
      // Earlier runs of a schedule that are not over.
      runs_open: "(schedule, due_at) where state in ('waiting', 'running')",
      // What is due, the oldest first: each worker asks again and again.
      runs_waiting: "(due_at, id) where state in ('waiting', 'running')",
    },
    keep: { when: "ended_at < {until}", size: "reason" },
  },
  {
    id: id(),
    schedule: id().refers("schedules", "it was run"),
    dueAt: time(),
    /**
     * `waiting` and `running` are open; the others are final. `answered`: the reply is in its turn. `quiet`: there was
     * nothing to report. `missed`: no worker was running. `skipped`: the run before it was still going.
     */
    state: oneOf("waiting", "running", "answered", "quiet", "failed", "missed", "skipped"),
    tries: count(),
    /** When it is tried (again); `null` once it is over. */
    nextTryAt: time().nullable(),
    runner: name().nullable().passing(),
    leasedUntil: time().nullable().passing().hidden(),
    /** The turn of its last try. */
    turn: id().nullable(),
    /** Why it is in this state, if that needs an explanation. */
    reason: text().nullable(),
    startedAt: time().nullable(),
    endedAt: time().nullable(),
  },
);

/** One occurrence of a schedule, and what happened. */
export type Run = RecordOf<typeof runs>;
