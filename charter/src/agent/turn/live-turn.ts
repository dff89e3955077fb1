import { isUpdate } from "../../delivery/baseline.ts";
import { isStop, stepMessages } from "../../delivery/history.ts";
import { withoutAnyMark } from "../../delivery/mark.ts";
import type { Answer } from "../../delivery/model.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import type { TurnReason } from "../../store/turns/turn.ts";
import type { Turn } from "../../store/turns/turns.ts";
import type { OutputFormat } from "../schema.ts";
import type { TurnOutcome } from "../turn-interface.ts";
import { prepareSession } from "./ask.ts";
import { billAnswer, saveStepResult, unrecordedSpendOf } from "./bill.ts";
import { compactIfLong, makeRoom } from "./compaction.ts";
import type { LiveSession } from "./live-session.ts";
import { checkNotStopped, isOutage, isWithheld, noAnswerProblem } from "./model-problem.ts";
import { settleAllowances } from "./permission.ts";
import { requestLimit } from "./room.ts";
import { runApprovedCalls } from "./run-calls.ts";
import { changeModel, nextModels, windowDepsOf, withReceiver } from "./seat.ts";
import { checkRequest, noteAnswered, recordRequest } from "./step.ts";
import { beforeTurn, turnPrompt } from "./turn-prompt.ts";
import {
  type AgentDeps,
  addNotice,
  enterPhase,
  type SentStep,
  type StepAttempt,
  type StepResult,
  type TurnProgress,
  type TurnState,
  type TurnView,
  taintOf,
} from "./turn-state.ts";
import { confirmWindow } from "./window.ts";

/**
 * Makes the next request of a turn, recorded before it leaves: gathered anew where needed, delivered to the model in the seat,
 * within its window and the spending limits. The caller reports the result by `stepAnswered` or `stepFailed`.
 */
export async function nextStep(deps: AgentDeps, running: TurnState): Promise<SentStep> {
  const attempt = running.progress.attempt ?? (await beginStep(deps, running));
  for (;;) {
    // The same request may be sent again: nothing in it has changed.
    if (attempt.sent) return attempt.sent;
    try {
      await prepareAttempt(deps, running, attempt);
      attempt.sent = await recordRequest(deps, running, attempt.prompt, attempt.limit);
    } catch (error) {
      await stepFailed(deps, running, error);
    }
  }
}

async function beginStep(deps: AgentDeps, running: TurnState): Promise<StepAttempt> {
  const { progress, who, terms } = running;
  if (who.handledBy !== undefined)
    throw new Problem(
      "input-handled",
      `“${who.handledBy}” took the input itself: the model was not asked.`,
      "Nothing is wrong. Say it in other words if the model should answer.",
    );
  if (progress.stepCount > 0) checkNotStopped(who.signal);
  if (progress.stepCount >= terms.limits.steps)
    throw new Problem(
      "turn-steps",
      `After ${progress.stepCount} steps the model still called tools.`,
      "Ask for less at once, or raise the limit on steps.",
    );
  if (progress.stepCount === 0) await withFailover(deps, running, () => prepareSession(deps, running));
  running.seat = { ...running.seat, next: nextModels(deps, running.seat.model) };
  let prompt = await turnPrompt(deps, running);
  const { user } = who.scope;
  if (progress.stepCount === 0 && user !== undefined)
    for (const one of deps.compareUsers(who.declaration.charter, prompt, user))
      addNotice(who.emit, progress.notices, one);
  checkNotStopped(who.signal);
  if (!progress.inputAdded) {
    // An approved call may have amended the prompt.
    if (await runApprovedCalls(deps, running, () => checkRequest(deps, running, prompt)))
      prompt = await turnPrompt(deps, running);
    await beforeTurn(running, prompt);
    if (!progress.ranApprovedCalls) checkNotStopped(who.signal);
  }
  const { name: receiver, window } = running.seat.model.receiver;
  const limit = requestLimit(window);
  const attempt = { prompt, receiver, isHistoryChecked: false, limit, share: 1 / 2, sent: undefined };
  progress.attempt = attempt;
  return attempt;
}

