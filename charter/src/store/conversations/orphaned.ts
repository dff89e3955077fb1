import type { Database } from "../home/database.ts";
import { sql } from "../home/sql.ts";

/** Whether a message came by a chain, and its block is no part of it any more. */
export async function isOrphaned(db: Database, agent: string, message: string): Promise<boolean> {
  const row = await db.one(sql`select 1 as there from chain_messages where agent = ${agent} and message = ${message}
    and state = 'orphaned'`);
  return row !== undefined;
}

/** A message that waits again though its block went: until it is included again, nobody takes it. */
export async function withdrawIfOrphaned(db: Database, agent: string, message: string): Promise<void> {
  const gone = await db.run(sql`update chain_messages set withdrawn = 1 where agent = ${agent} and message = ${message}
    and state = 'orphaned' and exists (select 1 from inbox i where i.agent = chain_messages.agent
      and i.id = chain_messages.message and i.status = 'waiting')`);
  if (gone > 0)
    await db.run(sql`update inbox set status = 'withdrawn' where agent = ${agent} and id = ${message}
      and status = 'waiting'`);
}
