import type { Scope } from "../../amend/amendment.ts";
import { Problem } from "../../prompt/problem.ts";
import { requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent } from "../event.ts";
import type { Database, Reach } from "../home/database.ts";
import { insertInto, matching, type Page, pageOf, reachFilter, reachOf, recordOf } from "../home/query.ts";
import { joinQueries, listOf, type Query, sql, timeOf } from "../home/sql.ts";
import type { RowOf } from "../home/table.ts";
import { checkScope } from "../scope.ts";
import { checkNotErased } from "../turns/turn.ts";
import { discard, isOpen } from "../work.ts";
import { type Run, runs, runWork, type Schedule, schedules } from "./runs.ts";

/** A schedule to be stored. `createSchedule` in `charter/channels` checks one and computes `nextAt`. */
export type NewSchedule = Pick<Schedule, "scope" | "title" | "input"> &
  Partial<Pick<Schedule, "missed" | "overlap" | "maxTries" | "channel" | "operator" | "tainted">> & {
    readonly nextAt: string;
    readonly cron?: string;
    readonly zone?: string;
    /** Turn that asked for it. */
    readonly turn?: string | undefined;
    /** Time zone that `nextAt` was computed in, if the schedule has none of its own. */
    readonly nextZone?: string;
  };

/** `store.schedules`: turns to be run later. */
export type Schedules = RunPlanner & {
  readonly add: (schedule: NewSchedule) => Promise<Schedule>;
  /** Lists the schedules that have not ended, the next one first. */
  readonly list: (about?: Page & { readonly agent?: string; readonly user?: string }) => Promise<Schedule[]>;
  readonly get: (id: string, reach?: Reach) => Promise<Schedule>;
  /** Ends a schedule. Runs that wait are dropped; those that are going are not stopped. */
  readonly cancel: (scope: Scope, id: string) => Promise<void>;
};

type ScheduleRow = RowOf<typeof schedules>;