/**
 * Runs a piece of a turn with the model in the seat; on an outage the next one takes it, until one succeeds or each was asked
 * once.
 */
export async function withFailover<Result>(
  deps: AgentDeps,
  running: TurnState,
  work: () => Promise<Result>,
): Promise<Result> {
  running.seat = { ...running.seat, next: nextModels(deps, running.seat.model) };
  for (;;) {
    try {
      return await work();
    } catch (error) {
      await changeModelOrThrow(deps, running, error);
    }
  }
}

/**
 * Prepares an attempt for the model in the seat: another model may have a smaller window and count otherwise, and a history too
 * long for it is compacted first.
 */
async function prepareAttempt(deps: AgentDeps, running: TurnState, attempt: StepAttempt): Promise<void> {
  const { name, window } = running.seat.model.receiver;
  if (attempt.receiver !== name) {
    attempt.prompt = await turnPrompt(deps, running);
    Object.assign(attempt, { receiver: name, isHistoryChecked: false, limit: requestLimit(window), share: 1 / 2 });
  }
  if (!attempt.isHistoryChecked && !running.progress.inputAdded && !running.who.signal.aborted)
    await compactIfLong(deps, running, attempt.prompt);
  attempt.isHistoryChecked = true;
  enterPhase(running, "LoadingContext");
}

/**
 * Handles a request that failed or could not be made: the next one is shorter, or for another model. Throws where nothing else
 * can be tried. Tools' effects are recorded by then, and are not repeated.
 */
export async function stepFailed(deps: AgentDeps, running: TurnState, error: unknown): Promise<void> {
  const { attempt } = running.progress;
  if (!(error instanceof Problem) || !attempt) throw error;
  attempt.sent = undefined;
  let problem: unknown = error;
  try {
    if (await foldUnbound(deps, running, error)) return;
    if (await makeRoom(deps, running, attempt, error)) return;
  } catch (other) {
    problem = other;
  }
  await changeModelOrThrow(deps, running, problem);
}

async function changeModelOrThrow(deps: AgentDeps, running: TurnState, problem: unknown): Promise<void> {
  const mayChange = (isOutage(problem) || isWithheld(problem)) && !running.who.signal.aborted;
  if (!mayChange || !(await changeModel(deps, running, problem))) throw problem;
}

/**
 * Gives up reasoning that the provider refuses because it is bound to other messages, once a turn: the next request has a prefix of
 * its own, and none of it. From then on in this turn the model counts as one that binds its reasoning.
 */
async function foldUnbound(deps: AgentDeps, running: TurnState, { code, message }: Problem): Promise<boolean> {
  const { progress, who, seat } = running;
  const isBound = code === "model-rejected" && progress.stepResult.faults?.at(-1)?.bound === true;
  if (!isBound || progress.unbound || who.signal.aborted) return false;
  progress.unbound = true;
  await saveStepResult(deps, running, { ...progress.stepResult, because: { code, message } });
  progress.rebuildReason = "the provider refuses reasoning that is bound to other messages";
  running.seat = { ...seat, model: withReceiver(seat.model, { binds: true }) };
  const { name } = seat.model.receiver;
  noteDropped(running, `“${name}” refused its earlier reasoning, which is bound to other messages: it is left out.`);
  return true;
}

/** Notices, once a turn, that a model goes on without reasoning of before. */
function noteDropped({ who, progress }: Pick<TurnState, "who" | "progress">, message: string): void {
  if (progress.notices.some(({ code }) => code === "reasoning-dropped")) return;
  addNotice(who.emit, progress.notices, { code: "reasoning-dropped", message });
}

/** A step's result, and the turn's end if it was the last; otherwise its calls are run, or the model is asked again. */
type AnsweredStep = { readonly result: StepResult; readonly ending?: TurnEnding | undefined };

