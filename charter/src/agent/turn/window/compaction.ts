import type { Baseline, Summary } from "../../../delivery/baseline.ts";
import { summaryMessage, type TurnMessages } from "../../../delivery/history.ts";
import { historyTokens } from "../../../delivery/message-tokens.ts";
import type { Fault, Message } from "../../../delivery/model.ts";
import { plainMessages } from "../../../delivery/plain-message.ts";
import { attachmentsIn, toldLine } from "../../../delivery/show-attachments.ts";
import { counted, Problem } from "../../../prompt/problem.ts";
import type { Prompt } from "../../../prompt/prompt.ts";
import { sha256 } from "../../../store/texts/packing.ts";
import type { AgentDeps, Seat } from "../agent-deps.ts";
import { messagesOf } from "../live-session.ts";
import { isOutage } from "../model-problem.ts";
import { saveStepResult } from "../record.ts";
import { learnRefusedKind, windowDepsOf, withWindow } from "../seat.ts";
import { addNotice, type StepAttempt, type TurnState } from "../turn-state.ts";
import { leftOutText } from "./read-result.ts";
import { cutSummary, requestLimit, shortenSummary, summaryRoom } from "./room.ts";
import { type CompactionState, summariseToFit } from "./summary.ts";
import { filesText, summaryFiles } from "./summary-text.ts";
import { learnWindow } from "./window.ts";

/** A history that has grown too long is compacted before the turn adds to it. */
export async function compactIfLong(deps: AgentDeps, running: CompactionState, prompt: Prompt): Promise<void> {
  const { session, tokenizer } = running.who;
  if (historyTokens(messagesOf(session.stretches), tokenizer) > running.seat.compactAt)
    await compact(deps, running, prompt, { keep: running.seat.compactAt / 4 });
}

/**
 * The oldest of a history becomes a summary, in the model's own words; the newest that have no more than `keep` tokens
 * stay as they are. The summary enters as a user message: it is what was said, not a rule. The session starts from a new
 * baseline. A turn that runs is summed up as well, up to one of its steps; its input stays. Where the model gives no
 * summary and the request `mustFit`, the oldest is left out as it is. False: the history is as it was.
 */
