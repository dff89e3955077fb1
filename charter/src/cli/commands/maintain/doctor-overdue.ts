import type { Checkup } from "../../../store/home/database.ts";
import { type Query, sql } from "../../../store/home/sql.ts";
import type { Store } from "../../../store/store.ts";

/** What has waited that long waits for someone who is not there. */
const graceMs = 5 * 60_000;
/** What could not be done is told for a week; after that it is history. */
const weekMs = 7 * 86_400_000;

type OverdueRow = {
  readonly count: number | bigint | string;
  readonly since: string | null;
  readonly because: string | null;
};
type OverdueCheck = {
  readonly what: (found: { readonly count: number; readonly since: string; readonly because: string }) => string;
  readonly hint: string;
  readonly rows: Query;
};

/** What a service of many users left undone: schedules nobody runs, messages nobody takes or sends, what was given up. */
export async function checkOverdue(store: Store, now: Date): Promise<Checkup[]> {
  const late = new Date(now.getTime() - graceMs).toISOString();
  const week = new Date(now.getTime() - weekMs).toISOString();
  return store.home.read("everything", async (db) => {
    const found: Checkup[] = [];
    for (const { what, hint, rows } of overdueChecks(late, week)) {
      const row = await db.one<OverdueRow>(rows);
      const count = Number(row?.count ?? 0);
      if (count === 0) continue;
      const since = (row?.since ?? "").slice(0, 16).replace("T", " ");
      found.push({ what: what({ count, since, because: row?.because ?? "nobody tried." }), fine: false, hint });
    }
    if (found.length > 0) return found;
    const used = await db.one<{ count: number | bigint | string }>(sql`select
      (select count(*) from schedules where ended_at is null) + (select count(*) from links) as count`);
    if (Number(used?.count ?? 0) === 0) return [];
    return [{ what: "Schedules are on time, and no message waits to be answered or sent.", fine: true }];
  });
}

/** One row each: how many, since when, and what was said of the last of them. */
function overdueChecks(late: string, week: string): OverdueCheck[] {
  return [
    {
      rows: sql`select count(*) as count, min(next_at) as since, null as because from schedules
        where ended_at is null and next_at <= ${late}`,
      what: ({ count, since }) => `${many(count, "schedule is", "schedules are")} overdue, since ${since} UTC.`,
      hint: "No process runs them: start `charter start` or `charter work`.",
    },
    {
      rows: sql`select count(*) as count, min(due_at) as since, null as because from runs
        where state = 'waiting' and next_try_at <= ${late}`,
      what: ({ count, since }) => `${many(count, "run waits", "runs wait")}, since ${since} UTC.`,
      hint: "No process runs them: start `charter start` or `charter work`.",
    },
    {
      rows: sql`select count(*) as count, min(ended_at) as since, (select because from runs where state = 'failed'
        and ended_at > ${week} order by ended_at desc, id desc limit 1) as because
        from runs where state = 'failed' and ended_at > ${week}`,
      what: ({ count, because }) =>
        `${many(count, "run of a schedule", "runs of schedules")} failed within a week, the last: ${because}`,
      hint: "See them with `charter schedules runs`.",
    },
    {
      rows: sql`select count(*) as count, min(at) as since, null as because from updates
        where state = 'waiting' and at <= ${late}`,
      what: ({ count, since }) =>
        `${many(count, "message waits", "messages wait")} to be answered, since ${since} UTC.`,
      hint: "Is the bot running? See docs/telegram.md.",
    },
    {
      rows: sql`select count(*) as count, min(at) as since, (select failure from updates where state = 'dead'
        and at > ${week} order by at desc, id desc limit 1) as because from updates where state = 'dead' and at > ${week}`,
      what: ({ count, because }) =>
        `${many(count, "message", "messages")} could not be answered within a week, the last: ${because}`,
      hint: "See what was tried with `charter turns`; whoever wrote was told, and may write again.",
    },
    {
      rows: sql`select count(*) as count, min(at) as since, (select failure from dispatches where state = 'waiting'
        and at <= ${late} order by at, id limit 1) as because from dispatches where state = 'waiting' and at <= ${late}`,
      what: ({ count, since, because }) =>
        `${many(count, "message waits", "messages wait")} to be sent, since ${since} UTC: ${because}`,
      hint: "Is the bot running, and can it reach Telegram? See docs/telegram.md.",
    },
    {
      rows: sql`select count(*) as count, min(at) as since, (select failure from dispatches where state = 'dead'
        and at > ${week} order by at desc, id desc limit 1) as because
        from dispatches where state = 'dead' and at > ${week}`,
      what: ({ count, because }) =>
        `${many(count, "message", "messages")} could not be sent within a week, the last: ${because}`,
      hint: "A chat that blocked the bot or is gone can be linked anew: `charter users link`.",
    },
  ];
}

function many(count: number, one: string, several: string): string {
  return `${count} ${count === 1 ? one : several}`;
}
