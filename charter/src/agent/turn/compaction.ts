import { attachmentsIn, toldLine } from "../../delivery/attachments.ts";
import { type Baseline, codeWords, isUpdate, type Summary } from "../../delivery/baseline.ts";
import { stableShare } from "../../delivery/bill.ts";
import { historyTokens, messageEnds, messageTokens } from "../../delivery/cost.ts";
import {
  blocksOf,
  type Delivery,
  historyBreakpoints,
  plainMessages,
  prefixBreakpoints,
  prefixOf,
  unansweredUpdates,
  withBreakpoints,
} from "../../delivery/deliver.ts";
import { offersDigest } from "../../delivery/fold.ts";
import { summaryMessage, summaryRole, type TurnMessages, withoutNative } from "../../delivery/history.ts";
import type { Answer, Fault, Message, ModelRequest, ToolCall } from "../../delivery/model.ts";
import { predict } from "../../delivery/prediction.ts";
import { countCharacters, firstCharacters, oneLine } from "../../prompt/character.ts";
import { counted, Problem } from "../../prompt/problem.ts";
import { type Prompt, sectionTexts } from "../../prompt/prompt.ts";
import { receiptOf, type SectionText } from "../../prompt/receipt.ts";
import type { Tokenizer } from "../../prompt/tokens.ts";
import { sha256 } from "../../store/texts/packing.ts";
import { attachmentsSent } from "../attachments.ts";
import { askModel } from "./ask.ts";
import { openTexts } from "./ask-reason.ts";
import { billAnswer, checkSpending, checkSurvival, saveStepResult, spendingOf, withAnswerLimit } from "./bill.ts";
import { withoutSessionMark } from "./call.ts";
import { messagesOf } from "./live-session.ts";
import { isOutage } from "./model-problem.ts";
import {
  cutSummary,
  leftOutText,
  minHistoryTokens,
  offersNow,
  requestLimit,
  shortenSummary,
  summaryRoom,
} from "./room.ts";
import { learnRefusedKind, windowDepsOf, withWindow } from "./seat.ts";
import { sentRequest, stillCached } from "./step.ts";
import { type AgentDeps, addNotice, type Seat, type StepAttempt, type TurnState, taintOf } from "./turn-state.ts";
import { learnWindow } from "./window.ts";

/** Compacts a history that has grown too long, before the turn adds to it. */
export async function compactIfLong(deps: AgentDeps, running: CompactionState, prompt: Prompt): Promise<void> {
  const { session, tokenizer } = running.who;
  const tokens = messageEnds(tokenizer, messagesOf(session.stretches)).at(-1) as number;
  if (tokens > running.seat.compactAt) await compact(deps, running, prompt, { keep: running.seat.compactAt / 4 });
}

/**
 * Replaces the oldest part of a history by a summary in the model's own words; the newest messages, of at most `keep` tokens,
 * stay as they are. The summary enters as a user message: it is what was said, not a rule. The session starts from a new
 * baseline. A running turn is summarised as well, up to one of its steps; its input stays. Where the model gives no summary and
 * the request `mustFit`, the oldest part is left out. Returns false if the history is unchanged.
 */
