import type { Scope } from "../../amend/amendment.ts";
import { type Baseline, isUpdate, lastSaid } from "../../delivery/baseline.ts";
import { stableShare } from "../../delivery/bill.ts";
import { historyTokens } from "../../delivery/cost.ts";
import { type DeliverOptions, type Delivery, deliver, prefixOf } from "../../delivery/deliver.ts";
import { offersText } from "../../delivery/fold.ts";
import { historySource, inputMessage, type TurnMessages, withoutNative } from "../../delivery/history.ts";
import { withoutAnyMark } from "../../delivery/mark.ts";
import type { Message, ToolOffer } from "../../delivery/model.ts";
import { type Prediction, predict, prefixIn, type ReusablePrefix, reusableOf } from "../../delivery/prediction.ts";
import { isCold, type Receiver } from "../../delivery/receiver.ts";
import { anyValue, checkOptions, isObject } from "../../prompt/argument.ts";
import { allSections, sectionScope } from "../../prompt/charter.ts";
import { counted, grouped, Problem } from "../../prompt/problem.ts";
import type { Prompt } from "../../prompt/prompt.ts";
import { type ReceiptOptions, receiptOf, type SentHistory } from "../../prompt/receipt.ts";
import type { Tokenizer } from "../../prompt/tokens.ts";
import { copyScope } from "../../store/scope.ts";
import type { Store } from "../../store/store.ts";
import { sha256 } from "../../store/texts/packing.ts";
import { attachmentsSent } from "../attachments.ts";
import { checkSpending, checkSurvival, leastAnswer, saveStepResult, spendingOf, withAnswerLimit } from "./bill.ts";
import { type LiveSession, messagesOf } from "./live-session.ts";
import { checkNotStopped } from "./model-problem.ts";
import { offersNow } from "./room.ts";
import { standsInFor } from "./seat.ts";
import { beforeStep, withEdition } from "./turn-prompt.ts";
import {
  type AgentDeps,
  noticeMarkRemoved,
  type Seat,
  type SentStep,
  type TurnIdentity,
  type TurnState,
  type TurnView,
  taintOf,
} from "./turn-state.ts";

/**
 * Delivers a prompt and records its receipt, before the model can answer. A request that is not made (too long, or too dear)
 * leaves no record, and the session as it was.
 */