export async function compact(
  deps: AgentDeps,
  running: CompactionState,
  prompt: Prompt,
  { keep, mustFit = false, words }: CompactOptions,
): Promise<boolean> {
  const { session, tokenizer, emit } = running.who;
  // Whoever keeps the conversation cares for its length as well.
  if (running.seat.model.receiver.keepsHistory || !session.baseline) return false;
  const own = ownStretches(running);
  const all: readonly Stretch[] = [...session.stretches, ...own.steps];
  const sizes = all.map(({ messages }) => historyTokens(messages, tokenizer));
  const before = sizes.reduce((sum, size) => sum + size, 0);
  // What another process has not said yet cannot be summed up, nor what came after it.
  const unfinished = session.stretches.findIndex(({ turn }) => turn !== null && turn === session.unfinished);
  const split = Math.min(splitAt(sizes, keep), unfinished === -1 ? sizes.length : unfinished);
  const old = all.slice(0, split);
  const last = old.findLast(({ turn }) => turn !== null);
  if (!last) return false;
  const { turn: until, step } = last as Stretch & { readonly turn: string };
  const past = messagesOf(old.filter((one) => one.step === undefined));
  const said = step === undefined ? past : [...past, ...own.opening, ...messagesOf(old.filter(isStep))];
  const { summary: notes } = session.baseline;
  const summed = await summaryOrProblem(deps, running, prompt, { said, words });
  if (summed.problem && !mustFit) {
    const message = `The history of ${before} tokens was not compacted: ${summed.problem.message}`;
    addNotice(emit, running.progress.notices, { code: "compaction-failed", message });
    return false;
  }
  const room = Math.max(0, summaryRoom(running) / 2);
  const files = summaryFiles(said, notes?.files);
  const written = summed.text ?? cutSummary(notes ? withoutFiles(notes) : "", room, tokenizer);
  const text = [written, ...filesText(files)].join("\n").trim();
  // What was once left out is in nobody's notes.
  const leftOut = summed.problem !== undefined || notes?.leftOut;
  const summary: Summary = {
    text: leftOut ? leftOutText(text) : text,
    until,
    tainted: old.some((one) => one.tainted),
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

/** The lines on files are written anew. */
function withoutFiles({ text, files }: Summary): string {
  return (files ? filesText(files) : []).reduce((words, line) => words.replace(line, ""), text).trim();
}

/** `mustFit`: the next request cannot be made with the history as it is. `words`: what a person wants kept above all. */
type CompactOptions = { readonly keep: number; readonly mustFit?: boolean; readonly words?: string | undefined };

/** What the model wrote of it; or why there is nothing, unless another model may be asked, or the turn is over. */
async function summaryOrProblem(
  deps: AgentDeps,
  running: CompactionState,
  prompt: Prompt,
  { said, words }: { readonly said: readonly Message[]; readonly words: string | undefined },
): Promise<
  { readonly text: string; readonly problem?: undefined } | { readonly problem: Problem; readonly text?: undefined }
> {
  const baseline = running.who.session.baseline as Baseline;
  if (!deps.summarises) return { problem: noSummary() };
  try {
    const summed = await summariseToFit(deps, running, prompt, { old: plainMessages(said, baseline, sha256), words });
    return { text: [summed, ...attachmentsIn(said).map((one) => toldLine(one, "was shown before"))].join("\n") };
  } catch (error) {
    if (!(error instanceof Problem) || running.who.signal.aborted) throw error;
    if (isOutage(error) && running.seat.next.length > 0) throw error;
    return { problem: error };
  }
}

function noSummary(): Problem {
  return new Problem("model-failed", "The loop has no function that sums up.", "Give openTurn one: { summarise }.");
}

/** What was said in a turn; with `step`, in one step of the turn that runs. */
type Stretch = TurnMessages & { readonly step?: number };

function isStep({ step }: Stretch): boolean {
  return step !== undefined;
}

/** The turn so far: what it began with, and each step's answer with the results of its calls. */
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

/** How many of the oldest stretches go: the newest that fit into the room stay, and at least one goes. */
function splitAt(sizes: readonly number[], room: number): number {
  let kept = 0;
  let split = sizes.length;
  while (split > 1 && kept + (sizes[split - 1] as number) <= room) kept += sizes[--split] as number;
  return split;
}

/**
 * A request that is too long, by our count or the provider's, is a reason to compact and ask again: each time with a
 * shorter one, until there is nothing left to leave out. What a provider says of its window holds from then on; so does
 * that it takes no attachments of a kind. False: the problem is another.
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
  const said = [...messagesOf(who.session.stretches), ...progress.messages];
  if (await learnRefusedKind(deps, running, progress.stepResult.faults?.at(-1), said)) {
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
  // There is nothing left to sum up: then it may be as long as can be. What was refused is never asked again.
  const { window } = running.seat.model.receiver;
  const problem = refusal ? refusedProblem(running.seat, size.total) : error;
  if (window === null) throw problem;
  const isTooLong = refusal !== undefined || size.total > window || attempt.limit === window;
  if (isTooLong && !shortenSummary(running, window)) throw problem;
  attempt.limit = window;
  return true;
}

/** The provider refused it, and there is nothing left to leave out: whoever asked is told what they can do about it. */
function refusedProblem({ model }: Seat, tokens: number): Problem {
  return new Problem(
    "request-too-long",
    `${model.receiver.name} takes no request of ${counted(tokens, "token")}, and no more of the history can be left out.`,
    "Say it in fewer words, start a new session, or choose a model with more room.",
  );
}

/** The fault with which the provider refused the request of this step because of its length. */
function refusalOf({ progress }: TurnState, { code }: Problem): Fault | undefined {
  const fault = progress.stepResult.faults?.at(-1);
  return fault?.code === code && fault.tooLong ? fault : undefined;
}