export async function compact(
  deps: AgentDeps,
  running: CompactionState,
  prompt: Prompt,
  { keep, mustFit = false, words }: CompactOptions,
): Promise<boolean> {
  const { session, tokenizer, emit } = running.who;
  // Receivers that keep the conversation care for its length themselves.
  if (running.seat.model.receiver.keepsHistory || !session.baseline) return false;
  const own = ownStretches(running);
  const all: readonly Stretch[] = [...session.stretches, ...own.steps];
  const sizes = all.map(({ messages }) => historyTokens(messages, tokenizer));
  const before = sizes.reduce((sum, size) => sum + size, 0);
  // Turns that another process has not finished cannot be summarised, nor those after them.
  const unfinished = session.stretches.findIndex(({ turn }) => turn !== null && turn === session.unfinished);
  const split = Math.min(splitAt(sizes, keep), unfinished === -1 ? sizes.length : unfinished);
  const old = all.slice(0, split);
  const last = old.findLast(({ turn }) => turn !== null);
  if (!last) return false;
  const { turn: until, step } = last as Stretch & { readonly turn: string };
  const past = messagesOf(old.filter((one) => one.step === undefined));
  const spoken = step === undefined ? past : [...past, ...own.opening, ...messagesOf(old.filter(isStep))];
  const { summary: notes } = session.baseline;
  const summed = await summaryOrProblem(deps, running, prompt, { spoken, words });
  if (summed.problem && !mustFit) {
    const message = `The history of ${before} tokens was not compacted: ${summed.problem.message}`;
    addNotice(emit, running.progress.notices, { code: "compaction-failed", message });
    return false;
  }
  const room = Math.max(0, summaryRoom(running) / 2);
  const files = summaryFiles(spoken, notes?.files);
  const written = summed.text ?? cutSummary(notes ? withoutFiles(notes) : "", room, tokenizer);
  const text = [written, ...filesText(files)].join("\n").trim();
  // A part that was left out once is in no summary, so the line that says so stays.
  const leftOut = summed.problem !== undefined || notes?.leftOut;
  const summary: Summary = {
    text: leftOut ? leftOutText(text) : text,
    until,
    tainted: openTexts(session.texts).length > 0,
    foreign: session.texts,
    ...(step === undefined ? {} : { step }),
    ...(filesText(files).length > 0 ? { files } : {}),
    ...(leftOut ? { leftOut: true } : {}),
  };
  session.baseline = { ...session.baseline, summary };
  const kept = session.stretches.slice(split);
  session.stretches = [{ turn: null, tainted: summary.tainted, messages: [summaryMessage(summary.text)] }, ...kept];
  session.sentMessages = 0;
  const later = all.slice(Math.max(split, all.length - own.steps.length)).filter(isStep);
  running.progress.messages = [...own.opening, ...messagesOf(later)];
  running.progress.ownSteps = later.map((one) => one.step as number);
  running.progress.rebuildReason = "the history was compacted";
  const after = historyTokens(messagesOf([...session.stretches, ...later]), tokenizer);
  const turns = new Set(old.map(({ turn }) => turn)).size;
  emit({ kind: "compacted", turns, before, after, ...(summed.problem ? { leftOut: true } : {}) });
  return true;
}

/** Returns a summary without its lines on files, which are written anew. */
function withoutFiles({ text, files }: Summary): string {
  return (files ? filesText(files) : []).reduce((words, line) => words.replace(line, ""), text).trim();
}

/**
 * Options: `keep`: tokens of the newest messages that stay. `mustFit`: the next request cannot be made with the history as it is.
 * `words`: what a person wants kept above all.
 */
type CompactOptions = { readonly keep: number; readonly mustFit?: boolean; readonly words?: string | undefined };

/** Returns the model's summary, or why there is none. Throws where another model may be asked, or the turn is over. */
async function summaryOrProblem(
  deps: AgentDeps,
  running: CompactionState,
  prompt: Prompt,
  { spoken, words }: { readonly spoken: readonly Message[]; readonly words: string | undefined },
): Promise<
  { readonly text: string; readonly problem?: undefined } | { readonly problem: Problem; readonly text?: undefined }
> {
  const baseline = running.who.session.baseline as Baseline;
  if (!deps.summarises) return { problem: noSummary() };
  try {
    const summed = await summariseToFit(deps, running, prompt, { old: plainMessages(spoken, baseline, sha256), words });
    return { text: [summed, ...attachmentsIn(spoken).map((one) => toldLine(one, "was shown before"))].join("\n") };
  } catch (error) {
    if (!(error instanceof Problem) || running.who.signal.aborted) throw error;
    if (isOutage(error) && running.seat.next.length > 0) throw error;
    return { problem: error };
  }
}

function noSummary(): Problem {
  return new Problem("model-failed", "The loop has no function that sums up.", "Give openTurn one: { summarise }.");
}

