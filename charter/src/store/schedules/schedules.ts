import type { Scope } from "../../amend/amendment.ts";
import { requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import type { Reach } from "../home/database.ts";
import { type Page, pageOf } from "../home/page.ts";
import { reachOf } from "../home/reach.ts";
import { raw, sql } from "../home/sql.ts";
import { timeOf } from "../home/time.ts";
import { checkScope } from "../scope.ts";
import { checkNotErased } from "../turns/turn.ts";
import { createPlanning, type RunPlanner } from "./planning.ts";
import {
  findSchedule,
  type NewSchedule,
  type Schedule,
  type ScheduleRow,
  scheduleOf,
  unknownSchedule,
} from "./schedule.ts";

export type { NewSchedule, Schedule } from "./schedule.ts";

/** `store.schedules`: turns to be run later. */
export type Schedules = RunPlanner & {
  readonly add: (schedule: NewSchedule) => Promise<Schedule>;
  /** Those that are not over, the next one first. */
  readonly list: (about?: Page & { readonly agent?: string; readonly user?: string }) => Promise<Schedule[]>;
  readonly get: (id: string, reach?: Reach) => Promise<Schedule>;
  /** Ends it. Runs that are waiting are not made any more; those that are going are not stopped. */
  readonly cancel: (scope: Scope, id: string) => Promise<void>;
};

export function createSchedules(deps: StoreDeps): Schedules {
  const { home, now, newId } = deps;
  return {
    add: async ({ scope, title, input, nextAt, cron = null, zone = null, channel = "scheduled", ...more }) => {
      checkScope(scope);
      const { missed = "once", overlap = "skip", maxTries = 3, nextZone = null, turn } = more;
      const next = timeOf(nextAt);
      return home.write(scope, async (db) => {
        await checkNotErased(db, turn);
        await requireAgent(db, scope.agent);
        const id = newId();
        await db.run(sql`insert into schedules (id, agent, user_id, title, cron, zone, input, channel, next_at, missed,
            overlap, most_tries, next_zone)
          values (${id}, ${scope.agent}, ${scope.user ?? ""}, ${title}, ${cron}, ${zone}, ${input}, ${channel}, ${next},
            ${missed}, ${overlap}, ${maxTries}, ${nextZone})`);
        return findSchedule(db, id);
      });
    },
    list: ({ agent, user, ...page } = {}) =>
      home.read(reachOf(agent, user), async (db) => {
        const { limit, offset } = pageOf(page);
        const rows = await db.all<ScheduleRow>(sql`select * from schedules where ended_at is null
          ${agent === undefined ? raw("") : sql`and agent = ${agent}`}
          ${user === undefined ? raw("") : sql`and user_id = ${user}`}
          order by next_at, id limit ${limit} offset ${offset}`);
        return rows.map(scheduleOf);
      }),
    get: (id, reach = "everything") => home.read(reach, (db) => findSchedule(db, id, reach)),
    cancel: (scope, id) =>
      home.write(scope, async (db) => {
        const at = now();
        const { agent, user = "" } = scope;
        const gone = await db.run(sql`update schedules set ended_at = ${at}, next_at = ${null} where id = ${id}
          and agent = ${agent} and user_id = ${user} and ended_at is null`);
        const cancelled =
          await db.run(sql`update runs set state = 'skipped', because = ${"The schedule was cancelled."},
            next_try_at = ${null}, ended_at = ${at}
          where schedule = ${id} and agent = ${agent} and user_id = ${user} and state = 'waiting'`);
        if (gone + cancelled === 0) throw unknownSchedule(id);
      }),
    ...createPlanning(deps),
  };
}
