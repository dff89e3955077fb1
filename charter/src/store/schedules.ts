import type { Scope } from "../amend/amendment.ts";
import { Problem } from "../prompt/problem.ts";
import { agentNamed } from "./agents.ts";
import { scopeOf } from "./event.ts";
import type { Database } from "./home/database.ts";
import { type Page, pageOf } from "./home/page.ts";
import { reachOf } from "./home/reach.ts";
import { listOf, raw, sql } from "./home/sql.ts";
import { timeOf } from "./home/time.ts";
import type { Parts } from "./parts.ts";
import { checkScope } from "./scope.ts";

/** A turn that comes by itself: once, or again by a cron line. When the next one is, whoever runs it works out. */
export type Schedule = {
  readonly id: string;
  readonly scope: Scope;
  readonly title: string;
  readonly cron: string | null;
  readonly zone: string | null;
  readonly input: string;
  readonly channel: string;
  readonly nextAt: string | null;
  readonly lastAt: string | null;
  readonly endedAt: string | null;
};

export type NewSchedule = Pick<Schedule, "scope" | "title" | "input"> & {
  readonly nextAt: string;
  readonly cron?: string;
  readonly zone?: string;
  readonly channel?: string;
};

export type Schedules = {
  readonly add: (schedule: NewSchedule) => Promise<Schedule>;
  readonly list: (about?: Page & { agent?: string; user?: string }) => Promise<Schedule[]>;
  readonly cancel: (scope: Scope, id: string) => Promise<void>;
  /** Those whose time has come. Each is one process's until it says `ran`, or its lease is over. */
  readonly due: (about?: { limit?: number; leaseMs?: number }) => Promise<Schedule[]>;
  /** It ran; without a next time it is over. */
  readonly ran: (id: string, nextAt: string | null) => Promise<void>;
};

type ScheduleRow = {
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
};

function scheduleOf(row: ScheduleRow): Schedule {
  const { id, title, cron, zone, input, channel, next_at, last_at, ended_at } = row;
  const times = { nextAt: next_at, lastAt: last_at, endedAt: ended_at };
  return { id, scope: scopeOf(row), title, cron, zone, input, channel, ...times };
}

export function createSchedules({ home, now, newId }: Parts): Schedules {
  const find = async (db: Database, id: string) =>
    scheduleOf((await db.one<ScheduleRow>(sql`select * from schedules where id = ${id}`)) as ScheduleRow);
  return {
    add: async ({ scope, title, input, nextAt, cron = null, zone = null, channel = "scheduled" }) => {
      checkScope(scope);
      const next = timeOf(nextAt);
      return home.write(scope, async (db) => {
        await agentNamed(db, scope.agent);
        const id = newId();
        await db.run(sql`insert into schedules (id, agent, user_id, title, cron, zone, input, channel, next_at)
          values (${id}, ${scope.agent}, ${scope.user ?? ""}, ${title}, ${cron}, ${zone}, ${input}, ${channel}, ${next})`);
        return find(db, id);
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
    cancel: async (scope, id) => {
      const gone = await home.write(scope, (db) =>
        db.run(sql`update schedules set ended_at = ${now()}, next_at = ${null} where id = ${id}
          and agent = ${scope.agent} and user_id = ${scope.user ?? ""} and ended_at is null`),
      );
      if (gone === 0) throw new Problem("unknown-schedule", `There is no schedule “${id}” here.`, "Check the id.");
    },
    due: ({ limit = 20, leaseMs = 300_000 } = {}) =>
      home.write("everything", async (db) => {
        const at = now();
        const until = new Date(Date.parse(at) + leaseMs).toISOString();
        const rows =
          await db.all<ScheduleRow>(sql`select * from schedules where next_at is not null and next_at <= ${at}
          and (leased_until is null or leased_until < ${at}) order by next_at, id limit ${limit}${db.dialect.skipLocked}`);
        if (rows.length > 0)
          await db.run(
            sql`update schedules set leased_until = ${until} where id in ${listOf(rows.map(({ id }) => id))}`,
          );
        return rows.map(scheduleOf);
      }),
    ran: async (id, nextAt) => {
      const at = now();
      const next = nextAt === null ? null : timeOf(nextAt);
      // One that was cancelled while it ran stays cancelled.
      await home.write("everything", (db) =>
        db.run(sql`update schedules set last_at = ${at}, leased_until = ${null},
          next_at = case when ended_at is null then ${next} end,
          ended_at = coalesce(ended_at, ${next === null ? at : null}) where id = ${id}`),
      );
    },
  };
}