export async function recordRequest(
  deps: AgentDeps,
  running: TurnState,
  prompt: Prompt,
  maxTokens: number | null,
): Promise<SentStep> {
  const { store } = deps;
  const { model } = running.seat;
  const { session, declaration, tokenizer } = running.who;
  const step = running.progress.step + 1;
  const added: Message[] = running.progress.inputAdded
    ? []
    : [inputMessage(running.progress.input, running.who.attachments)];
  const placed = await place(deps, running, prompt, { step, added });
  const { delivery, hooked: before } = await throughHooks(running, placed, step);
  const prediction = predictionOf(deps, running, before, delivery);
  running.progress.size = sizeOf(prediction, [...running.progress.messages, ...added], tokenizer);
  // Approved calls that already ran must be recorded, so the request is not refused here; it was checked before they ran.
  const isChecked = running.progress.inputAdded || !running.progress.ranApprovedCalls;
  const answerTokens = isChecked
    ? checkPrediction(deps, running, prediction, maxTokens)
    : leastAnswer(deps, running, prediction);
  const hooked = withAnswerLimit(before, fewest(await answerTokens, running.terms.limits.answerTokens, model.receiver));
  if (delivery.added !== added) noticeMarkRemoved(running.who);
  running.progress.input = inputIn(delivery) ?? running.progress.input;
  const { prepared } = running.progress;
  // Different words make a receiver start anew, with all of them.
  const isRebuilt = delivery.prefixChange.how === "folded" || running.words.hookReplacement !== undefined;
  const identity = prepared && { slot: prepared.slot, sent: prepared.fresh || isRebuilt };
  // Requests of a receiver that keeps the conversation, and their bill, are not known here.
  const { placements, predicted } = prepared ? { placements: hooked.placements, predicted: undefined } : prediction;
  const keeping = {
    ...(identity ? { identity } : {}),
    sha256,
    tokenizer,
    receiver: model.receiver.name,
    placements,
    ...attachmentsSent(hooked.history, model.receiver, tokenizer),
    ...sentRequest(running, hooked, prediction.history, { receiver: model.receiver, entering: added.length > 0 }),
    ...(predicted ? { predicted } : {}),
  };
  const { baseline } = delivery;
  const receiver = session.receiver === model.receiver.name ? undefined : model.receiver.name;
  const instead = standsInFor(deps, running.seat);
  const kept = receiptOf(declaration.charter, prompt, keeping);
  await store.turns.recordStep(running.who.id, {
    ...kept,
    stable: stableShare(kept.receipt, model.receiver.cache),
    scope: running.who.scope,
    ...taintOf(running.progress),
    ...(baseline === session.storedBaseline && receiver === undefined && instead === session.standsInFor
      ? {}
      : { session: { touch: true, baseline, receiver, standsInFor: instead } }),
  });
  running.progress.step = step;
  running.bill.predicted = predicted;
  const { inputAdded, ranApprovedCalls, input } = running.progress;
  running.progress.stepResult = inputAdded ? {} : { input, ...(ranApprovedCalls ? { acted: true } : {}) };
  if (running.progress.stepResult.acted) await saveStepResult(deps, running, running.progress.stepResult);
  session.receiver = model.receiver.name;
  session.standsInFor = instead;
  adoptDelivery(running, delivery);
  const { prefixChange } = delivery;
  running.who.emit({ kind: "step-start", step, receipt: kept.receipt, prefixChange, predicted: predicted ?? null });
  return { delivery, hooked, askedAt: deps.clock().getTime() };
}

/**
 * Runs the hooks before a step. Where one changed the messages, and the receiver binds its reasoning to them, the turn goes on
 * without reasoning, and the next one folds: what was reasoned meanwhile is bound to messages that are not kept.
 */
async function throughHooks(running: TurnState, delivery: Delivery, step: number) {
  const hooked = await beforeStep(running.who, delivery, step);
  const isRewritten = (running.who.session.baseline?.rewritten && running.progress.inputAdded) || hooked !== delivery;
  if (!isRewritten || !running.seat.model.receiver.binds) return { delivery, hooked };
  const baseline: Baseline = { ...delivery.baseline, rewritten: true };
  const plain = <One extends Message>(all: readonly One[]) => all.map((one) => withoutNative(one) as One);
  const request = { ...hooked.request, messages: plain(hooked.request.messages) };
  return {
    delivery: { ...delivery, baseline },
    hooked: { ...hooked, baseline, history: plain(hooked.history), request },
  };
}

/** Notes that a request was answered: only then is it known what the provider may have cached of it. */
export function noteAnswered({ session }: TurnIdentity, { delivery, hooked, askedAt }: SentStep): void {
  session.sentMessages = sharedMessages(hooked.history, delivery.history);
  session.prefix = prefixIn(delivery);
  session.lastRequestAt = askedAt;
}

/** Returns the user's message as it was sent, which is also how it is stored. */
function inputIn({ added }: Delivery): string | undefined {
  const [input] = added;
  return input && "text" in input ? input.text : undefined;
}

/**
 * Checks whether the turn's first request could be made, as far as that is known. A history that is too long would be compacted
 * for it.
 */
export async function checkRequest(deps: AgentDeps, running: TurnView, prompt: Prompt): Promise<void> {
  const added: Message[] = [inputMessage(running.progress.input, running.who.attachments)];
  const delivery = await place(deps, running, prompt, { step: running.progress.step + 1, added });
  const prediction = predictionOf(deps, running, delivery, delivery);
  const size = sizeOf(prediction, added, running.who.tokenizer);
  const total = running.seat.model.receiver.keepsHistory ? size.total : size.besides;
  await checkPrediction(deps, running, { ...prediction, total });
}

