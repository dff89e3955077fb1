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
 * Makes the seat of a model: with its window here, and without the kinds of attachments it was found not to take. Its server is
 * asked for the window if a signal is given; a preview of a turn asks nobody.
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

/** Returns the facts by which a model's window is known. A window that was set is the first model's. */
export function windowDepsOf({ windows, clock, models: [first] }: AgentDeps, { window }: TurnTerms, model: Model) {
  const isFirst = model.receiver.name === first.receiver.name;
  return { windows, clock, model, asked: { window: isFirst ? window : undefined } };
}

/**
 * Returns the seat with this window, which limits its requests, and the size at which its history is compacted (three fifths of
 * the window, unless set).
 */
export function withWindow(seat: Seat, { compactAt }: Pick<TurnTerms, "compactAt">, window: number | null): Seat {
  const model = seat.model.receiver.window === window ? seat.model : withReceiver(seat.model, { window });
  const usual = window === null ? Number.POSITIVE_INFINITY : Math.floor(window * 0.6);
  return { ...seat, model, compactAt: compactAt ?? usual };
}

/** Lists the models to ask if this one cannot answer: each once, in their order. */
export function nextModels({ models }: Pick<AgentDeps, "models">, { receiver }: Model): readonly ModelChoice[] {
  return models.filter((one) => nameOf(one) !== receiver.name && mayFollow(one));
}

/** Chooses the model of a session: the first, unless another took its place there. */
export async function chooseModel(deps: AgentDeps, terms: TurnTerms, sent: SentSession): Promise<Model> {
  const [first] = deps.models;
  if (sent.standsInFor !== first.receiver.name) return first;
  const choice = deps.models.find((one) => nameOf(one) === sent.receiver);
  return (choice === undefined ? undefined : await loadOrSkip(deps, terms, choice, () => {})) ?? first;
}

/** Returns the name of the model in whose place this one answers; null if it is the first itself. */
export function standsInFor({ models: [first] }: Pick<AgentDeps, "models">, { model }: Seat): string | null {
  return first.receiver.name === model.receiver.name ? null : first.receiver.name;
}

export function nameOf(choice: ModelChoice): string {
  return typeof choice === "string" ? choice : choice.receiver.name;
}

/**
 * Tells whether a model may take over. An agent over ACP can only be the first: in the midst of a turn it could not be told what
 * was done.
 */
export function mayFollow(choice: ModelChoice): boolean {
  return typeof choice === "string" ? !choice.startsWith("acp/") : choice.receiver.keepsHistory !== true;
}

/**
 * Gives the seat to the next model that can be asked, with the messages made for it. Returns false if there is none. Tools'
 * effects are recorded by then, and are not repeated.
 */
export async function changeModel(deps: AgentDeps, running: TurnState, { code, message }: Problem): Promise<boolean> {
  const notify = (words: string) =>
    addNotice(running.who.emit, running.progress.notices, { code: "model-changed", message: words });
  // The failed request's reason is stored with its step before another model is asked.
  if (running.progress.step > 0)
    await saveStepResult(deps, running, { ...running.progress.stepResult, because: { code, message } });
  for (const [index, choice] of running.seat.next.entries()) {
    const leftOut = (why: string) => notify(`“${nameOf(choice)}” is left out: ${why}`);
    const model = await loadOrSkip(deps, running.terms, choice, leftOut);
    if (!model) continue;
    const from = running.seat.model.receiver;
    running.who.emit({ kind: "model-changed", from: from.name, to: model.receiver.name, code });
    notify(
      `“${from.name}” ${faultWords[code as Fault["code"]] ?? "failed"}: “${model.receiver.name}” is asked instead.`,
    );
    const next = running.seat.next.slice(index + 1);
    running.seat = { ...(await seatOf(deps, running.terms, model, running.who.signal)), next };
    await takeOver(deps, running, from);
    return true;
  }
  return false;
}

/** Words for each fault. A provider's own may tell of the operator's account, so they stay with the step. */
const faultWords: Readonly<Record<Fault["code"], string>> = {
  "model-busy": "is busy",
  "model-failed": "failed",
  "model-cut": "broke off",
  "model-unreachable": "cannot be reached",
  "model-rejected": "refused the request",
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
 * Reads the messages, this turn's too, again from the record and makes them for the model in the seat, as another process would.
 * Its prefix is built anew.
 */
async function readAgain({ store }: AgentDeps, { who, progress, seat }: TurnState): Promise<void> {
  const { session, id } = who;
  const { receiver } = seat.model;
  const baseline = session.baseline && withoutMarks(session.baseline);
  const turns = await store.sessions.history(session.id, turnsBeside(baseline?.summary));
  const at = turns.findIndex((one) => one.id === id);
  const own = turns[at];
  const past = at === -1 ? turns : turns.slice(0, at);
  const turnsSoFar = own ? [...past, { ...own, state: "answered", reply: null }] : past;
  const stretches = historyOf(turnsSoFar as readonly PastTurn[], baseline, receiver);
  const ownStretch = own ? stretches.pop() : undefined;
  session.baseline = baseline;
  session.offers = null;
  session.stretches = stretches;
  session.readFor = receiver.name;
  session.sentMessages = 0;
  session.prefix = null;
  session.lastRequestAt = null;
  if (progress.inputAdded && ownStretch) progress.messages = ownStretch.messages;
  progress.rebuildReason = baseline === null ? undefined : "the model changed";
}

/**
 * Loads a model. One that cannot be loaded, or whose unknown price makes a limit in dollars useless, is skipped with a notice.
 */
async function loadOrSkip(
  { secondOpinion }: AgentDeps,
  { limits }: TurnTerms,
  choice: ModelChoice,
  notify: (why: string) => void,
): Promise<Model | undefined> {
  try {
    const model = typeof choice === "string" ? await secondOpinion.loadModel(choice) : choice;
    const limited = limits.userDollarsPerDay !== undefined || limits.agentDollarsPerDay !== undefined;
    if (!limited || model.receiver.price) return model;
    notify("its price is not known, and a limit on spending is set.");
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    notify(error.message);
  }
  return undefined;
}

/**
 * Learns from a fault that the model in the seat takes no attachments of a kind: from now on they are described to it in words.
 * Returns false if the fault is another.
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

/** Copies a model with changes to its receiver. Its functions are called on the original, which may be an object of a class. */
export function withReceiver(model: Model, change: Partial<Receiver>): Model {
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
