import { sql } from "../../src/store/home/sql.ts";
import type { Store } from "../../src/store/index.ts";

/** Whether something that came in, goes out, runs or is planned is still to be done. */
export async function isOpen(store: Store): Promise<boolean> {
  const found = await store.home.read("everything", (db) =>
    db.one(sql`select 1 as there from turns where state = 'running'
      union all select 1 from updates where state in ('waiting', 'taken')
      union all select 1 from dispatches where state = 'waiting'
      union all select 1 from runs where ended_at is null
      union all select 1 from schedules where next_at is not null limit 1`),
  );
  return found !== undefined;
}

/** The replies there are to each input. */
export async function answeredTurns(store: Store): Promise<ReadonlyMap<string, readonly string[]>> {
  type Row = { readonly input: string; readonly reply: string };
  const rows = await store.home.read("everything", (db) =>
    db.all<Row>(sql`select input, reply from turns where state = 'answered'`),
  );
  const replies = new Map<string, string[]>();
  for (const { input, reply } of rows) replies.set(input, [...(replies.get(input) ?? []), reply]);
  return replies;
}