async function checkPrediction(
  deps: AgentDeps,
  running: TurnView,
  prediction: Prediction,
  maxTokens = running.seat.model.receiver.window,
): Promise<number | undefined> {
  checkSize(running.seat, prediction, maxTokens);
  const answerTokens = await checkSurvival(deps, running, prediction);
  await checkSpending(spendingOf(deps, running), running.who.scope, prediction.predicted);
  checkNotStopped(running.who.signal);
  return answerTokens;
}

/** Returns the narrowest limit of an answer's tokens; undefined where none is narrower than the model's own. */
function fewest(affordable: number | undefined, limit: number | undefined, { output }: Receiver): number | undefined {
  const narrows = limit !== undefined && limit < Math.min(affordable ?? limit + 1, output ?? limit + 1);
  return narrows ? Math.max(1, Math.floor(limit)) : affordable;
}

type PlaceOptions = { readonly step: number; readonly added: readonly Message[] };

/** Makes the request of a step, before hooks see it. Nothing is sent or stored. */
export async function place(
  deps: AgentDeps,
  running: TurnView,
  prompt: Prompt,
  { step, added }: PlaceOptions,
): Promise<Delivery> {
  const { newSecret } = deps;
  const { model } = running.seat;
  const { session, declaration, id, tokenizer } = running.who;
  const { rebuildReason } = running.progress;
  const { charter } = declaration;
  const { hookReplacement } = running.words;
  const { baseline } = session;
  const { receiver: known } = model;
  const receiver =
    baseline?.binds && !known.binds && rebuildReason === undefined ? { ...known, binds: true as const } : known;
  const earlier = messagesOf(session.stretches);
  const offers = offersNow(running);
  const removed = await removedSections(deps.store, { charter, scope: running.who.scope, baseline, prompt });
  const delivered = deliver({
    charter,
    prompt,
    besides: running.words.hookAdditions,
    receiver,
    offers,
    offered: await offeredBefore(deps.store, session, offers, receiver),
    baseline,
    past: [...earlier, ...running.progress.messages],
    from: earlier.length,
    added,
    sent: session.sentMessages,
    turn: id,
    step,
    cold: isCold(model.receiver, session.lastRequestAt, deps.clock()),
    removed: (section) => removed.has(section),
    secret: baseline?.secret ?? newSecret(),
    sha256,
    tokenizer,
    cacheKey: session.id,
    ...(rebuildReason === undefined ? {} : { anew: rebuildReason }),
    ...(hookReplacement ? { instead: hookReplacement } : {}),
  });
  const delivery = withEdition(delivered, prompt);
  const { output } = running.who;
  return output ? { ...delivery, request: { ...delivery.request, output: output.request } } : delivery;
}

/** Carries what was sent over into the session and the turn. */
function adoptDelivery(running: Pick<TurnState, "who" | "progress">, delivery: Delivery): void {
  const { session } = running.who;
  const { baseline, history, added } = delivery;
  if (isNewPrefix(session.baseline, delivery)) session.sentMessages = 0;
  session.stretches = stretchesKept(session, delivery);
  const earlier = messagesOf(session.stretches).length;
  running.progress.messages =
    baseline.whole === undefined ? history.slice(earlier) : [...running.progress.messages, ...added];
  session.offers = offersNow(running);
  session.baseline = baseline;
  session.storedBaseline = baseline;
  running.progress.rebuildReason = undefined;
  running.progress.inputAdded = true;
}

/** Returns the tools that the session's last request offered; of another process's they are on record. */
async function offeredBefore(
  store: Store,
  { offers, baseline, stretches }: LiveSession,
  now: readonly ToolOffer[],
  { changesTools }: Receiver,
): Promise<readonly ToolOffer[] | undefined> {
  const isSame = baseline === null || baseline.offers === offersText(now, sha256).digest;
  const turn = stretches.findLast((one) => one.turn !== null)?.turn;
  if (offers || isSame || !changesTools || !turn) return offers ?? undefined;
  try {
    const { besides } = await store.steps.replay(turn);
    return besides.offers === null ? undefined : JSON.parse(besides.offers);
  } catch {
    // It was erased or let go: the session starts anew.
    return undefined;
  }
}

