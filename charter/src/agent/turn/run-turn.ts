import { stepMessages } from "../../delivery/history.ts";
import type { Answer } from "../../delivery/model.ts";
import {
  badArgument,
  checkOptions,
  type FieldChecks,
  isFunction,
  isObject,
  isSignal,
  isText,
  kindOf,
  laterChecked,
  optional,
} from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import { maxLeaseSeconds } from "../../store/turns/lease.ts";
import { limitsOf } from "../limits.ts";
import type { TurnOutcome } from "../outcome.ts";
import type { RunTurnOptions, TurnInput } from "../turn-input.ts";
import { settleAllowances } from "./acting/permission.ts";
import { prepareSession } from "./acting/prepare-session.ts";
import { runApprovedCalls } from "./approved-calls.ts";
import { beforeTurn } from "./before-turn.ts";
import { beginTurn } from "./begin-turn.ts";
import { callLimitRefusal, runCall } from "./call.ts";
import { checkNotStopped, startDeadline, turnTimeoutProblem } from "./deadline.ts";
import { withDeclaredLimits } from "./declared-limits.ts";
import { endTurn, type TurnEnding, thrownOutcome } from "./end-turn.ts";
import { billAnswer, saveStepResult, unrecordedSpendOf } from "./record.ts";
import { checkRequest } from "./step.ts";
import type { KeptResult, StepResult } from "./step-result.ts";
import { turnPrompt } from "./turn-prompt.ts";
import { type AgentDeps, enterPhase, type TurnIdentity, type TurnState } from "./turn-state.ts";
import { compactIfLong } from "./window/compaction.ts";
import { shortenResult } from "./window/shortened-result.ts";
import { resolveWindow, withWindow } from "./window/window.ts";
import { runStepWithin } from "./window/within-window.ts";

/**
 * One input to one final answer: gather, assemble, deliver, ask, run tools, record, until there is an answer.
 *
 * What the model, a tool or a limit makes of it is an outcome. What the caller can mend (a channel that does not exist,
 * a frozen agent) is thrown as a Problem, and a turn that was begun is recorded as failed.
 */
export async function runTurn(agent: AgentDeps, asked: TurnInput, watching: RunTurnOptions = {}): Promise<TurnOutcome> {
  checkInput(asked);
  const { signal, on, approve } = watching;
  if (on !== undefined && !isFunction(on))
    throw badArgument(
      `The \`on\` that runTurn was given is ${kindOf(on)}.`,
      "Give a function that is told of every event.",
    );
  if (signal !== undefined && !isSignal(signal))
    throw badArgument(
      `The \`signal\` that runTurn was given is ${kindOf(signal)}.`,
      "Give the `signal` of an AbortController.",
    );
  const scope = { agent: agent.name, ...(asked.user === undefined ? {} : { user: asked.user }) };
  return agent.sessions.within(scope, asked, async (session, enter) => {
    if (asked.isStillWanted && !(await asked.isStillWanted()))
      throw new Problem("turn-over", "The turn was cancelled before it began.", "There is nothing to do.");
    const declared = await withDeclaredLimits(
      agent,
      { ...scope, channel: asked.channel, turn: asked.id },
      asked.limits,
    );
    const turn = await declared.store.turns.open({
      scope,
      input: asked.input,
      ...(session === undefined ? { ownSession: declared.model.receiver.name } : { session, inSession: true }),
      runner: declared.runner,
      leaseSeconds: Math.min(Math.ceil(declared.limits.turnSeconds) + 60, maxLeaseSeconds),
      ...(asked.channel === undefined ? {} : { channel: asked.channel }),
      ...(asked.id === undefined ? {} : { id: asked.id }),
    });
    const { id } = turn;
    const deadline = startDeadline(declared.limits.turnSeconds, signal);
    let deps = declared;
    let running: TurnState | undefined;
    try {
      deps = withWindow(deps, (await resolveWindow(deps, deadline.signal)).window);
      running = await beginTurn(deps, asked, {
        id,
        scope,
        session: await enter(turn),
        signal: deadline.signal,
        on,
        approve,
      });
      return await answerTurn(deps, running, () => deadline.late);
    } catch (error) {
      if (running) enterPhase(running, "Persisting");
      await giveUp(deps, { id, scope }, running);
      await running?.who.hooks.run("after-turn", { turn: id, state: "failed", reply: null }, (now) => now);
      running?.who.emit({ kind: "turn-end", outcome: thrownOutcome(running, error) });
      throw error;
    } finally {
      deadline.stop();
    }
  });
}

const turnChecks: FieldChecks<TurnInput> = {
  input: [laterChecked, ""],
  user: optional([isText, "Give the user's name, as the store has it."]),
  channel: optional([isText, "Give the channel's name."]),
  zone: optional([isText, "Give a time zone, as in Europe/Rome."]),
  session: optional([isText, "Give a session's id, “new” or “none”."]),
  id: optional([isText, "Give an id of your own, as text."]),
  limits: optional([isObject, "Give limits by name: { steps: 10 }."]),
  foreign: optional([(value) => value === true, "Give true, or leave it out."]),
  isStillWanted: optional([isFunction, "Give a function: async () => true."]),
};

