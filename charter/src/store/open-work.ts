import { updateWork } from "./channels/channel-updates.ts";
import { dispatchWork } from "./channels/dispatches.ts";
import type { Database, Home } from "./home/database.ts";
import { type Query, raw, sql } from "./home/sql.ts";
import { runWork } from "./schedules/runs.ts";
import { isOpen } from "./work.ts";

/** So much work waits for an agent, by the channel it came or goes by. */
export type WorkCount = { readonly agent: string; readonly channel: string; readonly count: number };

/** How many there are, since when, and what was said of the last of them. */
type OverdueCount = { readonly count: number; readonly since: string | null; readonly because: string | null };

/**
 * `store.work`: what waits in the store for a process, and what none has done.
 *
 * @opaque
 */
export type OpenWork = {
  /** Messages of chats and of inboxes that are not answered, messages that are not sent, runs that have not ended. */
  readonly open: () => Promise<Readonly<Record<"updates" | "messages" | "dispatches" | "runs", readonly WorkCount[]>>>;
  /** What has waited since before `late`, and what was given up after `since`; times are ISO 8601. */
  readonly overdue: (about: { readonly late: string; readonly since: string }) => Promise<OverdueWork>;
};

/** What a service left undone. `expected`: there are schedules or linked chats, so something is to be done at all. */
export type OverdueWork = Readonly<
  Record<
    "schedules" | "runs" | "failedRuns" | "updates" | "failedUpdates" | "dispatches" | "failedDispatches",
    OverdueCount
  >
> & { readonly expected: boolean };

export function createOpenWork(home: Home): OpenWork {
  return {
    open: () =>
      home.read("everything", async (db) => ({
        updates: await openIn(db, "updates", "channel", isOpen(updateWork)),
        messages: await openIn(db, "inbox", "'inbox'", sql`status in ('waiting', 'taken')`),
        dispatches: await openIn(db, "dispatches", "channel", isOpen(dispatchWork)),
        runs: await openIn(db, "runs", "'scheduled'", isOpen(runWork)),
      })),
    overdue: ({ late, since }) =>
      home.read("everything", async (db) => ({
        schedules: await overdueIn(db, "schedules", "next_at", sql`ended_at is null and next_at <= ${late}`),
        runs: await overdueIn(db, "runs", "due_at", sql`state = 'waiting' and next_try_at <= ${late}`),
        failedRuns: await overdueIn(db, "runs", "ended_at", sql`state = 'failed' and ended_at > ${since}`, "reason"),
        updates: await overdueIn(db, "updates", "at", sql`state = 'waiting' and at <= ${late}`, "failure"),
        failedUpdates: await overdueIn(db, "updates", "at", sql`state = 'dead' and at > ${since}`, "failure"),
        dispatches: await overdueIn(db, "dispatches", "at", sql`state = 'waiting' and at <= ${late}`, "failure"),
        failedDispatches: await overdueIn(db, "dispatches", "at", sql`state = 'dead' and at > ${since}`, "failure"),
        expected: Boolean(
          await db.one(sql`select 1 as found where exists (select 1 from schedules where ended_at is null)
            or exists (select 1 from links)`),
        ),
      })),
  };
}

async function openIn(db: Database, table: string, channel: string, where: Query): Promise<WorkCount[]> {
  const rows = await db.all<WorkCount>(sql`select agent, ${raw(channel)} as channel, count(*) as count
    from ${raw(table)} where ${where} group by agent, 2 order by agent, 2`);
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

async function overdueIn(
  db: Database,
  table: string,
  at: string,
  where: Query,
  because = "null",
): Promise<OverdueCount> {
  const last = sql`select ${raw(because)} from ${raw(table)} where ${where} order by ${raw(at)} desc, id desc limit 1`;
  const row = await db.one<OverdueCount>(
    sql`select count(*) as count, min(${raw(at)}) as since, (${last}) as because from ${raw(table)} where ${where}`,
  );
  return { since: null, because: null, ...row, count: Number(row?.count ?? 0) };
}

/** How many proposals, calls and tools of each agent wait for a person; an agent with none is not in it. */
export type CountWaiting = () => Promise<ReadonlyMap<string, number>>;

export function createWaiting(home: Home): CountWaiting {
  return () =>
    home.read("everything", async (db) => {
      const of = (table: string) => sql`select distinct agent, id from ${raw(table)} where status = 'waiting'`;
      const rows = await db.all<{ agent: string; count: number }>(sql`select agent, count(*) as count
        from (${of("held")} union all ${of("held_calls")} union all ${of("tool_pins")}) waiting group by agent`);
      return new Map(rows.map(({ agent, count }) => [agent, Number(count)]));
    });
}
