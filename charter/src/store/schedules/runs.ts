import type { StoreDeps } from "../deps.ts";
import type { Reach } from "../home/database.ts";
import { type Page, pageOf } from "../home/page.ts";
import { reachOf } from "../home/reach.ts";
import { raw, sql } from "../home/sql.ts";
import { createRunClaims, type RunClaims } from "./claims.ts";
import { findRun, type Run, type RunRow, runOf } from "./run.ts";

export type { Run } from "./run.ts";

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
        const rows = await db.all<RunRow>(sql`select * from runs where 1 = 1
          ${agent === undefined ? raw("") : sql`and agent = ${agent}`}
          ${user === undefined ? raw("") : sql`and user_id = ${user}`}
          ${schedule === undefined ? raw("") : sql`and schedule = ${schedule}`}
          ${state === undefined ? raw("") : sql`and state = ${state}`}
          order by due_at desc, id desc limit ${limit} offset ${offset}`);
        return rows.map(runOf);
      }),
    get: (id, reach = "everything") => home.read(reach, (db) => findRun(db, id, reach)),
    ...createRunClaims(deps),
  };
}
