import type { Home } from "./home/database.ts";
import { raw, sql } from "./home/sql.ts";

/** How many proposals, calls and tools of each agent wait for a person; an agent with none is not in it. */
export type CountWaiting = () => Promise<ReadonlyMap<string, number>>;

export function createWaiting(home: Home): CountWaiting {
  return () =>
    home.read("everything", async (db) => {
      const counts = new Map<string, number>();
      for (const table of ["held", "held_calls", "tool_pins"]) {
        const rows = await db.all<{ agent: string; count: number }>(
          sql`select agent, count(distinct id) as count from ${raw(table)} where status = 'waiting' group by agent`,
        );
        for (const { agent, count } of rows) counts.set(agent, (counts.get(agent) ?? 0) + Number(count));
      }
      return counts;
    });
}