function isNewPrefix(before: Baseline | null, { baseline }: Pick<Delivery, "baseline">): boolean {
  return baseline.since !== before?.since;
}

/**
 * Returns the earlier turns as a request has them: without updates that it folded or moved and, where a new prefix begins and the
 * receiver binds reasoning to the old one, without that.
 */
function stretchesKept(
  { stretches, baseline: before }: Pick<LiveSession, "stretches" | "baseline">,
  { baseline, history }: Pick<Delivery, "baseline" | "history">,
): readonly TurnMessages[] {
  const drops = baseline.binds && isNewPrefix(before, { baseline });
  const isAsSent = messagesOf(stretches).every((message, index) => message === history[index]);
  if (!drops && (isAsSent || baseline.whole !== undefined)) return stretches;
  const sent = new Set(history);
  const isLeft = (message: Message) => baseline.whole === undefined && isUpdate(message) && !sent.has(message);
  return stretches.map((one) => {
    const messages = one.messages.filter((message) => !isLeft(message));
    return { ...one, messages: drops ? messages.map(withoutNative) : messages };
  });
}

/** Returns the tokens of a request, and those of it that no compaction removes: everything but history, and the turn's input. */
function sizeOf({ total, history }: Prediction, own: readonly Message[], tokenizer: Tokenizer) {
  const input = own.filter((message) => message.role === "user" && !isUpdate(message)).slice(0, 1);
  return { total, besides: total - (history.tokens ?? 0) + historyTokens(input, tokenizer) };
}

function checkSize({ model }: Seat, { total }: Prediction, maxTokens: number | null): void {
  if (maxTokens === null || total <= maxTokens) return;
  const { window, name } = model.receiver;
  throw new Problem(
    "request-too-long",
    `The request has ${counted(total, "token")}, and ${name} takes ${grouped(window ?? maxTokens)}.`,
    "Say it in fewer words, start a new session, or choose a model with more room.",
  );
}

/**
 * Returns the parts of a receipt besides its sections that are needed to rebuild the whole request: the tools, and the origin of
 * its messages. `entering`: the turn's input is sent with it for the first time.
 */
export function sentRequest(
  { who, progress }: Pick<TurnView, "who" | "progress">,
  { request, history, placements, baseline: next }: Pick<Delivery, "request" | "history" | "placements" | "baseline">,
  counted: SentHistory,
  { receiver, entering }: { readonly receiver: Receiver; readonly entering: boolean },
): Required<Pick<ReceiptOptions, "request" | "history">> {
  // The input is stored with the turn itself; hooks' changes to it are known once the step has a result.
  const input: Message[] = entering ? [inputMessage(withoutAnyMark(who.asked), who.attachments)] : [];
  const { baseline } = who.session;
  const drops = next.binds && isNewPrefix(baseline, { baseline: next });
  const plain = (one: TurnMessages) => (drops ? { ...one, messages: one.messages.map(withoutNative) } : one);
  const { messages: own } = plain({ turn: who.id, tainted: false, messages: [...progress.messages, ...input] });
  const known = { stretches: who.session.stretches.map(plain), own, summary: baseline?.summary ?? null };
  const bound = next.binds ? next.since : undefined;
  const { source, ...texts } = historySource(known, { history, placements }, { ...receiver, since: bound }, sha256);
  const output = request.output && JSON.stringify(request.output);
  const format = output === undefined ? {} : { output: { digest: sha256(output), text: output } };
  return {
    request: {
      offers: offersText(request.tools, sha256),
      ...(request.toolChoice ? { toolChoice: request.toolChoice } : {}),
      ...(request.answerTokens ? { answerTokens: request.answerTokens } : {}),
      ...format,
      ...texts,
    },
    history: { ...counted, source },
  };
}

