import { code, count, id, name, oneOf, text, time } from "../home/column.ts";
import { table } from "../home/table.ts";

export const schedules = table(
  "schedules",
  { of: "user", key: ["id"], indexes: { schedules_due: "(next_at) where next_at is not null" } },
  {
    id: id(),
    title: text(),
    cron: code().nullable(),
    zone: name().nullable(),
    input: text(),
    channel: name(),
    nextAt: time().nullable(),
    lastAt: time().nullable(),
    endedAt: time().nullable(),
    leasedUntil: time().nullable().passing().hidden(),
    missed: code().usual("once"),
    overlap: code().usual("skip"),
    mostTries: count().usual(3),
    /** The zone its next time was worked out in, where it has none of its own: when the user's changes, the time moves. */
    nextZone: name().nullable(),
  },
);

/** One for each time a schedule was due: it ran, runs, will run, or says why it did not. */
export const runs = table(
  "runs",
  {
    of: "user",
    key: ["id"],
    unique: { runs_due: "(schedule, due_at)" },
    indexes: {
      runs_scope: "(agent, user_id, due_at)",
      runs_open: "(schedule, due_at) where ended_at is null",
    },
    keep: { when: "ended_at < {until}", size: "because" },
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
    nextTryAt: time().nullable(),
    runner: name().nullable().passing(),
    leasedUntil: time().nullable().passing().hidden(),
    turn: id().nullable(),
    because: text().nullable(),
    startedAt: time().nullable(),
    endedAt: time().nullable(),
  },
);
