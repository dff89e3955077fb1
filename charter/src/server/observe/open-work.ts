import { sql } from "../../store/home/sql.ts";
import type { Store } from "../../store/store.ts";
import { gauge } from "./metric.ts";

type Row = { readonly agent: string; readonly channel: string; readonly count: number };

/** What waits in the store to be worked on, sent, or run: counted when asked, for every process that shares it. */
export async function openWork(store: Store): Promise<string[]> {
  const [updates, dispatches, runs, messages] = await store.home.read("everything", async (db) => [
    await db.all<Row>(sql`select agent, channel, count(*) as count from updates
      where state in ('waiting', 'taken') group by agent, channel order by agent, channel`),
    await db.all<Row>(sql`select agent, channel, count(*) as count from dispatches
      where state = 'waiting' group by agent, channel order by agent, channel`),
    await db.all<Row>(sql`select agent, 'scheduled' as channel, count(*) as count from runs
      where ended_at is null group by agent order by agent`),
    await db.all<Row>(sql`select agent, 'inbox' as channel, count(*) as count from inbox
      where status in ('waiting', 'taken') group by agent order by agent`),
  ]);
  const of = (rows: readonly Row[] = []) =>
    rows.map(({ agent, channel, count }) => [{ agent, channel }, Number(count)] as const);
  return [
    ...gauge("charter_updates_open", "Messages that came in and are not answered yet.", of(updates)),
    ...gauge("charter_dispatches_open", "Messages that are still to be sent.", of(dispatches)),
    ...gauge("charter_messages_open", "Messages in inboxes that are not answered yet.", of(messages)),
    ...gauge("charter_runs_open", "Runs of schedules that wait or run.", of(runs)),
  ];
}