/** The messages of a turn or, with `step`, of one step of the running turn. */
type Stretch = TurnMessages & { readonly step?: number };

function isStep({ step }: Stretch): boolean {
  return step !== undefined;
}

/** Splits the running turn: its opening, and each step's answer with the results of its calls. */
function ownStretches({ who, progress }: CompactionState): {
  readonly opening: readonly Message[];
  readonly steps: readonly Stretch[];
} {
  const { messages, ownSteps, tainted } = progress;
  const starts = messages.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));
  const steps = starts.map((start, index) => ({
    turn: who.id,
    step: ownSteps[index] as number,
    tainted,
    messages: messages.slice(start, starts[index + 1]),
  }));
  return { opening: messages.slice(0, starts[0] ?? messages.length), steps };
}

/** Returns how many of the oldest stretches go: the newest that fit into the room stay, and at least one goes. */
function splitAt(sizes: readonly number[], room: number): number {
  let kept = 0;
  let split = sizes.length;
  while (split > 1 && kept + (sizes[split - 1] as number) <= room) kept += sizes[--split] as number;
  return split;
}

/**
 * Compacts after a request that is too long, by our count or the provider's, so that it can be made again: each time shorter,
 * until there is nothing left to leave out. A window that a provider states holds from then on, as does its refusal of a kind of
 * attachments. Returns false if the problem is another.
 */
export async function makeRoom(
  deps: AgentDeps,
  running: TurnState,
  attempt: StepAttempt,
  error: Problem,
): Promise<boolean> {
  const { progress, who, terms } = running;
  const { size } = progress;
  if (size === undefined || who.signal.aborted) return false;
  const { share } = attempt;
  attempt.share /= 2;
  const { code, message } = error;
  const noteRefused = () => saveStepResult(deps, running, { ...progress.stepResult, because: { code, message } });
  const spoken = [...messagesOf(who.session.stretches), ...progress.messages];
  if (await learnRefusedKind(deps, running, progress.stepResult.faults?.at(-1), spoken)) {
    await noteRefused();
    return true;
  }
  const refusal = refusalOf(running, error);
  if (refusal) {
    await noteRefused();
    const { window } = await learnWindow(windowDepsOf(deps, terms, running.seat.model), refusal, size.total);
    running.seat = withWindow(running.seat, terms, window);
    attempt.limit = requestLimit(window);
  } else if (code !== "request-too-long") return false;
  const keep = Math.max(0, (attempt.limit ?? size.total) - size.besides) * share;
  if (await compact(deps, running, attempt.prompt, { keep, mustFit: true })) return true;
  // The request may fill the whole window when nothing is left to summarise. A request of a refused size is never made again.
  const { window } = running.seat.model.receiver;
  const problem = refusal ? refusedProblem(running.seat, size.total) : error;
  if (window === null) throw problem;
  const isTooLong = refusal !== undefined || size.total > window || attempt.limit === window;
  if (isTooLong && !shortenSummary(running, window)) throw problem;
  attempt.limit = window;
  return true;
}

/** Tells the user what to do when the provider refused a request from which nothing more can be left out. */
function refusedProblem({ model }: Seat, tokens: number): Problem {
  return new Problem(
    "request-too-long",
    `${model.receiver.name} takes no request of ${counted(tokens, "token")}, and no more of the history can be left out.`,
    "Say it in fewer words, start a new session, or choose a model with more room.",
  );
}

/** Returns the fault with which the provider refused this step's request because of its length. */
function refusalOf({ progress }: TurnState, { code }: Problem): Fault | undefined {
  const fault = progress.stepResult.faults?.at(-1);
  return fault?.code === code && fault.tooLong ? fault : undefined;
}

const request = `Write down what was said so far, for yourself: you will go on from your notes alone. Keep what the person wants to reach and what they asked you to do or not to do, names, numbers, decisions, promises, what is done, and what is still open and comes next. No greeting, no comment.`;

