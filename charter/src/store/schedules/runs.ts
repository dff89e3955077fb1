import { Problem } from "../../prompt/problem.ts";
import type { StoreDeps } from "../deps.ts";
import type { Reach } from "../home/database.ts";
import { type Page, pageOf } from "../home/page.ts";
import { matching, recordOf } from "../home/query.ts";
import { reachFilter, reachOf } from "../home/reach.ts";
import { sql } from "../home/sql.ts";
import type { RowOf } from "../home/table.ts";
import { createRunClaims, type RunClaims } from "./claims.ts";
import { type Run, runs } from "./schedule-tables.ts";

/** Which runs to list. */
export type RunQuery = Page & {
  readonly agent?: string;
  readonly user?: string;
  readonly schedule?: string;
  readonly state?: Run["state"];
};

/** `store.runs`: the occurrences of schedules. */
export type Runs = RunClaims & {
  /** Newest first, by when they were due. */
  readonly list: (about?: RunQuery) => Promise<Run[]>;
  readonly get: (id: string, reach?: Reach) => Promise<Run>;
};

export function createRuns(deps: StoreDeps): Runs {
  const { home } = deps;
  return {
    list: ({ agent, user, schedule, state, ...page } = {}) =>
      home.read(reachOf(agent, user), async (db) => {
        const { limit, offset } = pageOf(page);
        const rows = await db.all<RowOf<typeof runs>>(sql`select * from runs
          where ${matching({ agent, user_id: user, schedule, state })}
          order by due_at desc, id desc limit ${limit} offset ${offset}`);
        return rows.map((row) => recordOf(runs, row));
      }),
    get: (id, reach = "everything") =>
      home.read(reach, async (db) => {
        const row = await db.one<RowOf<typeof runs>>(sql`select * from runs where id = ${id}${reachFilter(reach)}`);
        if (row) return recordOf(runs, row);
        throw new Problem("unknown-run", `There is no run “${id}” here.`, "Check the id.");
      }),
    ...createRunClaims(deps),
  };
}
