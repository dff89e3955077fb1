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

/** Messages that were given up, and whose writers were told so: after the third time nobody came back from one. */
export async function givenUp(store: Store): Promise<readonly string[]> {
  type Row = { readonly body: string; readonly id: string };
  const rows = await store.home.read("everything", (db) =>
    db.all<Row>(sql`select body, id from updates where state = 'dead'`),
  );
  const events = await store.events.list({ kind: "update-dead", limit: 1000 });
  const told = new Set(events.map(({ detail }) => detail.update));
  return rows.filter(({ id }) => told.has(id)).map(({ body }) => JSON.parse(body).text);
}
