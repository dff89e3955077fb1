import type { Scope } from "../../amend/amendment.ts";
import { Problem } from "../../prompt/problem.ts";
import { scopeOf } from "../event.ts";
import type { Database, Reach } from "../home/database.ts";
import { reachFilter } from "../home/reach.ts";
import { sql } from "../home/sql.ts";

/** One occurrence of a schedule, and what happened. */
export type Run = {
  readonly id: string;
  readonly scope: Scope;
  readonly schedule: string;
  readonly dueAt: string;
  /**
   * `waiting` and `running` are open; the others are final. `answered`: the reply is in its turn. `quiet`: there was
   * nothing to report. `missed`: no worker was running. `skipped`: the run before it was still going.
   */
  readonly state: "waiting" | "running" | "answered" | "quiet" | "failed" | "missed" | "skipped";
  readonly tries: number;
  /** When it is tried (again); `null` once it is over. */
  readonly nextTryAt: string | null;
  /** The turn of its last try. */
  readonly turn: string | null;
  /** Why it is in this state, if that needs an explanation. */
  readonly reason: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly runner: string | null;
};

export type RunRow = {
  id: string;
  agent: string;
  user_id: string;
  schedule: string;
  due_at: string;
  state: Run["state"];
  tries: number;
  next_try_at: string | null;
  runner: string | null;
  leased_until: string | null;
  turn: string | null;
  because: string | null;
  started_at: string | null;
  ended_at: string | null;
};

export function runOf(row: RunRow): Run {
  const { id, schedule, state, tries, turn, because, runner } = row;
  const times = { nextTryAt: row.next_try_at, startedAt: row.started_at, endedAt: row.ended_at };
  return {
    id,
    scope: scopeOf(row),
    schedule,
    dueAt: row.due_at,
    state,
    tries,
    turn,
    reason: because,
    runner,
    ...times,
  };
}

export async function findRun(db: Database, id: string, reach: Reach = "everything"): Promise<Run> {
  const row = await db.one<RunRow>(sql`select * from runs where id = ${id}${reachFilter(reach)}`);
  if (row) return runOf(row);
  throw new Problem("unknown-run", `There is no run “${id}” here.`, "Check the id.");
}
