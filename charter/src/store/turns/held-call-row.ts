import type { Scope } from "../../amend/amendment.ts";
import { Problem } from "../../prompt/problem.ts";
import { scopeOf } from "../event.ts";
import type { Database, Reach } from "../home/database.ts";
import { reachFilter } from "../home/reach.ts";
import { sql } from "../home/sql.ts";

/** A tool call that needs a person's approval. Once approved it is made once, in a later turn of its scope. */
export type HeldCall = {
  readonly id: string;
  readonly scope: Scope;
  /** The turn that asked for it, and which of its steps. */
  readonly turn: string;
  readonly step: number;
  /** The call's id, as the model gave it. */
  readonly call: string;
  readonly tool: string;
  /** What the tool is to be given: any JSON. */
  readonly input: unknown;
  /** Why it was held. */
  readonly reason: string;
  readonly at: string;
  /** `running` until its result is recorded, even if its process died. It is never run again. */
  readonly status: "waiting" | "approved" | "rejected" | "running" | "done" | "failed";
  readonly decidedAt: string | null;
  readonly decidedBy: string | null;
  readonly decisionReason: string | null;
  readonly takenAt: string | null;
  readonly endedAt: string | null;
  readonly result: unknown;
  /** Where it is to be made, if the tool acts in a place: a directory. */
  readonly place: string | null;
};

export type HeldCallRow = {
  id: string;
  agent: string;
  user_id: string;
  turn: string;
  step: number;
  call: string;
  tool: string;
  input: string;
  because: string;
  at: string;
  status: HeldCall["status"];
  decided_at: string | null;
  decided_by: string | null;
  decided_because: string | null;
  taken_at: string | null;
  ended_at: string | null;
  result: string | null;
  place: string | null;
};

export function heldCallOf(row: HeldCallRow): HeldCall {
  const { id, turn, step, call, tool, because, at, status } = row;
  return {
    id,
    scope: scopeOf(row),
    turn,
    step,
    call,
    tool,
    input: JSON.parse(row.input),
    reason: because,
    at,
    status,
    decidedAt: row.decided_at,
    decidedBy: row.decided_by,
    decisionReason: row.decided_because,
    takenAt: row.taken_at,
    endedAt: row.ended_at,
    result: row.result === null ? null : JSON.parse(row.result),
    place: row.place,
  };
}

export async function findHeldCall(db: Database, id: string, reach: Reach = "everything"): Promise<HeldCall> {
  const row = await db.one<HeldCallRow>(sql`select * from held_calls where id = ${id}${reachFilter(reach)}`);
  if (row) return heldCallOf(row);
  throw new Problem("unknown-call", `There is no held call “${id}”.`, "List what is waiting with `charter approvals`.");
}
