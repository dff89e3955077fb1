import { stepMessages } from "../../delivery/history.ts";
import type {
  Answer,
  AskOptions,
  Fault,
  Model,
  ModelRequest,
  ModelResult,
  PrepareResult,
  RequestSession,
} from "../../delivery/model.ts";
import { withOutputWords } from "../../delivery/models/wire.ts";
import { backoffMs } from "../../prompt/bounds.ts";
import { reasonOf } from "../../prompt/problem.ts";
import { isWhole, mended, mendedData, mendedNotice } from "../../prompt/sound.ts";
import { withAttachments } from "../attachments.ts";
import { maxTimeoutMs, withTimeout } from "../limits.ts";
import type { Emit } from "../turn-interface.ts";
import { billAnswer } from "./bill.ts";
import { isOutageFault, noAnswerProblem } from "./model-problem.ts";
import { actWhileAnswering, type WhileAnswering } from "./run-calls.ts";
import {
  type AgentDeps,
  addNotice,
  enterPhase,
  type SentStep,
  type TurnIdentity,
  type TurnState,
  type TurnView,
} from "./turn-state.ts";

/** Waits between attempts; the turn's own time limit is the maximum. */
const retry = { min: 500, max: Number.POSITIVE_INFINITY, spread: [0.75, 1.25] } as const;

/**
 * Asks the model, again where the same request may get an answer: from a busy or broken provider, after a stream that was cut. No
 * tool has run yet when it is asked again, so nothing can happen twice. An earlier draft is dropped, and each fault is kept with
 * the step's result.
 */
export async function askModel(
  deps: AgentDeps,
  running: Omit<TurnState, "words">,
  request: ModelRequest,
  { tell = running.who.emit, act, takesEmpty = false }: AskModelOptions = {},
): Promise<Answer> {
  const { model } = running.seat;
  const { signal } = running.who;
  const shown = await shownRequest(deps, running, request);
  const faults: Fault[] = [];
  enterPhase(running, "Inferring");
  for (;;) {
    let draft = "";
    let isOver = false;
    // Each attempt has functions of its own: a call from an attempt that is over comes too late.
    const acting = act?.();
    const onText = (text: string) => {
      if (isOver) return;
      draft += text;
      acting?.onDraft(text);
      tell({ kind: "draft", text });
    };
    const result = await answerOrStop(model, shown, { ...acting, signal, onText });
    const asked = soundResult(result, running, takesEmpty || takesEmptyNow(running));
    if (result.sent) running.progress.stepResult = { ...running.progress.stepResult, sent: result.sent };
    await acting?.close();
    isOver = true;
    if (asked.answer) return asked.answer;
    // Useless answers are paid for all the same.
    if (result.answer) billAnswer(running, result.answer);
    const { fault } = asked;
    if (draft !== "") tell({ kind: "draft-dropped", reason: fault.message });
    faults.push(fault);
    running.progress.stepResult = { ...running.progress.stepResult, faults: [...faults] };
    try {
      await tryAgain(deps, running, faults, { tell, isOutage: (one) => isOutageHere(model, one) });
    } catch (error) {
      // Streams may end between the halves of a character.
      const partial = mended(draft.replace(/[\ud800-\udbff]$/, "")).trimEnd();
      if (partial !== "") running.progress.stepResult = { ...running.progress.stepResult, partial };
      throw error;
    }
  }
}

/**
 * Asks with the recorded request. A receiver that keeps the conversation may act while it answers: what it did stands, whatever
 * its answer is.
 */
export async function askStep(deps: AgentDeps, running: TurnState, { hooked }: SentStep): Promise<Answer> {
  if (!running.progress.prepared) return askModel(deps, running, hooked.request);
  const act = () => actWhileAnswering(deps, running);
  const session = { ...requestSessionOf(running.who), history: hooked.history.length };
  try {
    return await askModel(deps, running, { ...hooked.request, session }, { act });
  } catch (error) {
    running.progress.messages = [...running.progress.messages, ...stepMessages(running.progress.stepResult)];
    throw error;
  }
}

/** Adds the bytes of attachments and, where the model knows no other way, the required form of the answer in words. */
export async function shownRequest(
  { store }: AgentDeps,
  { who, seat: { model } }: Pick<TurnState, "who" | "seat">,
  request: ModelRequest,
): Promise<ModelRequest> {
  const whole = await withAttachments(store, who, request, model.receiver.attachments);
  return model.takesOutput ? whole : withOutputWords(whole);
}

/**
 * Tells whether another model may be asked after this fault. A receiver that keeps the conversation may have run its tools, so
 * nobody else is asked the same.
 */
export function isOutageHere({ receiver }: Model, fault: Fault): boolean {
  return isOutageFault(fault) && (fault.retry || !receiver.keepsHistory);
}

/**
 * Options: who hears of drafts and retries, what a receiver may do while it answers, and whether an answer without a word is
 * accepted.
 */
type AskModelOptions = { readonly tell?: Emit; readonly act?: () => WhileAnswering; readonly takesEmpty?: boolean };

/** Limits on asking the same model again while another waits behind it: once, and soon, since the other can answer now. */
const beforeNext = { retries: 1, waitMs: 5000 } as const;

/**
 * Waits before the next attempt. Throws where none would help, or there were enough. `isOutage`: whether another model may be
 * asked then.
 */
