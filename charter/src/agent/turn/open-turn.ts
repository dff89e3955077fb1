import { withoutAnyMark } from "../../delivery/mark.ts";
import type { Answer, Fault, ModelRequest, ToolCall, ToolResult } from "../../delivery/model.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import { badArgument, isText, kindOf } from "../../prompt/argument.ts";
import { listed, Problem, reasonOf } from "../../prompt/problem.ts";
import { mended } from "../../prompt/sound.ts";
import type { ToolContext, ToolOutput } from "../tool.ts";
import type { TurnOutcome } from "../turn-interface.ts";
import { isOutageHere, requestSessionOf, shownRequest, soundResult, takesEmptyNow, tryAgain } from "./ask.ts";
import { billAnswer } from "./bill.ts";
import {
  type AllowedCall,
  failure,
  finishCall,
  judgeCall,
  runAllowed,
  toolContextOf,
  toolRunResultOf,
} from "./call.ts";
import { nextStep, stepAnswered, stepFailed, type TurnEnding } from "./live-turn.ts";
import { noAnswerProblem, turnTimeoutProblem } from "./model-problem.ts";
import { createActs, openActs, type StepActs } from "./run-calls.ts";
import { closeTurn, type HeldTurn } from "./run-turn.ts";
import { turnPrompt } from "./turn-prompt.ts";
import { type AgentDeps, enterPhase } from "./turn-state.ts";

/** A recorded request of a turn, and its receiver: another one, after an outage. */
export type TurnRequest = { readonly step: number; readonly request: ModelRequest; readonly receiver: Receiver };

/**
 * The decision on a call before it runs: run it with this input, or give the model this result. Held: a person must approve it
 * first, and then it runs in a later turn.
 */
export type CallVerdict =
  | { readonly verdict: "run"; readonly input: unknown }
  | { readonly verdict: "refused" | "held"; readonly result: ToolResult };

/** The end of a turn without an answer: a Problem, or whatever a loop threw, and the partial text. */
export type TurnStop = { readonly problem?: unknown; readonly aborted?: boolean; readonly partial?: string };

/** A turn that a loop of your own runs, with all that a turn of an agent has. Call `end`, whatever happens. */
export type OpenTurn = {
  readonly id: string;
  readonly session: string;
  /** Aborted when the turn's time is up, or the signal it was opened with is. */
  readonly signal: AbortSignal;
  /** Makes the next request, recorded before it leaves. Gives the same again after a fault that is worth another attempt. */
  readonly next: () => Promise<TurnRequest>;
  /** Takes the model's answer. `calls`: to be run before the next request. `done`: the turn can end. */
  readonly answered: (answer: Answer) => Promise<{ readonly calls: readonly ToolCall[]; readonly done: boolean }>;
  /**
   * Takes a fault. Waits where the same model is worth another attempt; otherwise the next request is shorter, or for another
   * model. Throws where nothing is left to try.
   */
  readonly failed: (fault: Fault, about?: { readonly partial?: string }) => Promise<void>;
  /** Records a call before it runs, and judges it by limits, hooks and taint. Also while an answer is still streaming. */
  readonly before: (call: ToolCall) => Promise<CallVerdict>;
  /** Takes a call's output and returns the result for the model: fenced where it is other people's words, and recorded. */
  readonly result: (call: string, output: ToolOutput | { readonly error: unknown }) => Promise<ToolResult>;
  /** Runs a call: `before`, the tool itself, and `result`. */
  readonly run: (call: ToolCall) => Promise<ToolResult>;
  /**
   * Takes a message of the user while the turn runs: it is recorded, and sent in the next request, after the results of the last
   * answer's calls.
   */
  readonly steer: (words: string) => Promise<void>;
  /** Proposes a change of the prompt in the agent's name. */
  readonly propose: ToolContext["propose"];
  /** Closes the turn: with its answer, or with what stopped it. A second call gives the same outcome. */
  readonly end: (stop?: TurnStop) => Promise<TurnOutcome>;
};