export function predictionOf(deps: AgentDeps, running: TurnView, hooked: Delivery, delivery: Delivery): Prediction {
  const reusable = stillCached(deps, running, hooked, delivery);
  return predict(hooked, running.seat.model.receiver, { reusable, tokenizer: running.who.tokenizer, sha256 });
}

/**
 * Returns the part of the last request that the provider may still have cached. The prefix of a request by another process is
 * rebuilt from the baseline.
 */
export function stillCached(
  deps: AgentDeps,
  { who: { session, declaration, tokenizer }, seat }: Pick<TurnView, "who" | "seat">,
  delivery: Delivery,
  placed = delivery,
): ReusablePrefix | null {
  const { baseline } = session;
  const { receiver } = seat.model;
  if (!baseline || isCold(receiver, session.lastRequestAt, deps.clock())) return null;
  const prefix = session.prefix ?? prefixOf(baseline, { ...declaration, receiver, sha256, tokenizer });
  const folded = delivery.prefixChange.how === "folded";
  const messages = folded ? 0 : Math.min(session.sentMessages, sharedMessages(delivery.history, placed.history));
  return reusableOf(delivery, { prefix, messages, offers: baseline.offers }, declaration.charter, receiver);
}

/** Counts the messages with which two histories begin alike: a hook may have changed one of them. */
function sharedMessages(one: readonly Message[], other: readonly Message[]): number {
  if (one === other) return one.length;
  const differs = one.findIndex((message, index) => JSON.stringify(message) !== JSON.stringify(other[index]));
  return differs === -1 ? one.length : differs;
}

/** A prompt that is about to be delivered in a session, and its scope. */
export type RemovedSectionsOptions = Pick<DeliverOptions, "charter" | "prompt" | "baseline"> & {
  readonly scope: Scope;
};

/**
 * Lists the sections whose earlier text must be gone from a session's prefix: the operator changed them, or they were reset or
 * reverted. This is the `removed` of `deliver`, for a loop of your own.
 */
export async function removedSections(
  store: Pick<Store, "history">,
  options: RemovedSectionsOptions,
): Promise<ReadonlySet<string>> {
  checkOptions<RemovedSectionsOptions>("removedSections", options, {
    charter: [isObject, "Give the charter that the prompt was assembled from."],
    prompt: [isObject, "Give what assemble(charter, readings) made."],
    baseline: anyValue,
    scope: [isObject, "Give { agent }, or { agent, user }: names."],
  });
  const { charter, prompt, baseline, scope } = options;
  const removed = new Set<string>();
  if (!baseline) return removed;
  const now = new Map(prompt.sections.map((section) => [section.name, section]));
  const sections = new Map(allSections(charter).map((placed) => [placed.section.name, placed]));
  const names = new Set([...baseline.words.map(({ name }) => name), ...baseline.updates.map(({ section }) => section)]);
  for (const name of names) {
    const sent = lastSaid(baseline, name);
    if (!sent || sent.revision === null) continue;
    const placed = sections.get(name);
    const revision = now.get(name)?.revision ?? null;
    if (placed && revision === sent.revision) continue;
    if (!placed || (revision !== null && revision < sent.revision)) {
      removed.add(name);
      continue;
    }
    // No user, nobody to amend it.
    if (sectionScope(placed.section, placed.layer) === "user" && scope.user === undefined) continue;
    const page = { limit: Math.min(100, Math.max(1, (revision ?? sent.revision + 100) - sent.revision)) };
    const since = await store.history.list(copyScope(placed, scope), name, page);
    const takesBack = since.some(
      (one) =>
        one.revision > (sent.revision as number) &&
        (one.actor === "operator" || one.operation === "reset" || one.operation === "revert"),
    );
    if (takesBack || since.length === 100) removed.add(name);
  }
  return removed;
}