export async function tryAgain(
  { random, sleep }: AgentDeps,
  { who: { signal }, terms: { limits }, seat: { model, next } }: Pick<TurnState, "who" | "terms" | "seat">,
  faults: readonly Fault[],
  { tell, isOutage }: { readonly tell: Emit; readonly isOutage: (fault: Fault) => boolean },
): Promise<void> {
  const attempt = faults.length;
  const fault = faults.at(-1) as Fault;
  const waitMs = fault.afterMs ?? backoffMs(attempt - 1, random, retry);
  const maxRetries = next.length === 0 ? limits.retries : Math.min(limits.retries, beforeNext.retries);
  const maxWaitMs = next.length === 0 ? limits.turnSeconds * 1000 : beforeNext.waitMs;
  const hopeless = !fault.retry || attempt > maxRetries || waitMs > maxWaitMs;
  if (signal.aborted || hopeless)
    throw noAnswerProblem(model.receiver.name, faults, !signal.aborted && isOutage(fault));
  tell({ kind: "retry", fault, attempt, waitMs });
  await sleep(waitMs, signal);
}

const stopped: { readonly fault: Fault } = {
  fault: { code: "model-aborted", message: "It was stopped.", retry: false },
};

/** Asks a model once. One that ignores the signal, or throws, does not take the turn with it. */
async function answerOrStop(model: Model, request: ModelRequest, asking: AskOptions): Promise<ModelResult> {
  const { signal } = asking;
  if (signal.aborted) return stopped;
  try {
    return await withTimeout(Number.POSITIVE_INFINITY, model.ask(request, asking), () => stopped, signal);
  } catch (error) {
    return { fault: { code: "model-failed", message: reasonOf(error), retry: false } };
  }
}

/**
 * Checks an answer, which is mended where it could not be kept or sent back: one that says nothing and calls nothing is none,
 * unless `takesEmpty`.
 */
export function soundResult(
  asked: ModelResult,
  running: Pick<TurnState, "who" | "seat" | "progress">,
  takesEmpty: boolean,
): ModelResult {
  const { receiver } = running.seat.model;
  const answer = asked.answer && mendedAnswer(running, asked.answer);
  // A receiver that keeps the conversation is not asked again: its tools may have run.
  const { keepsHistory } = receiver;
  if (answer === undefined) return asked;
  const sound: ModelResult = { ...(asked.sent ? { sent: asked.sent } : {}), answer };
  if (!isEmpty(answer)) return sound;
  if (answer.finish === "content-filter")
    return {
      fault: {
        ...{ code: "model-rejected", message: "The provider's filter withheld the answer.", retry: false },
        ...(keepsHistory ? {} : { withheld: true }),
      },
    };
  return takesEmpty && !keepsHistory ? sound : { fault: noAnswer("The answer was empty.", false) };
}

/** Mends an answer. One that was goes back without the provider's own form of it, which cannot be mended. */
function mendedAnswer({ who, seat, progress }: Pick<TurnState, "who" | "seat" | "progress">, answer: Answer): Answer {
  const { native: _, ...plain } = answer;
  const { text, calls } = plain;
  if (isWhole(text) && calls.every(({ id, name, input }) => isWhole(id) && isWhole(name) && isWhole(input)))
    return answer;
  addNotice(who.emit, progress.notices, mendedNotice(`An answer of “${seat.model.receiver.name}”`));
  return { ...plain, text: mended(text), calls: mendedData(calls) };
}

function noAnswer(message: string, retry: boolean): Fault {
  return { code: "model-failed", message, retry };
}

/** Returns true for an answer of which nobody has anything: no text, no call, and nothing that goes on. */
function isEmpty({ text, calls, finish }: Pick<Answer, "text" | "calls" | "finish">): boolean {
  return text.trim() === "" && calls.length === 0 && finish !== "pause";
}

/** Tells whether an empty answer counts: as the end of one that was interrupted; else once in a turn, while there is a step left. */
export function takesEmptyNow({ progress, terms }: Pick<TurnView, "progress" | "terms">): boolean {
  const isEnd = progress.paused.some((text) => text.trim() !== "");
  return isEnd || (!progress.wasEmpty && progress.stepCount + 1 < terms.limits.steps);
}

/**
 * Prepares a receiver that keeps the conversation before anything of the turn is sent. Where it has nothing of the conversation,
 * the prefix is built from the current words.
 */
export async function prepareSession(
  deps: AgentDeps,
  running: Pick<TurnState, "who" | "terms" | "seat" | "progress">,
): Promise<void> {
  if (!running.seat.model.prepare) return;
  const faults = [];
  for (;;) {
    const { prepared, fault } = await prepareOrStop(running);
    if (prepared) {
      running.progress.prepared = prepared;
      if (prepared.fresh && running.who.session.baseline)
        running.progress.rebuildReason = "the agent has nothing of this conversation, and is told anew";
      return;
    }
    faults.push(fault);
    // Any fault but an abort lets another model be asked, since nothing was sent yet.
    const isOutage = ({ code }: Fault) => code !== "model-aborted";
    await tryAgain(deps, running, faults, { tell: running.who.emit, isOutage });
  }
}

/** Names the conversation of a request. */
export function requestSessionOf({ session, scope, operator }: TurnIdentity): Omit<RequestSession, "history"> {
  const { agent, user } = scope;
  return { id: session.id, agent, ...(user === undefined ? {} : { user }), operator };
}

async function prepareOrStop({ who, seat: { model } }: Pick<TurnState, "who" | "seat">): Promise<PrepareResult> {
  const { signal } = who;
  if (signal.aborted) return stopped;
  try {
    const work = model.prepare?.(requestSessionOf(who), { signal }) ?? Promise.resolve(stopped);
    return await withTimeout<PrepareResult>(maxTimeoutMs, work, () => stopped, signal);
  } catch (error) {
    return { fault: { code: "model-failed", message: reasonOf(error), retry: false } };
  }
}
