import { attachmentsIn, kindOfAttachment } from "../../delivery/attachments.ts";
import { turnsBeside } from "../../delivery/baseline.ts";
import { noUsage } from "../../delivery/cost.ts";
import { historyOf, type PastTurn } from "../../delivery/history.ts";
import type { Fault, Message, Model } from "../../delivery/model.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import { Problem } from "../../prompt/problem.ts";
import { saveStepResult } from "./bill.ts";
import { type SentSession, withoutMarks } from "./live-session.ts";
import {
  type AgentDeps,
  addNotice,
  type ModelChoice,
  type Seat,
  type TurnState,
  type TurnTerms,
} from "./turn-state.ts";
import { keptWindow, resolveWindow } from "./window.ts";

/**
 * The seat of a model: with the window it has here, and without the kinds of attachments it was found not to take. Its
 * server is asked for the window where a signal is given; whoever only looks at a turn asks nobody.
 */
export async function seatOf(deps: AgentDeps, terms: TurnTerms, model: Model, signal?: AbortSignal): Promise<Seat> {
  const { address, receiver } = model;
  const refused =
    address === undefined || !receiver.attachments?.length
      ? []
      : await deps.store.refusedKinds.of({ model: receiver.name, address });
  const known = refused.length === 0 ? model : withoutKinds(model, refused);
  const about = windowDepsOf(deps, terms, known);
  const { window } = signal ? await resolveWindow(about, signal) : await keptWindow(about);
  return withWindow({ model: known, next: nextModels(deps, known), compactAt: 0 }, terms, window);
}

/** What a model's window is known by. One that was set is the first model's. */
export function windowDepsOf({ windows, clock, models: [first] }: AgentDeps, { window }: TurnTerms, model: Model) {
  const isFirst = model.receiver.name === first.receiver.name;
  return { windows, clock, model, asked: { window: isFirst ? window : undefined } };
}

/** The seat with this window: what its requests may have, and when its history is summed up (at three fifths, unless said). */
export function withWindow(seat: Seat, { compactAt }: Pick<TurnTerms, "compactAt">, window: number | null): Seat {
  const model = seat.model.receiver.window === window ? seat.model : withReceiver(seat.model, { window });
  const usual = window === null ? Number.POSITIVE_INFINITY : Math.floor(window * 0.6);
  return { ...seat, model, compactAt: compactAt ?? usual };
}

/** Those that are asked if this one cannot answer: each once, in their order. */
export function nextModels({ models }: Pick<AgentDeps, "models">, { receiver }: Model): readonly ModelChoice[] {
  return models.filter((one) => nameOf(one) !== receiver.name && mayFollow(one));
}

/** The model that has a session: the first, unless another took its place there. */
export async function chooseModel(deps: AgentDeps, terms: TurnTerms, sent: SentSession): Promise<Model> {
  const [first] = deps.models;
  if (sent.standsInFor !== first.receiver.name) return first;
  const choice = deps.models.find((one) => nameOf(one) === sent.receiver);
  return (choice === undefined ? undefined : await loadedOr(deps, terms, choice, () => {})) ?? first;
}

/** Whose place the model of now takes; null: nobody's. */
export function standsInFor({ models: [first] }: Pick<AgentDeps, "models">, { model }: Seat): string | null {
  return first.receiver.name === model.receiver.name ? null : first.receiver.name;
}

export function nameOf(choice: ModelChoice): string {
  return typeof choice === "string" ? choice : choice.receiver.name;
}

/** An agent over ACP can only be the first that is asked: in the midst of a turn it could not be told what was done. */
export function mayFollow(choice: ModelChoice): boolean {
  return typeof choice === "string" ? !choice.startsWith("acp/") : choice.receiver.keepsHistory !== true;
}

/**
 * The next model that can be asked takes the seat, with all that was said made for it. False: there is none. What tools
 * did is on record by then, and is not done again.
 */
export async function changeModel(deps: AgentDeps, running: TurnState, { code, message }: Problem): Promise<boolean> {
  const tell = (words: string) =>
    addNotice(running.who.emit, running.progress.notices, { code: "model-changed", message: words });
  // What became of the request stays with its step, before anybody else is asked.
  if (running.progress.step > 0)
    await saveStepResult(deps, running, { ...running.progress.stepResult, because: { code, message } });
  for (const [index, choice] of running.seat.next.entries()) {
    const leftOut = (why: string) => tell(`“${nameOf(choice)}” is left out: ${why}`);
    const model = await loadedOr(deps, running.terms, choice, leftOut);
    if (!model) continue;
    const from = running.seat.model.receiver;
    running.who.emit({ kind: "model-changed", from: from.name, to: model.receiver.name, code });
    tell(`“${from.name}” ${faultWords[code as Fault["code"]] ?? "failed"}: “${model.receiver.name}” is asked instead.`);
    const next = running.seat.next.slice(index + 1);
    running.seat = { ...(await seatOf(deps, running.terms, model, running.who.signal)), next };
    await takeOver(deps, running, from);
    return true;
  }
  return false;
}