/** Makes the instruction for a summary, with what the person wants kept above all. */
function requestFor(words: string | undefined): string {
  return words === undefined || words.trim() === ""
    ? request
    : `${request} The person asks you to keep above all: ${words.trim()}`;
}

/** The state of a turn that a summary needs. */
type CompactionState = Omit<TurnState, "words">;

/**
 * Summarises a history that may have outgrown the window itself, by one turn that read a great deal: then as much as fits is
 * summarised, or the session could never go on. Where the provider counts otherwise and refuses, half of it is tried.
 */
async function summariseToFit(
  deps: AgentDeps,
  running: CompactionState,
  prompt: Prompt,
  { old, words }: { readonly old: readonly Message[]; readonly words: string | undefined },
): Promise<string> {
  const { tokenizer } = running.who;
  const { receiver } = running.seat.model;
  const { window } = receiver;
  const asked = requestFor(words);
  const whole = summaryDelivery(running, prompt, { old, asked });
  const predicted = (delivery: Delivery) => predict(delivery, receiver, { reusable: null, tokenizer, sha256 });
  const { total, history } = predicted(whole);
  const besides = total - (history.tokens ?? 0) + messageTokens(whole.history.at(-1) as Message, tokenizer);
  const shorter = (max: number) =>
    summaryDelivery(running, prompt, {
      old: shortened(old, Math.floor(max) - besides, tokenizer),
      asked,
      isCut: true,
    });
  const fits = window === null || total <= window;
  for (let delivery = fits ? whole : shorter(window * 0.8), size = fits ? total : window; ; ) {
    try {
      const summary = await summarise(deps, running, prompt, delivery);
      return cutSummary(summary, Math.min(size / 4, summaryRoom(running) / 2), tokenizer);
    } catch (error) {
      const refused = predicted(delivery).total;
      size = Math.floor(refused / 2);
      const isRefused = error instanceof Problem && error.code === "model-rejected" && !isOutage(error);
      if (!isRefused || size < besides + minHistoryTokens) throw error;
      delivery = shorter(size);
      // A request of a refused size is never made again.
      if (predicted(delivery).total >= refused) throw error;
    }
  }
}

/** Asks for a summary. A model that calls a tool instead, or says nothing, is asked once more, and may call none. */
async function summarise(
  deps: AgentDeps,
  running: CompactionState,
  prompt: Prompt,
  delivery: Delivery,
): Promise<string> {
  const first = await askForSummary(deps, running, prompt, delivery);
  if (isSummary(first)) return wordsOf(first);
  const again = { ...delivery, request: withoutCalls(running.seat, delivery.request) };
  const second = await askForSummary(deps, running, prompt, again);
  if (isSummary(second)) return wordsOf(second);
  const failing = second.calls.length > 0 ? "it called a tool instead" : "it said nothing";
  throw new Problem(
    "model-failed",
    `“${running.seat.model.receiver.name}” was asked twice to sum it up, and ${failing}.`,
    "Try again later, or choose another model.",
  );
}

type AnsweredSummary = Pick<Answer, "text" | "calls" | "finish">;

/** Tells whether an answer is a summary: text beside a call only announces the call. */
function isSummary({ text, calls }: AnsweredSummary): boolean {
  return calls.length === 0 && text.trim() !== "";
}

function wordsOf({ text, finish }: AnsweredSummary): string {
  return finish === "length" || finish === "content-filter" ? `${text}\n(cut here: the model stopped writing)` : text;
}

/**
 * Forbids calls but keeps the tools, so that the cache still holds; a model that cannot be forbidden calls is offered no tools.
 */
function withoutCalls({ model }: Seat, given: ModelRequest): ModelRequest {
  if (given.tools.length === 0) return given;
  return model.takesToolChoice ? { ...given, toolChoice: "none" } : { ...given, tools: [] };
}

