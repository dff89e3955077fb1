import type { Scope } from "../../amend/amendment.ts";
import { recordEvent, turnEnded } from "../event.ts";
import type { Database } from "../home/database.ts";
import { ownRows } from "../home/query.ts";
import { raw, sql } from "../home/sql.ts";
import { keepTurnWords } from "./list/turn-words.ts";
import type { TurnHints } from "./record-step.ts";
import { type SessionTouch, touchSession } from "./session.ts";
import { addExpense, addedCost, type Expense } from "./spending.ts";
import { recordStepResult, type StepResult } from "./step-result.ts";
import { ownTurn, type Turn, type TurnRow, turnOf } from "./turn.ts";
import type { TurnReason } from "./turn-tables.ts";

/** How a turn ended, and what is stored along with that. */
export type TurnEnd = TurnHints & {
  readonly reply?: string | null;
  readonly state?: "answered" | "failed" | "interrupted";
  /** Why it failed. */
  readonly because?: TurnReason;
  /** The result of its last step. */
  readonly step?: { readonly step: number; readonly result: StepResult };
  readonly session?: SessionTouch;
  readonly spent?: Expense | readonly Expense[];
};

/**
 * Ends a turn: its reply, what came of its last step, its session and what it spent, all or nothing.
 *
 * It ends once. One that others took for interrupted stays so, and an event says that it was late; what it did and spent
 * all the same is kept. One that was erased keeps no word, but what it spent counts.
 */
export async function closeTurn(db: Database, turn: string, scope: Scope, at: string, end: TurnEnd): Promise<Turn> {
  const { reply = null, state = "answered", because, tainted = false, step, session, spent = [] } = end;
  const expenses = "day" in spent ? [spent] : spent;
  const row = await db.one<TurnRow>(sql`update turns set reply = ${reply}, state = ${state},
      because = ${because === undefined ? null : JSON.stringify(because)}, ended_at = ${at},
      duration_ms = ${db.dialect.millisSince("started_at", at)}, ${addedCost(expenses)}, leased_until = ${null},
      tainted = ${tainted ? 1 : raw("tainted")}
    where id = ${turn} and ${ownRows(scope)} and state = 'running' returning *`);
  const closed = row ? turnOf(row) : await ownTurn(db, turn, scope);
  if (row && reply !== null) await keepTurnWords(db, closed, false);
  const late = !row && closed.state === "interrupted";
  if (!row && !late && closed.state !== "erased") return closed;
  if (step) await recordStepResult(db, scope, at, { ...step, turn, tainted });
  if (row && session && closed.session !== null) await touchSession(db, { id: closed.session, scope }, at, session);
  if (!row && expenses.length > 0) await db.run(sql`update turns set ${addedCost(expenses)} where id = ${turn}`);
  for (const one of expenses) await addExpense(db, scope, one);
  const told = (kind: string, detail: object) => recordEvent(db, at, { scope, kind, turn, detail: { ...detail } });
  if (late) await told("turn-late", { state });
  if (row && state === "interrupted")
    await told("turn-interrupted", { runner: closed.runner, because: "its runner stopped it" });
  if (row) await told(turnEnded, { state });
  return late && step ? ownTurn(db, turn, scope) : closed;
}
