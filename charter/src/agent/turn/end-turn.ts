import { isStop, stepMessages } from "../../delivery/history.ts";
import type { Answer } from "../../delivery/model.ts";
import { isUpdate } from "../../delivery/update.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import type { TurnReason } from "../../store/turns/turn-tables.ts";
import type { Turn } from "../../store/turns/turns.ts";
import type { TurnOutcome } from "../outcome.ts";
import { settleAllowances } from "./acting/permission.ts";
import type { AgentDeps } from "./agent-deps.ts";
import type { LiveSession } from "./live-session.ts";
import { isOutage } from "./model-problem.ts";
import { unrecordedSpendOf } from "./record.ts";
import type { StepResult } from "./step-result.ts";
import { addNotice, enterPhase, type TurnProgress, type TurnState, type TurnView } from "./turn-state.ts";

/** `output`: the answer's value, where it had to have one; `misfit`: it is none that was asked for. */
export type TurnEnding =
  | { readonly answer: Answer; readonly result: StepResult; readonly output?: unknown; readonly misfit?: Problem }
  | { readonly problem: Problem };

/** Closes a turn: its last step, its reply, its session and what it still owes are kept in one commit. */
export async function endTurn(deps: AgentDeps, running: TurnState, ending: TurnEnding): Promise<TurnOutcome> {
  const { id, session, scope, emit } = running.who;
  const { tainted, step, notices } = running.progress;
  const { usage, cost } = running.bill;
  enterPhase(running, "Persisting");
  const done = "answer" in ending ? ending : undefined;
  if (done?.answer.finish === "length")
    addNotice(emit, notices, {
      code: "answer-cut",
      message: "The answer reached the model's limit and stops there.",
    });
  if (done?.answer.finish === "content-filter")
    addNotice(emit, notices, {
      code: "answer-cut",
      message: "The provider's filter stopped the answer there.",
    });
  const failure = "problem" in ending ? ending.problem : ending.misfit;
  // Where nobody answered, the next turn begins with the first again.
  const nobody = session.standsInFor !== null && "problem" in ending && isOutage(ending.problem);
  const closed = await deps.store.turns.close(id, {
    reply: done?.answer.text ?? null,
    state: done && !done.misfit ? "answered" : "failed",
    ...(failure ? { because: turnReason(failure) } : {}),
    tainted,
    scope,
    ...(step > 0 ? { step: { step, result: stepResultOf(running.progress, ending) } } : {}),
    session: { touch: true, ...(nobody ? { standsInFor: null } : {}) },
    ...unrecordedSpendOf(deps, running.bill),
  });
  if (nobody) session.standsInFor = null;
  await settleAllowances(deps, running, done !== undefined);
  // What is told of a turn without an answer depends on what is asked next: it is read again then.
  const isOver = closed.state === "erased" || closed.state === "interrupted";
  if (isOver || (!done && !running.seat.model.receiver.keepsHistory)) session.newestTurn = null;
  else remember(session, running, done?.result, closed.state);
  const { state, reply, problem: found } = finalState(closed, ending);
  const isKept =
    running.progress.inputAdded && isStop(stepResultOf(running.progress, ending), running.seat.model.receiver);
  const problem = found && {
    ...{ code: found.code, message: found.message, hint: isKept ? `${found.hint} ${keptWords}` : found.hint },
    ...(found.code === "model-rejected" && isOutage(found) ? { outage: true as const } : {}),
  };
  const about = { turn: id, session: session.id, state, reply, steps: step, tainted, usage, cost };
  const output = state === "answered" && done?.output !== undefined ? { output: done.output } : {};
  const outcome = { ...about, ...output, notices: running.progress.notices, ...(problem ? { problem } : {}) };
  await running.who.hooks.run("after-turn", { turn: id, state, reply }, (now) => now);
  running.who.emit({ kind: "turn-end", outcome });
  return outcome;
}

/** Why a turn failed, as it is kept with it: also what is no Problem, which nobody told the user. */
export function turnReason(error: unknown): TurnReason {
  return { code: error instanceof Problem ? error.code : "turn-failed", message: reasonOf(error) };
}

/** Of what was asked and has no answer, at every door. */
const keptWords = "What you wrote stays in the conversation.";

function stepResultOf({ stepResult, notices }: Readonly<TurnProgress>, ending: TurnEnding): StepResult {
  const told = notices.length > 0 ? { notices } : {};
  const because = ({ code, message }: Problem) => ({ because: { code, message }, ...told });
  if ("problem" in ending) return { ...stepResult, ...because(ending.problem) };
  return { ...ending.result, ...(ending.misfit ? because(ending.misfit) : told) };
}

/** The session goes on with what was said: an answered turn, or one that did something. */
function remember(session: LiveSession, running: TurnView, came: StepResult | undefined, state: string): void {
  const summed = session.baseline?.summary?.until === running.who.id;
  const acted =
    summed || running.progress.ranApprovedCalls || running.progress.messages.some(({ role }) => role === "tool");
  const messages =
    acted || state === "answered"
      ? [...running.progress.messages, ...stepMessages(came ?? null)]
      : running.progress.messages.filter(isUpdate);
  session.stretches = [...session.stretches, { turn: running.who.id, tainted: running.progress.tainted, messages }];
}

/** What the store says a turn came to holds: one that was erased or given up meanwhile has no reply for anyone. */
function finalState(
  closed: Turn,
  ending: TurnEnding,
): { state: TurnOutcome["state"]; reply: string | null; problem?: Problem } {
  if ("problem" in ending) return { state: "failed", reply: null, problem: ending.problem };
  if (ending.misfit && closed.state === "failed")
    return { state: "failed", reply: ending.answer.text, problem: ending.misfit };
  if (closed.state === "answered") return { state: "answered", reply: ending.answer.text };
  const message = `The turn was ${closed.state} while it ran; its answer is not kept.`;
  return { state: "failed", reply: null, problem: new Problem("turn-over", message, "Ask again.") };
}

/** What watchers are told of a turn that threw. */
export function thrownOutcome(running: TurnView, error: unknown): TurnOutcome {
  const { id: turn, session } = running.who;
  const { step: steps, tainted, notices } = running.progress;
  const { usage, cost } = running.bill;
  const problem =
    error instanceof Problem
      ? { code: error.code, message: error.message, hint: error.hint }
      : { code: "turn-failed", message: reasonOf(error), hint: "This is a fault in Charter, a hook or a source." };
  return { turn, session: session.id, state: "failed", reply: null, problem, steps, tainted, usage, cost, notices };
}