/** Asks for a summary once. Its text is no draft of an answer, and no words of the system. */
async function askForSummary(
  deps: AgentDeps,
  running: CompactionState,
  prompt: Prompt,
  asked: Delivery,
): Promise<AnsweredSummary> {
  const { store } = deps;
  const { model } = running.seat;
  const { declaration, tokenizer, scope } = running.who;
  const reusable = stillCached(deps, running, asked);
  const { placements, history, predicted } = predict(asked, model.receiver, { reusable, tokenizer, sha256 });
  const delivery = withAnswerLimit(asked, await checkSurvival(deps, running, { predicted }));
  await checkSpending(spendingOf(deps, running), scope, predicted);
  const { receiver } = model;
  const whole = sentRequest(running, { ...delivery, placements }, history, { receiver, entering: false });
  const attached = attachmentsSent(delivery.history, receiver, tokenizer);
  const keeping = { sha256, tokenizer, receiver: receiver.name, placements, ...attached, ...whole, predicted };
  const kept = receiptOf(declaration.charter, prompt, keeping);
  const stable = stableShare(kept.receipt, receiver.cache);
  await store.turns.recordStep(running.who.id, { ...kept, stable, scope, ...taintOf(running.progress) });
  running.progress.step += 1;
  running.bill.predicted = predicted;
  // The record must not show this as an answer to the person if the process dies now.
  await saveStepResult(deps, running, { summary: "" });
  try {
    const answer = await askModel(deps, running, delivery.request, { tell: () => {}, takesEmpty: true });
    billAnswer(running, answer);
    const { usage, finish, calls } = answer;
    const text = withoutSessionMark(running.who, answer.text);
    await saveStepResult(deps, running, { ...running.progress.stepResult, usage, finish, summary: text });
    return { text, calls, finish };
  } catch (error) {
    if (error instanceof Problem && error.code !== "turn-over")
      await saveStepResult(deps, running, {
        ...running.progress.stepResult,
        because: { code: error.code, message: error.message },
      });
    throw error;
  }
}

/** Places the instruction behind the same prefix the history was sent with, so that nearly all of it is read from the cache. */
function summaryDelivery(
  running: CompactionState,
  prompt: Prompt,
  { old, asked, isCut = false }: { readonly old: readonly Message[]; readonly asked: string; readonly isCut?: boolean },
): Delivery {
  const { session, declaration, tokenizer } = running.who;
  const { receiver } = running.seat.model;
  const { charter } = declaration;
  const baseline = session.baseline as Baseline;
  const oneString = receiver.slots === "one-string";
  const added: readonly Message[] = [{ role: summaryRole(old, receiver), text: asked }];
  const unanswered = unansweredUpdates(old, added);
  const left = old.filter((message) => (oneString ? !isUpdate(message) : !unanswered.includes(message)));
  const offers = baseline.tools?.prefix ?? offersNow(running);
  // Behind another beginning, or with messages cut, no reasoning is what its provider bound it to.
  const isBound = baseline.offers === offersDigest(offersNow(running), sha256) && !isCut;
  const past = receiver.binds && !isBound ? left.map(withoutNative) : left;
  const prefix = oneString
    ? sectionTexts(prompt, tokenizer)
    : prefixOf(baseline, { charter, receiver, sha256, tokenizer });
  const breakpoints = oneString ? [] : prefixBreakpoints(charter, prefix, receiver);
  const marks = oneString ? [] : historyBreakpoints(past, 0, receiver);
  const history = [...past, ...added];
  return {
    request: {
      tools: offers,
      system: blocksOf(prefix, breakpoints),
      messages: withBreakpoints(history, marks),
      cacheKey: session.id,
    },
    baseline,
    placements: [
      { slot: "system", sections: prefix, breakpoints },
      { slot: "compaction", sections: [requestWords(asked, tokenizer)], message: past.length },
    ],
    history,
    said: [],
    added,
    marks,
    prefixChange: { how: "kept" },
  };
}

function requestWords(text: string, tokenizer: Tokenizer): SectionText {
  const about = { name: "compaction", layer: "delivery", source: "compaction", stability: "state" } as const;
  return codeWords({ ...about, text }, tokenizer);
}

const [maxChars, minChars] = [32_000, 100];

