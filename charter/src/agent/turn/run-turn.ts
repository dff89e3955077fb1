import { badArgument, checkNames, isFunction, isSignal, kindOf } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import { mendedNotice } from "../../prompt/sound.ts";
import { scopeNamed } from "../../store/scope.ts";
import { readInput } from "../attachments.ts";
import { outputFormat } from "../schema.ts";
import { checkInput, checkTyped, type RunTurnOptions, type TurnInput, type TurnOutcome } from "../turn-interface.ts";
import { askStep } from "./ask.ts";
import { checkAskMode } from "./ask-reason.ts";
import { type BegunTurn, beginTurn, giveUp, requestContext } from "./begin-turn.ts";
import type { HeldSession } from "./live-session.ts";
import { endTurn, nextStep, stepAnswered, stepFailed, type TurnEnding, thrownOutcome } from "./live-turn.ts";
import { turnTimeoutProblem } from "./model-problem.ts";
import { runCalls } from "./run-calls.ts";
import { type AgentDeps, addNotice, enterPhase, type TurnState } from "./turn-state.ts";

/**
 * Runs a turn, from one input to one final answer: gather, assemble, deliver, ask, run tools, record, until there is an answer.
 *
 * A failure of the model, a tool or a limit is an outcome. A mistake the caller can fix (a channel that does not exist, a frozen
 * agent) is thrown as a Problem, and a turn that was begun is recorded as failed.
 */
export async function runTurn(deps: AgentDeps, asked: TurnInput, watching: RunTurnOptions = {}): Promise<TurnOutcome> {
  const turn = await takeTurn(deps, asked, watching, "runTurn");
  return closeTurn(deps, turn, () => runSteps(deps, turn.running));
}

/** Asks the model and runs its tools, step by step, until it has answered. */
async function runSteps(deps: AgentDeps, running: TurnState): Promise<TurnEnding> {
  for (;;) {
    const sent = await nextStep(deps, running);
    const answer = await askStep(deps, running, sent).catch((error: unknown) => stepFailed(deps, running, error));
    if (!answer) continue;
    const { result, ending } = await stepAnswered(deps, running, answer);
    if (ending) return ending;
    // After an answer without calls that was empty, interrupted or of the wrong form, the model is asked again.
    if (answer.calls.length > 0 && !answer.results) await runCalls(deps, running, answer, result);
  }
}

/** A turn that has begun, in a session that is held for it. */
export type HeldTurn = BegunTurn & { readonly held: HeldSession };

/** Checks the input of a turn, takes its session, and begins it. */
export async function takeTurn(
  deps: AgentDeps,
  asked: TurnInput,
  watching: RunTurnOptions,
  caller: string,
): Promise<HeldTurn> {
  checkNames<RunTurnOptions>(caller, watching, ["on", "signal", "approve", "ask", "onClientCalls"]);
  const { signal, on, approve, ask = "never", onClientCalls } = watching;
  checkInput(asked);
  const { text: input, attachments, picked } = readInput(asked.input, deps.attachments);
  checkTyped(asked, input);
  const bad = (what: string, value: unknown, hint: string) =>
    badArgument(`The \`${what}\` that ${caller} was given is ${kindOf(value)}.`, hint);
  if (on !== undefined && !isFunction(on)) throw bad("on", on, "Give a function that is told of every event.");
  if (signal !== undefined && !isSignal(signal))
    throw bad("signal", signal, "Give the `signal` of an AbortController.");
  checkAskMode(ask);
  const output = await outputFormat(asked.output);
  const context = await requestContext(asked.context, deps.context.schema);
  const scope = scopeNamed(deps.name, asked.user);
  const held = await deps.sessions.hold(scope, asked);
  try {
    if (asked.isStillWanted && !(await asked.isStillWanted()))
      throw new Problem("turn-over", "The turn was cancelled before it began.", "There is nothing to do.");
    const about = { scope, signal, attachments, ask, on, approve, onClientCalls, output, context: context?.value };
    const kept = context && deps.context.keep ? { kept: JSON.parse(context.json) } : {};
    const begun = await beginTurn(deps, held, { ...asked, input, picked }, { ...about, ...kept, unsynced: true });
    const { who, progress } = begun.running;
    if (context?.isMended) addNotice(who.emit, progress.notices, mendedNotice("The context of the turn"));
    return { held, ...begun };
  } catch (error) {
    held.release();
    throw error;
  }
}

/** Ends a turn in any case: a failure that is no outcome is recorded, reported to hooks and watchers, and thrown. */
export async function closeTurn(
  deps: AgentDeps,
  { held, running, deadline }: HeldTurn,
  work: () => Promise<TurnEnding>,
): Promise<TurnOutcome> {
  try {
    const ended = async () => endTurn(deps, running, await work());
    return await ended().catch((error: unknown) => {
      const problem = deadline.late ? turnTimeoutProblem(running.terms.limits.turnSeconds) : error;
      if (!(error instanceof Problem && problem instanceof Problem && expected.has(problem.code))) throw error;
      // The turn is recorded with its steps so far, whatever stopped it.
      return endTurn(deps, running, { problem });
    });
  } catch (error) {
    enterPhase(running, "Persisting");
    await giveUp(deps, running, error);
    await running.who.hooks.run("after-turn", { turn: running.who.id, state: "failed", reply: null }, (now) => now);
    running.who.emit({ kind: "turn-end", outcome: thrownOutcome(running, error) });
    throw error;
  } finally {
    deadline.stop();
    held.release();
  }
}

/** Codes of problems that are outcomes of a turn, not mistakes of the caller. */
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