export function openTurnOf(deps: AgentDeps, turn: HeldTurn): OpenTurn {
  const { running, deadline } = turn;
  const { who, progress } = running;
  let acts: StepActs | undefined;
  let ending: TurnEnding | undefined;
  let outcome: Promise<TurnOutcome> | undefined;
  const allowed = new Map<string, AllowedCall>();

  const checkOpen = () => {
    if (outcome) throw orderProblem("The turn has ended.", "Open another one.");
  };
  const sentNow = () => {
    checkOpen();
    if (!progress.attempt?.sent)
      throw orderProblem("No request of this turn waits for an answer.", "Call next() first.");
  };
  const tryOthers = async (fault: Fault, partial?: string) => {
    const faults = [...(progress.stepResult.faults ?? []), fault];
    progress.stepResult = { ...progress.stepResult, faults };
    const { model } = running.seat;
    const isOutage = (one: Fault) => isOutageHere(model, one);
    const error = await tryAgain(deps, running, faults, { tell: who.emit, isOutage }).catch((given: unknown) => given);
    if (!error) return;
    notePartial(partial);
    await stepFailed(deps, running, error);
  };
  const end = (stop?: TurnStop): Promise<TurnOutcome> => {
    outcome ??= closeTurn(deps, turn, async () => endingOf(stop));
    return outcome;
  };
  const notePartial = (partial: string | undefined) => {
    if (partial?.trim()) progress.stepResult = { ...progress.stepResult, partial: mended(partial).trimEnd() };
  };
  const endingOf = (stop: TurnStop | undefined): TurnEnding => {
    if (ending && stop === undefined) return ending;
    notePartial(stop?.partial);
    throw stopProblem(stop);
  };
  deadline.whenLate(() => {
    end({ problem: turnTimeoutProblem(running.terms.limits.turnSeconds) }).catch(() => {});
  });

  const checkResults = (hint: string) => {
    const open = acts?.open().map(({ id }) => id) ?? [];
    if (open.length > 0) throw orderProblem(`There is no result of ${listed(open)}.`, hint);
  };
  /** Records a result, and reports it to watchers. */
  const report = async (result: ToolResult): Promise<ToolResult> => {
    await acts?.save();
    who.emit({ kind: "tool-result", result });
    return result;
  };
  const before = async (call: ToolCall): Promise<CallVerdict> => {
    checkOpen();
    if (progress.attempt) sentNow();
    else if (!acts?.open().some(({ id }) => id === call.id))
      throw orderProblem(`The call “${call.id}” is none that waits for a result.`, "Give a call of the last answer.");
    acts ??= createActs(deps, running, undefined);
    const refusal = acts.begin(call);
    if (progress.attempt) {
      await acts.save();
      // Changes by the call before apply when this one is judged.
      if (acts.calls.length > 1) await turnPrompt(deps, running);
    }
    enterPhase(running, "ExecutingActions");
    if (refusal !== undefined) return { verdict: "refused", result: await report(acts.refuse(call, refusal)) };
    const judged = await judgeCall(deps, running, call);
    if (!judged.allowed)
      return { verdict: judged.waits ? "held" : "refused", result: await report(acts.keep(judged.told)) };
    allowed.set(call.id, judged.allowed);
    return { verdict: "run", input: judged.allowed.input };
  };
  const kept = (result: ToolResult) => report((acts as StepActs).keep(result));
  const takeAllowed = (id: string): AllowedCall => {
    checkOpen();
    const one = allowed.get(id);
    if (!one) throw orderProblem(`The call “${id}” was not begun.`, "Ask before(call) first, and run it if it may.");
    allowed.delete(id);
    return one;
  };

  return {
    id: who.id,
    session: who.session.id,
    signal: who.signal,
    next: async () => {
      checkOpen();
      if (ending) throw orderProblem("The turn has its answer.", "Call end().");
      if (!progress.attempt && acts) {
        checkResults("Give it with run(call), or before(call) and result().");
        acts.take();
        acts = undefined;
      }
      const { hooked } = await nextStep(deps, running);
      const session = progress.prepared && { ...requestSessionOf(who), history: hooked.history.length };
      const request = await shownRequest(deps, running, { ...hooked.request, ...(session ? { session } : {}) });
      enterPhase(running, "Inferring");
      return { step: progress.step, request, receiver: running.seat.model.receiver };
    },
    answered: async (answer) => {
      sentNow();
      const { answer: soundAnswer, fault } = soundResult({ answer }, running, takesEmptyNow(running));
      if (!soundAnswer) {
        // Useless answers are paid for all the same.
        billAnswer(running, answer);
        await tryOthers(fault);
        return { calls: [], done: false };
      }
      checkResults("Give it before the answer.");
      // Calls that ran while it answered have their results by now.
      const whole = acts ? { ...answer, calls: acts.calls, results: progress.stepResult.results ?? [] } : answer;
      acts = undefined;
      const { result, ending: lastEnding } = await stepAnswered(deps, running, whole);
      ending = lastEnding;
      if (lastEnding || whole.calls.length === 0 || whole.results) return { calls: [], done: lastEnding !== undefined };
      acts = await openActs(deps, running, whole, result);
      return { calls: whole.calls, done: false };
    },
    failed: async (fault, { partial } = {}) => {
      sentNow();
      await tryOthers(fault, partial);
    },
    before,
    result: async (call, output) => {
      const one = takeAllowed(call);
      const ran = isError(output) ? failure(`It failed: ${reasonOf(output.error)}`) : toolRunResultOf(output);
      return kept(await finishCall(deps, running, one, ran));
    },
    run: async (call) => {
      const verdict = await before(call);
      if (verdict.verdict !== "run") return verdict.result;
      return kept(await runAllowed(deps, running, takeAllowed(call.id)));
    },
    steer: async (words) => {
      checkOpen();
      if (!acts || progress.attempt)
        throw orderProblem(
          "The turn is not between two steps.",
          "Steer it before next(), when an answer's calls have run.",
        );
      if (!isText(words)) throw badArgument(`What steer was given is ${kindOf(words)}.`, "Give what the user says.");
      const steering = [...(progress.stepResult.steering ?? []), mended(withoutAnyMark(words))];
      progress.stepResult = { ...progress.stepResult, steering };
      await acts.save();
    },
    propose: (change) => {
      checkOpen();
      const own = { id: `proposed-${progress.callCount}`, name: "propose", input: "{}" };
      return toolContextOf(deps, running, own).propose(change);
    },
    end,
  };
}

function isError(output: unknown): output is { readonly error: unknown } {
  return typeof output === "object" && output !== null && "error" in output && Object.keys(output).length === 1;
}

/** Turns whatever stopped a loop into a Problem: it is an outcome of the turn, and is recorded with it. */
function stopProblem({ problem, aborted }: TurnStop = {}): Problem {
  if (problem instanceof Problem) return problem;
  if (aborted) return noAnswerProblem("", [{ code: "model-aborted", message: "The turn was stopped.", retry: false }]);
  const why = problem === undefined ? "The loop ended the turn before there was an answer." : reasonOf(problem);
  return new Problem("model-failed", why, "Look at the loop that ran this turn, then ask again.");
}

function orderProblem(message: string, hint: string): Problem {
  return new Problem("turn-order", message, hint);
}
