import type { Scope } from "../../amend/amendment.ts";
import { Problem } from "../../prompt/problem.ts";
import { scopeOf } from "../event.ts";
import type { Database, Reach } from "../home/database.ts";
import { reachFilter } from "../home/reach.ts";
import { sql } from "../home/sql.ts";

/** A turn that is run later: once, or repeatedly by a cron line. */
export type Schedule = {
  readonly id: string;
  readonly scope: Scope;
  readonly title: string;
  readonly cron: string | null;
  /** Its own time zone; without one, the user's current one applies. */
  readonly zone: string | null;
  readonly input: string;
  readonly channel: string;
  /** What happens to times at which no worker was running: the newest is made up for (`once`), or none is. */
  readonly missed: "once" | "skip";
  /** What happens to a time at which the run before is still going. */
  readonly overlap: "skip" | "queue";
  /** How often a run is tried before it has failed. */
  readonly maxTries: number;
  readonly nextAt: string | null;
  /** The last time it was due. */
  readonly lastAt: string | null;
  readonly endedAt: string | null;
};

/** A schedule to be stored. `createSchedule` in `charter/channels` checks one and computes `nextAt`. */
export type NewSchedule = Pick<Schedule, "scope" | "title" | "input"> &
  Partial<Pick<Schedule, "missed" | "overlap" | "maxTries" | "channel">> & {
    readonly nextAt: string;
    readonly cron?: string;
    readonly zone?: string;
    /** The turn that asked for it. */
    readonly turn?: string | undefined;
    /** The zone `nextAt` was computed in, if the schedule has none of its own. */
    readonly nextZone?: string;
  };

export type ScheduleRow = {
  id: string;
  agent: string;
  user_id: string;
  title: string;
  cron: string | null;
  zone: string | null;
  input: string;
  channel: string;
  next_at: string | null;
  last_at: string | null;
  ended_at: string | null;
  missed: Schedule["missed"];
  overlap: Schedule["overlap"];
  most_tries: number;
  next_zone: string | null;
};

export function scheduleOf(row: ScheduleRow): Schedule {
  const { id, title, cron, zone, input, channel, missed, overlap } = row;
  const policy = { missed, overlap, maxTries: row.most_tries };
  const times = { nextAt: row.next_at, lastAt: row.last_at, endedAt: row.ended_at };
  return { id, scope: scopeOf(row), title, cron, zone, input, channel, ...policy, ...times };
}

export function unknownSchedule(id: string): Problem {
  return new Problem("unknown-schedule", `There is no schedule “${id}” here.`, "Check the id.");
}

export async function findSchedule(db: Database, id: string, reach: Reach = "everything"): Promise<Schedule> {
  const row = await db.one<ScheduleRow>(sql`select * from schedules where id = ${id}${reachFilter(reach)}`);
  if (row) return scheduleOf(row);
  throw unknownSchedule(id);
}