/**
 * Shortens a history to this many tokens, to be summarised: long messages are cut, with a line that says so; where that is not
 * enough, the oldest go. Attachments are only mentioned.
 */
export function shortened(messages: readonly Message[], maxTokens: number, tokenizer: Tokenizer): readonly Message[] {
  const fits = (some: readonly Message[]) => historyTokens(some, tokenizer) <= maxTokens;
  if (fits(messages)) return messages;
  const plain = messages.map(withoutAttachments);
  let short: readonly Message[] = plain;
  for (let chars = maxChars; chars >= minChars && !fits(short); chars /= 2)
    short = plain.map((message) => cutTo(Math.floor(chars), message));
  while (!fits(short)) {
    const less = withoutOldest(short);
    if (less.length === short.length) break;
    short = less;
  }
  return short;
}

/** Drops the first turn; where there is only one, its first step: a call and its results go together. */
function withoutOldest(messages: readonly Message[]): readonly Message[] {
  const turn = messages.findIndex(({ role }, index) => index > 0 && role === "user");
  if (turn !== -1) return messages.slice(turn);
  const step = messages.findIndex(({ role }, index) => index > 1 && role === "assistant");
  return step === -1 ? messages : [...messages.slice(0, 1), ...messages.slice(step)];
}

/** Replaces attachments by a line each, without their bytes or a text file's content. */
function withoutAttachments(message: Message): Message {
  if (message.role !== "user" || message.attachments === undefined) return message;
  const { attachments, text, ...rest } = message;
  const lines = attachments.map((one) => toldLine(one, "was shown before"));
  return { ...rest, text: [...lines, text].filter((part) => part !== "").join("\n\n") };
}

function cutTo(chars: number, message: Message): Message {
  if (message.role === "tool") {
    const results = message.results.map((result) => ({ ...result, output: cutText(chars, result.output) }));
    return { ...message, results };
  }
  const text = cutText(chars, message.text);
  if (message.role !== "assistant") return { ...message, text };
  const calls = message.calls.map((call) => (call.input.length > chars ? { ...call, input: "{}" } : call));
  return { ...message, text, calls };
}

function cutText(chars: number, text: string): string {
  const first = firstCharacters(text, chars);
  if (first.length === text.length) return text;
  return `${first}\n(cut here: ${countCharacters(text.slice(first.length))} more characters)`;
}

/** The files that were read and changed, by their paths, the latest last. */
type SummaryFiles = NonNullable<Summary["files"]>;

/** Tools of a workspace that read one file or change it. */
const tools: Readonly<Record<string, keyof SummaryFiles>> = { read: "read", edit: "changed", write: "changed" };

/** Maximum number of files of each kind that are named. */
const maxFiles = 40;

/** Lists what calls did to files, by the record, after the files known before. Failed calls did nothing. */
export function summaryFiles(messages: readonly Message[], before?: SummaryFiles): SummaryFiles {
  const failed = new Set(
    messages.flatMap((message) =>
      message.role === "tool" ? message.results.filter((one) => one.failed).map(({ call }) => call) : [],
    ),
  );
  const files = { read: [...(before?.read ?? [])], changed: [...(before?.changed ?? [])] };
  for (const message of messages)
    for (const call of message.role === "assistant" ? message.calls : []) {
      const use = tools[call.name];
      const path = use && !failed.has(call.id) ? pathOf(call) : undefined;
      if (use && path !== undefined) files[use] = [...files[use].filter((one) => one !== path), path].slice(-maxFiles);
    }
  return files;
}

function pathOf({ input }: ToolCall): string | undefined {
  try {
    const { path } = Object(JSON.parse(input)) as { readonly path?: unknown };
    return typeof path === "string" && path !== "" ? oneLine(path) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns one line for each kind; none where there are no files. */
export function filesText({ read, changed }: SummaryFiles): string[] {
  return [
    ...(read.length > 0 ? [`Files read: ${read.join(", ")}`] : []),
    ...(changed.length > 0 ? [`Files changed: ${changed.join(", ")}`] : []),
  ];
}
