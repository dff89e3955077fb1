import type { Home } from "../../home/database.ts";
import { listOf, sql } from "../../home/sql.ts";
import { dollarsOf } from "./turn-facts.ts";

/** What an agent's turns since some time come to. */
export type TurnSums = {
  readonly turns: number;
  /** How many different users they were for. */
  readonly users: number;
  /** In dollars, of those with a price; null where none has one. */
  readonly cost: number | null;
  /** How many failed. */
  readonly failed: number;
};

/** The sums of agents over the last seven days are told everywhere: by the API, the command and the pages. */
export function weekBefore(now: Date): string {
  return new Date(now.getTime() - 7 * 24 * 60 * 60 * 1000).toISOString();
}

export const noTurns: TurnSums = { turns: 0, users: 0, cost: null, failed: 0 };

type SumsRow = { agent: string; turns: number; users: number; micros: number | null; failed: number };

/** Of turns that began since then, by agent; an agent without any is not in it. What was erased was a turn all the same. */
export async function sumTurns(
  home: Home,
  agents: readonly string[],
  since: string,
): Promise<ReadonlyMap<string, TurnSums>> {
  if (agents.length === 0) return new Map();
  return home.read("everything", async (db) => {
    const rows = await db.all<SumsRow>(sql`select agent, count(*) as turns, sum(micros) as micros,
        count(distinct case when user_id <> '' then user_id end) as users,
        sum(case when state = 'failed' then 1 else 0 end) as failed
      from turns where agent in ${listOf(agents)} and started_at >= ${since} group by agent`);
    return new Map(
      rows.map(({ agent, turns, users, micros, failed }) => [
        agent,
        { turns: Number(turns), users: Number(users), cost: dollarsOf(micros), failed: Number(failed) },
      ]),
    );
  });
}