export async function stepAnswered(deps: AgentDeps, running: TurnState, answer: Answer): Promise<AnsweredStep> {
  const { progress, who, terms, seat } = running;
  const sent = progress.attempt?.sent as SentStep;
  noteAnswered(who, sent);
  progress.attempt = undefined;
  progress.stepCount += 1;
  await confirmWindow(windowDepsOf(deps, terms, seat.model), answer.usage.input);
  const bill = billAnswer(running, answer);
  const { text, calls, results, native, finish, usage, dropped } = answer;
  const ms = deps.clock().getTime() - sent.askedAt;
  who.emit({ kind: "step-end", step: progress.step, receiver: seat.model.receiver.name, finish, ...bill, ms });
  const result: StepResult = {
    ...progress.stepResult,
    answer: { text, calls, ...(native === undefined ? {} : { native }) },
    finish,
    usage,
    ...(dropped ? { dropped } : {}),
    ...(results && calls.length > 0 ? { results } : {}),
  };
  if (dropped?.some(({ type }) => type === "thinking_dropped"))
    noteDropped(running, `“${seat.model.receiver.name}” was not shown all of its earlier reasoning.`);
  const { paused } = progress;
  progress.paused = [];
  if (calls.length > 0 && !results) return { result };
  const last = progress.stepCount >= terms.limits.steps;
  // An interrupted answer goes on as if it had come in one.
  const whole = { ...answer, text: [...paused, text].join("") };
  if (finish === "pause" && !last && paused.length < maxPauses) {
    progress.paused = [...paused, text];
    await goOn(deps, running, result);
    return { result };
  }
  return { result, ending: await answerEnding(deps, running, { answer: whole, result, last }) };
}

/** Maximum number of times in a row that an interrupted answer is sent back, to go on. */
const maxPauses = 5;

/**
 * Ends a turn whose model has answered. An empty answer is said to be that, and a typed one is read first: where it does not fit,
 * the model is told once what is wrong. What it is told is on record, and it is asked again (`undefined`).
 */
async function answerEnding(
  deps: AgentDeps,
  running: TurnState,
  { answer, result, last }: { readonly answer: Answer; readonly result: StepResult; readonly last: boolean },
): Promise<TurnEnding | undefined> {
  const { progress, who, seat } = running;
  const { output } = who;
  if (answer.text.trim() === "" && !seat.model.receiver.keepsHistory) {
    progress.stepResult = result;
    const fault = { code: "model-failed", message: "The answer was empty.", retry: false } as const;
    if (last || progress.wasEmpty || answer.finish === "pause")
      return { problem: noAnswerProblem(seat.model.receiver.name, [fault]) };
    progress.wasEmpty = true;
    who.emit({ kind: "draft-dropped", reason: fault.message });
    await goOn(deps, running, { ...result, correction: answer.finish === "length" ? cutText : emptyText });
    return undefined;
  }
  if (!output) return { answer, result };
  const read = await output.read(answer.text);
  if (!read.wrong) return { answer, result, output: read.value };
  if (last || progress.corrected) return { answer, result, misfit: misfitProblem(read.wrong) };
  progress.corrected = true;
  who.emit({ kind: "draft-dropped", reason: `The answer is not what it has to be (${read.wrong[0]}).` });
  await goOn(deps, running, { ...result, correction: misfitText(output, read.wrong) });
  return undefined;
}

const emptyText = "[Your answer was empty]\nIt had no text and called no tool. Please continue.";
const cutText =
  "[Your answer was empty]\nIt reached the limit of its length before its first word. Think less, and answer in few words.";

function misfitText({ request }: OutputFormat, wrong: readonly string[]): string {
  return withoutAnyMark(
    `[Your answer is not what it has to be]\n${wrong.map((one) => `- ${one}`).join("\n")}\nAnswer again, in JSON alone, with no word before or after it, so that it fits this JSON Schema:\n${JSON.stringify(request.schema)}`,
  );
}

/** Records an answer after which the model is asked again, and adds it to the turn's messages. */
async function goOn(deps: AgentDeps, running: TurnState, result: StepResult): Promise<void> {
  const { progress } = running;
  await saveStepResult(deps, running, result);
  progress.messages = [...progress.messages, ...stepMessages(result)];
  progress.ownSteps = [...progress.ownSteps, progress.step];
}

function misfitProblem(wrong: readonly string[]): Problem {
  return new Problem(
    "bad-output",
    `The answer is not what \`output\` says: ${wrong.join("; ")}.`,
    "The reply has the model's own words. Ask again, make the schema simpler, or choose another model.",
  );
}