/** A provider's own words may tell of the operator's account: they stay with the step. */
const faultWords: Readonly<Record<Fault["code"], string>> = {
  "model-busy": "is busy",
  "model-failed": "failed",
  "model-cut": "broke off",
  "model-unreachable": "cannot be reached",
  "model-rejected": "takes no requests",
  "model-aborted": "was stopped",
};

async function takeOver(deps: AgentDeps, running: TurnState, before: Receiver): Promise<void> {
  const { receiver } = running.seat.model;
  const { scope, channel, id } = running.who;
  let { declaration, toolset } = running.who;
  if (before.takesTools === false) {
    const now = deps.clock().toISOString();
    declaration = await running.terms.declare({ ...scope, channel, now, turn: id, begun: true }, receiver);
    toolset = await deps.toolsetFor(declaration, receiver);
  }
  running.who = { ...running.who, declaration, toolset, tokenizer: await deps.tokenizerFor(receiver) };
  running.progress.prepared = undefined;
  if (running.bill.usage === noUsage) running.bill.cost = receiver.price ? 0 : null;
  await readAgain(deps, running);
}

/**
 * What was said, in this turn too, is read again from the record and made for the model in the seat, as another process
 * would. What it is sent is built anew.
 */
async function readAgain({ store }: AgentDeps, { who, progress, seat }: TurnState): Promise<void> {
  const { session, id } = who;
  const { receiver } = seat.model;
  const baseline = session.baseline && withoutMarks(session.baseline);
  const turns = await store.sessions.history(session.id, turnsBeside(baseline?.summary));
  const at = turns.findIndex((one) => one.id === id);
  const own = turns[at];
  const past = at === -1 ? turns : turns.slice(0, at);
  const told = own ? [...past, { ...own, state: "answered", reply: null }] : past;
  const stretches = historyOf(told as readonly PastTurn[], baseline, receiver);
  const ours = own ? stretches.pop() : undefined;
  session.baseline = baseline;
  session.stretches = stretches;
  session.readFor = receiver.name;
  session.sentMessages = 0;
  session.prefix = null;
  session.lastRequestAt = null;
  if (progress.inputAdded && ours) progress.messages = ours.messages;
  progress.rebuildReason = baseline === null ? undefined : "the model changed";
}

/** One that cannot be loaded, or that a limit in dollars cannot be kept with, is told of. */
async function loadedOr(
  { secondOpinion }: AgentDeps,
  { limits }: TurnTerms,
  choice: ModelChoice,
  tell: (why: string) => void,
): Promise<Model | undefined> {
  try {
    const model = typeof choice === "string" ? await secondOpinion.loadModel(choice) : choice;
    const limited = limits.userDollarsPerDay !== undefined || limits.agentDollarsPerDay !== undefined;
    if (!limited || model.receiver.price) return model;
    tell("its price is not known, and a limit on spending is set.");
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    tell(error.message);
  }
  return undefined;
}

/**
 * The model in the seat took none of a kind of attachments that was sent to it: from now on it is told of them in words.
 * False: it is no such fault.
 */
export async function learnRefusedKind(
  { store }: AgentDeps,
  running: Pick<TurnState, "seat">,
  fault: Fault | undefined,
  messages: readonly Message[],
): Promise<boolean> {
  const { model } = running.seat;
  const kind = fault?.refusedKind;
  const isSent = attachmentsIn(messages).some((one) => kindOfAttachment(one) === kind);
  if (kind === undefined || !isSent || !model.receiver.attachments?.includes(kind)) return false;
  if (model.address !== undefined)
    await store.refusedKinds.learn({ model: model.receiver.name, address: model.address }, kind);
  running.seat = { ...running.seat, model: withoutKinds(model, [kind]) };
  return true;
}

function withoutKinds(model: Model, kinds: readonly string[]): Model {
  const attachments = (model.receiver.attachments ?? []).filter((kind) => !kinds.includes(kind));
  return withReceiver(model, { attachments });
}

/** One that asks it: a model may be an object of a class. */
function withReceiver(model: Model, change: Partial<Receiver>): Model {
  const { address, takesOutput, takesToolChoice, askWindow, prepare } = model;
  return {
    receiver: { ...model.receiver, ...change },
    ...(address === undefined ? {} : { address }),
    ...(takesOutput ? { takesOutput } : {}),
    ...(takesToolChoice ? { takesToolChoice } : {}),
    ...(askWindow ? { askWindow: (options) => askWindow.call(model, options) } : {}),
    ...(prepare ? { prepare: (session, options) => prepare.call(model, session, options) } : {}),
    ask: (request, asking) => model.ask(request, asking),
  };
}