function checkInput(asked: TurnInput): void {
  if (typeof asked === "string")
    throw new Problem("bad-input", "A turn was asked with a text alone.", "Give runTurn({ input: text }).");
  checkOptions("runTurn", asked, turnChecks);
  limitsOf(asked.limits);
  const { input } = asked;
  if (typeof input === "string" && input.trim() !== "") return;
  const given = typeof input === "string" ? "no words" : `${input === undefined ? "nothing" : typeof input}`;
  throw new Problem(
    "bad-input",
    `A turn was asked with ${given} as its input.`,
    "Give runTurn({ input }) what the user says.",
  );
}

/** A turn that was begun and comes to nothing is recorded as failed, with what it owes. */
async function giveUp(
  deps: AgentDeps,
  { id, scope }: Pick<TurnIdentity, "id" | "scope">,
  running?: TurnState,
): Promise<void> {
  if (running) await settleAllowances(deps, running, false);
  const owed = running ? { tainted: running.progress.tainted, ...unrecordedSpendOf(deps, running.bill) } : {};
  if (running) running.who.session.newestTurn = null;
  // Where the store itself is the trouble, what it said first is the news.
  await deps.store.turns.close(id, { state: "failed", scope, ...owed }).catch(() => {});
}

/** Steps until the model answers; whatever stops them is recorded with what was done by then. */
async function answerTurn(deps: AgentDeps, running: TurnState, isLate: () => boolean): Promise<TurnOutcome> {
  try {
    return await endTurn(deps, running, await runSteps(deps, running));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const late = isLate() ? turnTimeoutProblem(deps.limits.turnSeconds) : error;
    if (!expected.has(late.code)) throw error;
    return endTurn(deps, running, { problem: late });
  }
}

/** Outcomes of a turn, not mistakes of whoever asked for it. */
const expected = new Set([
  "agent-frozen",
  "input-handled",
  "model-busy",
  "model-failed",
  "model-cut",
  "model-unreachable",
  "model-rejected",
  "model-aborted",
  "request-too-long",
  "out-of-cycles",
  "spending-limit",
  "erased",
  "turn-interrupted",
  "turn-over",
  "turn-steps",
  "turn-time",
]);

async function runSteps(given: AgentDeps, running: TurnState): Promise<TurnEnding> {
  let deps = given;
  const { limits } = deps;
  if (running.who.handledBy !== undefined)
    throw new Problem(
      "input-handled",
      `“${running.who.handledBy}” took the input itself: the model was not asked.`,
      "Nothing is wrong. Say it in other words if the model should answer.",
    );
  await prepareSession(deps, running);
  // A step that only sums up the history is none of them.
  for (let count = 1; ; count++) {
    let prompt = await turnPrompt(deps, running);
    checkNotStopped(running.who.signal);
    if (!running.progress.inputAdded) {
      const check = () => checkRequest(deps, running, prompt);
      // An approved call may have amended the prompt.
      if (await runApprovedCalls(deps, running, check)) prompt = await turnPrompt(deps, running);
      await beforeTurn(running, prompt);
      if (!running.progress.ranApprovedCalls) checkNotStopped(running.who.signal);
      if (!running.who.signal.aborted) await compactIfLong(deps, running, prompt);
      enterPhase(running, "LoadingContext");
    }
    const taken = await runStepWithin(deps, running, prompt);
    deps = taken.deps;
    const { answer } = taken;
    billAnswer(deps, running, answer);
    const { text, calls, results, native, finish, usage } = answer;
    const result: StepResult = {
      ...running.progress.stepResult,
      answer: { text, calls, ...(native === undefined ? {} : { native }) },
      finish,
      usage,
      ...(results && calls.length > 0 ? { results } : {}),
    };
    if (calls.length === 0 || results) return { answer, result };
    await runCalls(deps, running, answer, result);
    checkNotStopped(running.who.signal);
    if (count >= limits.steps)
      throw new Problem(
        "turn-steps",
        `After ${count} steps the model still called tools.`,
        "Ask for less at once, or raise the limit on steps.",
      );
  }
}

/** The intents are on record before the first tool runs, each result as soon as it is there. */
async function runCalls(deps: AgentDeps, running: TurnState, answer: Answer, came: StepResult): Promise<void> {
  const results: KeptResult[] = [];
  running.progress.resultTokens = 0;
  await saveStepResult(deps, running, came);
  enterPhase(running, "ExecutingActions");
  const seen = new Set<string>();
  for (const call of answer.calls) {
    running.progress.callCount += 1;
    running.who.emit({ kind: "tool-call", call });
    const again = seen.has(call.id) ? "Not run: a call with this id was made in the same answer." : undefined;
    const stopped = running.who.signal.aborted ? "Not run: the turn was stopped before." : undefined;
    const not = again ?? stopped ?? callLimitRefusal(deps, running.progress);
    const result = not
      ? { call: call.id, name: call.name, output: not, failed: true as const }
      : shortenResult(deps, running, await runCall(deps, running, call), results.length);
    seen.add(call.id);
    results.push(result);
    // A model may call thousands: what was not run is kept with the next that was, or with the last.
    if (!not || results.length === answer.calls.length)
      await saveStepResult(deps, running, { ...came, results: [...results] });
    const { whole: _, ...shown } = result as KeptResult;
    running.who.emit({ kind: "tool-result", result: shown });
  }
  running.progress.messages = [...running.progress.messages, ...stepMessages({ answer, results })];
  running.progress.ownSteps = [...running.progress.ownSteps, running.progress.step];
}
