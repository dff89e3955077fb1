import type { Scope } from "../../amend/amendment.ts";
import { Problem } from "../../prompt/problem.ts";
import { recordEvent, turnEnded } from "../event.ts";
import type { Database } from "../home/database.ts";
import { sql } from "../home/sql.ts";
import { renewLease } from "./lease.ts";
import { keepStepFacts } from "./list/step-facts.ts";
import { keepTurnWords } from "./list/turn-words.ts";
import type { TurnHints } from "./record-step.ts";
import { type SessionTouch, touchSession } from "./sessions.ts";
import { addExpense, addedCost, type Expense } from "./spending.ts";
import { stepResultDigest } from "./steps.ts";
import { ownTurn, type Turn, type TurnReason, type TurnRow, turnOf, unknownTurn } from "./turn.ts";

/** The result of a step, as JSON: tool calls before they run, their results after, the provider's usage. */
export type StepResult = Readonly<Record<string, unknown>>;

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

type StepResultInput = TurnHints & {
  readonly turn: string;
  readonly step: number;
  readonly result: StepResult;
  /** What it cost, told once. */
  readonly spent?: Expense;
};

/** Keeps what came of a step, and says how its turn is by then. */
export async function recordStepResult(
  db: Database,
  scope: Scope,
  at: string,
  about: StepResultInput,
): Promise<Turn["state"]> {
  const { turn, step, result: came, spent, tainted = false } = about;
  const found = await db.one<Pick<TurnRow, "state" | "lease_seconds"> & { digest: string | null }>(
    sql`select t.state, t.lease_seconds, s.digest from turns t left join steps s on s.turn = t.id and s.step = ${step}
      where t.id = ${turn} and t.agent = ${scope.agent} and t.user_id = ${scope.user ?? ""}`,
  );
  if (!found) throw unknownTurn(turn);
  if (found.digest === null)
    throw new Problem("unknown-turn", `The turn “${turn}” has no step ${step}.`, "See it with `charter turns`.");
  const body = JSON.stringify(came);
  // What comes of a step that was erased meanwhile is not kept either.
  await db.run(sql`update steps set came = ${body}, came_digest = ${stepResultDigest(found.digest, body)}
    where turn = ${turn} and step = ${step} and erased_at is null`);
  await keepStepFacts(db, { turn, step, result: came });
  if (found.state === "running") await renewLease(db, { id: turn, lease: found.lease_seconds, tainted }, at);
  // What came too late is told in its session all the same, and so is that foreign words are in it.
  else if (tainted) await db.run(sql`update turns set tainted = 1 where id = ${turn}`);
  if (spent) {
    await db.run(sql`update turns set ${addedCost([spent])} where id = ${turn}`);
    await addExpense(db, scope, spent);
  }
  return found.state;
}

/**
 * Ends a turn: its reply, what came of its last step, its session and what it spent, all or nothing.
 *
 * It ends once. One that others took for interrupted stays so, and an event says that it was late; what it did and spent
 * all the same is kept. One that was erased keeps no word, but what it spent counts.
 */
export async function closeTurn(db: Database, turn: string, scope: Scope, at: string, end: TurnEnd): Promise<Turn> {
  const { reply = null, state = "answered", because, tainted = false, step, session, spent = [] } = end;
  const { agent, user = "" } = scope;
  const expenses = "day" in spent ? [spent] : spent;
  const row = await db.one<TurnRow>(sql`update turns set reply = ${reply}, state = ${state},
      because = ${because === undefined ? null : JSON.stringify(because)}, ended_at = ${at},
      duration_ms = ${db.dialect.millisSince("started_at", at)}, ${addedCost(expenses)}, leased_until = ${null}, tainted = case when tainted = 1 then 1 else ${tainted ? 1 : 0} end
    where id = ${turn} and agent = ${agent} and user_id = ${user} and state = 'running' returning *`);
  const closed = row ? turnOf(row) : await ownTurn(db, turn, scope);
  if (row && reply !== null) await keepTurnWords(db, closed);
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
