import { badArgument, isFunction, isSignal, kindOf } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import { maxLeaseSeconds } from "../../store/turns/turn.ts";
import { checkInput, checkTyped } from "../attachments/check-input.ts";
import { readInput } from "../attachments/input-part.ts";
import type { TurnOutcome } from "../outcome.ts";
import { outputFormat } from "../output/output-format.ts";
import type { RunTurnOptions, TurnInput } from "../turn-input.ts";
import { settleAllowances } from "./acting/permission.ts";
import { prepareSession } from "./acting/prepare-session.ts";
import { runApprovedCalls } from "./approved-calls.ts";
import { checkAskMode } from "./asking/ask-mode.ts";
import { beforeTurn } from "./before-turn.ts";
import { beginTurn } from "./begin-turn.ts";
import { runCalls } from "./calls/run-calls.ts";
import { answerEnding } from "./calls/typed-answer.ts";
import { checkNotStopped, startDeadline, turnTimeoutProblem } from "./deadline.ts";
import { withDeclaredLimits } from "./declared-limits.ts";
import { endTurn, type TurnEnding, thrownOutcome, turnReason } from "./end-turn.ts";
import type { SentSession } from "./live-session.ts";
import { billAnswer, unrecordedSpendOf } from "./record.ts";
import { requestContext } from "./request-context.ts";
import { forSession, withFailover } from "./session/failover.ts";
import { checkRequest } from "./step.ts";
import type { StepResult } from "./step-result.ts";
import { turnPrompt } from "./turn-prompt.ts";
import { type AgentDeps, enterPhase, type TurnIdentity, type TurnState } from "./turn-state.ts";
import { compactIfLong } from "./window/compaction.ts";
import { withLearnedKinds } from "./window/refused-kinds.ts";
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
  const { text: input, attachments } = readInput(asked.input, agent.attachments);
  checkTyped(asked, input);
  const { signal, on, approve, ask = "never" } = watching;
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
  checkAskMode(ask);
  const output = await outputFormat(asked.output);
  const context = await requestContext(asked.context, agent.context.schema);
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
      input,
      ...(attachments.length > 0 ? { attachments } : {}),
      ...(session === undefined ? { ownSession: declared.model.receiver.name } : { session, inSession: true }),
      runner: declared.runner,
      leaseSeconds: Math.min(Math.ceil(declared.limits.turnSeconds) + 60, maxLeaseSeconds),
      ...(asked.channel === undefined ? {} : { channel: asked.channel }),
      ...(asked.id === undefined ? {} : { id: asked.id }),
      ...(context && agent.context.keep ? { context: JSON.parse(context.json) } : {}),
    });
    const { id } = turn;
    const deadline = startDeadline(declared.limits.turnSeconds, signal);
    let deps = declared;
    let running: TurnState | undefined;
    try {
      const choose = async (sent: SentSession) => {
        deps = await forSession(deps, sent);
        return deps.model.receiver;
      };
      const entered = await enter(turn, deps.models.length > 1 ? choose : undefined);
      deps = await withLearnedKinds(deps);
      deps = withWindow(deps, (await resolveWindow(deps, deadline.signal)).window);
      const about = { id, scope, on, approve, ask, output, context: context?.value };
      const begun = { ...about, session: entered, signal: deadline.signal };
      running = await beginTurn(deps, { ...asked, input }, { ...begun, attachments: turn.attachments ?? [] });
      return await answerTurn(deps, running, () => deadline.late);
    } catch (error) {
      if (running) enterPhase(running, "Persisting");
      await giveUp(deps, { id, scope, error }, running);
      await running?.who.hooks.run("after-turn", { turn: id, state: "failed", reply: null }, (now) => now);
      running?.who.emit({ kind: "turn-end", outcome: thrownOutcome(running, error) });
      throw error;
    } finally {
      deadline.stop();
    }
  });
}

/** A turn that was begun and comes to nothing is recorded as failed, with what it owes. */
async function giveUp(
  deps: AgentDeps,
  { id, scope, error }: Pick<TurnIdentity, "id" | "scope"> & { readonly error: unknown },
  running?: TurnState,
): Promise<void> {
  if (running) await settleAllowances(deps, running, false);
  const owed = running ? { tainted: running.progress.tainted, ...unrecordedSpendOf(deps, running.bill) } : {};
  if (running) running.who.session.newestTurn = null;
  // Where the store itself is the trouble, what it said first is the news.
  await deps.store.turns.close(id, { state: "failed", because: turnReason(error), scope, ...owed }).catch(() => {});
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
  ({ deps } = await withFailover(deps, running, (now) => prepareSession(now, running)));
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
    }
    const placed = { deps, prompt };
    const { result: taken } = await withFailover(deps, running, async (now) => {
      // Another model may take less, and count otherwise.
      if (now.model.receiver.name !== placed.deps.model.receiver.name) placed.prompt = await turnPrompt(now, running);
      placed.deps = now;
      if (!running.progress.inputAdded && !running.who.signal.aborted) await compactIfLong(now, running, placed.prompt);
      enterPhase(running, "LoadingContext");
      return runStepWithin(now, running, placed.prompt);
    });
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
    if (calls.length === 0 || results) {
      const ending = await answerEnding(deps, running, { answer, result, last: count >= limits.steps });
      if (ending) return ending;
      checkNotStopped(running.who.signal);
      continue;
    }
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