/** The end of a turn. `output`: the typed answer's value; `misfit`: the problem of an answer that does not fit its type. */
export type TurnEnding =
  | { readonly answer: Answer; readonly result: StepResult; readonly output?: unknown; readonly misfit?: Problem }
  | { readonly problem: Problem };

/** Closes a turn: its last step, its reply, its session and its unrecorded cost are stored in one commit. */
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
  // The next turn begins with the first model again when none answered.
  const nobody = session.standsInFor !== null && "problem" in ending && isOutage(ending.problem);
  const closed = await deps.store.turns.close(id, {
    reply: done?.answer.text ?? null,
    state: done && !done.misfit ? "answered" : "failed",
    ...(failure ? { because: turnReason(failure) } : {}),
    ...taintOf(running.progress),
    scope,
    ...(step > 0 ? { step: { step, result: stepResultOf(running.progress, ending) } } : {}),
    session: { touch: true, ...(nobody ? { standsInFor: null } : {}) },
    ...unrecordedSpendOf(deps, running.bill),
  });
  if (nobody) session.standsInFor = null;
  await settleAllowances(deps, running, done !== undefined);
  // The next input decides whether an unanswered turn is part of the history, so that is read from the store then.
  const isOver = closed.state === "erased" || closed.state === "interrupted";
  if (isOver || (!done && !running.seat.model.receiver.keepsHistory)) session.newestTurn = null;
  else addToSession(session, running, done?.result, closed.state);
  const { state, reply, problem: finalProblem } = finalState(closed, ending);
  const isKept =
    running.progress.inputAdded && isStop(stepResultOf(running.progress, ending), running.seat.model.receiver);
  const problem = finalProblem && {
    ...{
      code: finalProblem.code,
      message: finalProblem.message,
      hint: isKept ? `${finalProblem.hint} ${keptWords}` : finalProblem.hint,
    },
    ...(finalProblem.code === "model-rejected" && isOutage(finalProblem) ? { outage: true as const } : {}),
  };
  const about = { turn: id, session: session.id, state, reply, steps: step, tainted, usage, cost };
  const output = state === "answered" && done?.output !== undefined ? { output: done.output } : {};
  const outcome = { ...about, ...output, notices: running.progress.notices, ...(problem ? { problem } : {}) };
  await running.who.hooks.run("after-turn", { turn: id, state, reply }, (now) => now);
  running.who.emit({ kind: "turn-end", outcome });
  return outcome;
}

/** Returns why a turn failed, for its record, even for errors that are no Problem, which the user never saw. */
export function turnReason(error: unknown): TurnReason {
  return { code: error instanceof Problem ? error.code : "turn-failed", message: reasonOf(error) };
}

/** The sentence about an input without an answer, the same at every door. */
const keptWords = "What you wrote stays in the conversation.";

function stepResultOf({ stepResult, notices }: Readonly<TurnProgress>, ending: TurnEnding): StepResult {
  const noted = notices.length > 0 ? { notices } : {};
  const because = ({ code, message }: Problem) => ({ because: { code, message }, ...noted });
  if ("problem" in ending) return { ...stepResult, ...because(ending.problem) };
  return { ...ending.result, ...(ending.misfit ? because(ending.misfit) : noted) };
}

/** Adds the turn to the session, if it was answered or did something; of any other, only the updates. */
function addToSession(session: LiveSession, running: TurnView, result: StepResult | undefined, state: string): void {
  const summed = session.baseline?.summary?.until === running.who.id;
  const acted =
    summed || running.progress.ranApprovedCalls || running.progress.messages.some(({ role }) => role === "tool");
  const messages =
    acted || state === "answered"
      ? [...running.progress.messages, ...stepMessages(result ?? null)]
      : running.progress.messages.filter(isUpdate);
  session.stretches = [...session.stretches, { turn: running.who.id, tainted: running.progress.tainted, messages }];
}

/** Returns the state the store has for a turn: one that was erased or given up meanwhile has no reply for anyone. */
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

/** Makes the outcome that watchers get of a turn that threw. */
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