export function createSchedules(deps: StoreDeps): Schedules {
  const { home, now, newId } = deps;
  return {
    add: async ({ scope, nextAt, channel = "scheduled", turn, operator = false, tainted = false, ...given }) => {
      checkScope(scope);
      const whose = scope.user === undefined ? { operator } : {};
      const next = timeOf(nextAt);
      return home.write(scope, async (db) => {
        await checkNotErased(db, turn);
        await requireAgent(db, scope.agent);
        const row = await db.one<ScheduleRow>(
          sql`${insertInto(schedules, { ...given, ...whose, tainted, id: newId(), scope, channel, nextAt: next })} returning *`,
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
        const ended = await db.run(sql`update schedules set ended_at = ${at}, next_at = ${null}
          where ${matching({ id, ...own, ended_at: null })}`);
        const waiting = matching({ schedule: id, ...own, state: "waiting" });
        const cancelled = await discard(db, runWork, waiting, { reason: "The schedule was cancelled.", ended_at: at });
        if (ended + cancelled.length === 0) throw unknownSchedule(id);
      }),
    ...createPlanning(deps),
  };
}

function unknownSchedule(id: string): Problem {
  return new Problem("unknown-schedule", `There is no schedule “${id}” here.`, "Check the id.");
}

/** Plan for a schedule that is due: the runs to make, and when it is due next. */
export type SchedulePlan = {
  /** Runs in the order of their times. */
  readonly runs: readonly PlannedRun[];
  /** Shows that more times were missed before those, too many to store one by one. */
  readonly unlisted?: boolean;
  /** Next time; `null` if the schedule has ended. */
  readonly nextAt: string | null;
};

/** A run to be made, or a time that was missed or skipped. */
export type PlannedRun = Pick<Run, "dueAt"> & {
  readonly state: "waiting" | "missed" | "skipped";
  readonly reason?: string;
};

/** Facts that a planner needs besides the schedule: its time zone, and since when a run of it is open. */
export type SchedulePlanContext = { readonly zone: string; readonly openSince: string | null; readonly now: string };

/** Plans a schedule that is due. It must be pure: it may be called again with the same schedule. */
export type SchedulePlanner = (schedule: Schedule, about: SchedulePlanContext) => SchedulePlan;

/** Returns when a cron line comes next in a time zone, after a given time: `nextTime` in `charter/channels`. */
export type NextTime = (asked: {
  readonly cron: string;
  readonly zone: string;
  readonly after: string;
}) => string | null;

/** The part of `store.schedules` that workers use. `createScheduler` in `charter/channels` does all of it. */
export type RunPlanner = {
  /**
   * Plans the schedules that are due: stores their runs and sets their next time, all or nothing, each by one worker. Returns how
   * many. `zone`: for users and agents without one.
   */
  readonly plan: (
    plan: SchedulePlanner,
    about?: { readonly limit?: number; readonly zone?: string },
  ) => Promise<number>;
  /** Recomputes the next time of schedules whose user has changed the time zone; returns how many. */
  readonly followZones: (next: NextTime, about?: { readonly user?: string; readonly zone?: string }) => Promise<number>;
};

type Zoned = RowOf<typeof schedules> & { its_zone: string };

function createPlanning({ home, now, newId }: Pick<StoreDeps, "home" | "now" | "newId">): RunPlanner {
  return {
    plan: async (plan, { limit = 100, zone = "UTC" } = {}) => {
      const due = (at: string) => sql`next_at is not null and next_at <= ${at}`;
      // A read first: usually nothing is due, and a write would keep others waiting.
      const some = await home.read("everything", (db) =>
        db.one(sql`select 1 as there from schedules where ${due(now())} limit 1`),
      );
      if (!some) return 0;
      return home.write("everything", async (db) => {
        const at = now();
        const rows = await db.all<Zoned>(sql`select s.*, coalesce(s.zone, ${await usersZone(db, zone)}) as its_zone
          from schedules s where ${due(at)} order by next_at, id limit ${limit}${db.dialect.skipLocked}`);
        const open = await openSince(db, rows);
        for (const row of rows) {
          const schedule = recordOf(schedules, row);
          const planned = plan(schedule, { zone: row.its_zone, openSince: open.get(row.id) ?? null, now: at });
          await recordPlan(db, at, schedule, planned, { newId, zone: row.its_zone });
        }
        return rows.length;
      });
    },
    followZones: async (next, { user, zone = "UTC" } = {}) => {
      const moved = async (db: Database, at: string) => {
        const userZone = await usersZone(db, zone);
        return db.all<Zoned>(sql`select s.*, ${userZone} as its_zone from schedules s
          where cron is not null and ${matching({ zone: null, user_id: user })} and next_at > ${at}
            and next_zone is distinct from ${userZone} order by id limit 500`);
      };
      const some = await home.read("everything", (db) => moved(db, now()));
      if (some.length === 0) return 0;
      return home.write("everything", async (db) => {
        const at = now();
        let count = 0;
        for (const { id, cron, its_zone, next_at } of await moved(db, at)) {
          const nextAt = timeOr(next_at, () => next({ cron: cron as string, zone: its_zone, after: at }));
          // A schedule that was planned meanwhile is in its new zone already.
          count += await db.run(sql`update schedules set next_at = ${nextAt}, next_zone = ${its_zone},
            ended_at = ${nextAt === null ? at : null} where id = ${id} and next_at = ${next_at}`);
        }
        return count;
      });
    },
  };
}

/**
 * Computes a time, and keeps the old one if the cron line is invalid: the schedule then reports it when it is due, and others are
 * moved all the same.
 */
function timeOr(stays: string | null, next: () => string | null): string | null {
  try {
    return next();
  } catch {
    return stays;
  }
}

/** Returns the time zone of a schedule's user: their own, else the agent's, else the default. */
async function usersZone(db: Database, usual: string): Promise<Query> {
  const agents = await db.all<{ name: string; settings: string }>(
    sql`select name, settings from agents where settings like '%"zone"%'`,
  );
  const zones = agents.flatMap(({ name, settings }) => {
    const { zone } = JSON.parse(settings);
    return typeof zone === "string" ? [sql`when ${name} then ${zone}`] : [];
  });
  const otherwise = zones.length === 0 ? sql`${usual}` : sql`case s.agent ${joinQueries(zones, " ")} else ${usual} end`;
  return sql`coalesce((select u.zone from users u where u.id = s.user_id), ${otherwise})`;
}

async function openSince(db: Database, rows: readonly Zoned[]): Promise<Map<string, string>> {
  const openRuns = await db.all<{
    schedule: string;
    due_at: string;
  }>(sql`select schedule, min(due_at) as due_at from runs
    where ${isOpen(runWork)} and schedule in ${listOf(rows.map(({ id }) => id))} group by schedule`);
  return new Map(openRuns.map(({ schedule, due_at }) => [schedule, due_at]));
}

async function recordPlan(
  db: Database,
  at: string,
  schedule: Schedule,
  { runs: planned, unlisted = false, nextAt }: SchedulePlan,
  { newId, zone }: Pick<StoreDeps, "newId"> & { readonly zone: string },
): Promise<void> {
  const { id, scope } = schedule;
  for (const run of planned) {
    const when = run.state === "waiting" ? { nextTryAt: at } : { endedAt: at };
    const given = { ...run, ...when, id: newId(), scope, schedule: id, tries: 0 };
    await db.run(sql`${insertInto(runs, given)} on conflict (schedule, due_at) do nothing`);
  }
  const last = planned.at(-1)?.dueAt ?? schedule.nextAt;
  await db.run(sql`update schedules set last_at = ${last}, next_at = ${nextAt},
    next_zone = ${schedule.cron === null ? null : zone}, ended_at = ${nextAt === null ? at : null} where id = ${id}`);
  for (const state of ["missed", "skipped"] as const) {
    const times = planned.filter((run) => run.state === state).map(({ dueAt }) => dueAt);
    if (times.length === 0) continue;
    const more = unlisted && state === "missed" ? { andBefore: true } : {};
    const detail = { schedule: id, count: times.length, from: times[0], to: times.at(-1), ...more };
    recordEvent(db, at, { scope, kind: `run-${state}`, detail });
  }
}
