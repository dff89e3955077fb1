import type { Scope } from "../../amend/amendment.ts";
import { Problem } from "../../prompt/problem.ts";
import { requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import type { Reach } from "../home/database.ts";
import { insertInto, matching, type Page, pageOf, reachFilter, reachOf, recordOf } from "../home/query.ts";
import { sql, timeOf } from "../home/sql.ts";
import type { RowOf } from "../home/table.ts";
import { checkScope } from "../scope.ts";
import { checkNotErased } from "../turns/turn.ts";
import { discard } from "../work.ts";
import { runWork } from "./claims.ts";
import { createPlanning, type RunPlanner } from "./planning.ts";
import { type Schedule, schedules } from "./schedule-tables.ts";

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

/** `store.schedules`: turns to be run later. */
export type Schedules = RunPlanner & {
  readonly add: (schedule: NewSchedule) => Promise<Schedule>;
  /** Those that are not over, the next one first. */
  readonly list: (about?: Page & { readonly agent?: string; readonly user?: string }) => Promise<Schedule[]>;
  readonly get: (id: string, reach?: Reach) => Promise<Schedule>;
  /** Ends it. Runs that are waiting are not made any more; those that are going are not stopped. */
  readonly cancel: (scope: Scope, id: string) => Promise<void>;
};

type ScheduleRow = RowOf<typeof schedules>;

export function createSchedules(deps: StoreDeps): Schedules {
  const { home, now, newId } = deps;
  return {
    add: async ({ scope, nextAt, channel = "scheduled", turn, ...given }) => {
      checkScope(scope);
      const next = timeOf(nextAt);
      return home.write(scope, async (db) => {
        await checkNotErased(db, turn);
        await requireAgent(db, scope.agent);
        const row = await db.one<ScheduleRow>(
          sql`${insertInto(schedules, { ...given, id: newId(), scope, channel, nextAt: next })} returning *`,
        );
        return recordOf(schedules, row as ScheduleRow);
      });
    },
    list: ({ agent, user, ...page } = {}) =>
      home.read(reachOf(agent, user), async (db) => {
        const { limit, offset } = pageOf(page);
        const rows = await db.all<ScheduleRow>(sql`select * from schedules
          where ${matching({ ended_at: null, agent, user_id: user })} order by next_at, id limit ${limit} offset ${offset}`);
        return rows.map((row) => recordOf(schedules, row));
      }),
    get: (id, reach = "everything") =>
      home.read(reach, async (db) => {
        const row = await db.one<ScheduleRow>(sql`select * from schedules where id = ${id}${reachFilter(reach)}`);
        if (!row) throw unknownSchedule(id);
        return recordOf(schedules, row);
      }),
    cancel: (scope, id) =>
      home.write(scope, async (db) => {
        const at = now();
        const own = { agent: scope.agent, user_id: scope.user ?? "" };
        const gone = await db.run(sql`update schedules set ended_at = ${at}, next_at = ${null}
          where ${matching({ id, ...own, ended_at: null })}`);
        const waiting = matching({ schedule: id, ...own, state: "waiting" });
        const cancelled = await discard(db, runWork, waiting, { reason: "The schedule was cancelled.", ended_at: at });
        if (gone + cancelled.length === 0) throw unknownSchedule(id);
      }),
    ...createPlanning(deps),
  };
}

function unknownSchedule(id: string): Problem {
  return new Problem("unknown-schedule", `There is no schedule “${id}” here.`, "Check the id.");
}
