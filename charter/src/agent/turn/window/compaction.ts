import type { Baseline } from "../../../delivery/baseline.ts";
import { blocksOf, historyBreakpoints, prefixBreakpoints, withBreakpoints } from "../../../delivery/breakpoint.ts";
import { type Delivery, prefixOf } from "../../../delivery/deliver.ts";
import { summaryMessage, type TurnMessages } from "../../../delivery/history.ts";
import { historyTokens, messageTokens } from "../../../delivery/message-tokens.ts";
import type { Message } from "../../../delivery/model.ts";
import { plainMessages } from "../../../delivery/plain-message.ts";
import { predict } from "../../../delivery/prediction.ts";
import { attachmentsIn, toldLine } from "../../../delivery/show-attachments.ts";
import { codeWords } from "../../../delivery/slot.ts";
import { isUpdate } from "../../../delivery/update.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { Prompt } from "../../../prompt/prompt.ts";
import { receiptOf, type SectionText, sectionTexts } from "../../../prompt/receipt.ts";
import type { Tokenizer } from "../../../prompt/tokens.ts";
import { sha256 } from "../../../store/texts/sha256.ts";
import { attachmentsSent } from "../../attachments/sent-attachments.ts";
import { askModel } from "../ask.ts";
import { withoutSessionMark } from "../call.ts";
import { messagesOf } from "../live-session.ts";
import { isOutage } from "../model-problem.ts";
import { billAnswer, saveStepResult } from "../record.ts";
import { sentRequest } from "../sent-request.ts";
import { checkSpending } from "../spending.ts";
import { stillCached } from "../step.ts";
import { checkSurvival } from "../survival.ts";
import { type AgentDeps, addNotice, type TurnState } from "../turn-state.ts";
import { offersNow } from "./read-result.ts";
import { shortened } from "./shortened.ts";
import { cutSummary, leastHistory, summaryRoom } from "./summary-room.ts";

const request = `Write down what was said so far, for yourself: you will go on from your notes alone. Keep names, numbers, decisions, promises, what is still open and what the person asked you to do or not to do. No greeting, no comment.`;

/** A history that has grown too long is compacted before the turn adds to it. */
export async function compactIfLong(deps: AgentDeps, running: Compacting, prompt: Prompt): Promise<void> {
  const { session, tokenizer } = running.who;
  if (historyTokens(messagesOf(session.stretches), tokenizer) > deps.compactAt)
    await compact(deps, running, prompt, deps.compactAt / 4);
}

type Compacting = Pick<TurnState, "who" | "progress" | "bill">;

/**
 * The oldest of a history becomes a summary, in the model's own words; the newest that have no more than `keep` tokens
 * stay as they are. The summary enters as a user message: it is what was said, not a rule. The session starts from a new
 * baseline. A turn that runs is summed up as well, up to one of its steps; its input stays. False: nothing was summed up.
 */
export async function compact(deps: AgentDeps, running: Compacting, prompt: Prompt, keep: number): Promise<boolean> {
  const { session, tokenizer, emit } = running.who;
  // Whoever keeps the conversation cares for its length as well.
  if (deps.model.receiver.keepsHistory || !session.baseline) return false;
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
  try {
    const summed = await summariseToFit(deps, running, prompt, plainMessages(said, session.baseline, sha256));
    const text = [summed, ...attachmentsIn(said).map((one) => toldLine(one, "was shown before"))].join("\n");
    const tainted = old.some((one) => one.tainted);
    const summary = { text, until, tainted, ...(step === undefined ? {} : { step }) };
    session.baseline = { ...session.baseline, summary };
    const kept = session.stretches.slice(split);
    session.stretches = [{ turn: null, tainted, messages: [summaryMessage(text)] }, ...kept];
    session.sentMessages = 0;
    const later = all.slice(Math.max(split, all.length - own.steps.length)).filter(isStep);
    running.progress.messages = [...own.opening, ...messagesOf(later)];
    running.progress.ownSteps = later.map((one) => one.step as number);
    running.progress.rebuildReason = "the history was compacted";
    const after = historyTokens(messagesOf([...session.stretches, ...later]), tokenizer);
    emit({ kind: "compacted", turns: new Set(old.map(({ turn }) => turn)).size, before, after });
    return true;
  } catch (error) {
    if (!(error instanceof Problem) || running.who.signal.aborted) throw error;
    if (isOutage(error) && deps.next.length > 0) throw error;
    const message = `The history of ${before} tokens was not compacted: ${error.message}`;
    addNotice(running.who.emit, running.progress.notices, { code: "compaction-failed", message });
    return false;
  }
}

/** What was said in a turn; with `step`, in one step of the turn that runs. */
type Stretch = TurnMessages & { readonly step?: number };

function isStep({ step }: Stretch): boolean {
  return step !== undefined;
}

/** The turn so far: what it began with, and each step's answer with the results of its calls. */
function ownStretches({ who, progress }: Compacting): {
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
 * A history can have outgrown the window itself, by one turn that read a great deal: then it is summed up in what fits,
 * or the session could never go on. Where we count otherwise than the provider, half of it is tried.
 */
async function summariseToFit(
  deps: AgentDeps,
  running: Compacting,
  prompt: Prompt,
  old: readonly Message[],
): Promise<string> {
  const { tokenizer } = running.who;
  const { receiver } = deps.model;
  const { window } = receiver;
  const whole = summaryDelivery(deps, running, prompt, old);
  const predicted = (delivery: Delivery) => predict(delivery, receiver, { reusable: null, tokenizer, sha256 });
  const { total, history } = predicted(whole);
  const besides = total - (history.tokens ?? 0) + messageTokens(whole.history.at(-1) as Message, tokenizer);
  const shorter = (max: number) =>
    summaryDelivery(deps, running, prompt, shortened(old, Math.floor(max) - besides, tokenizer));
  const fits = window === null || total <= window;
  for (let delivery = fits ? whole : shorter(window * 0.8), size = fits ? total : window; ; ) {
    try {
      const summary = await summarise(deps, running, prompt, delivery);
      return cutSummary(summary, Math.min(size / 4, summaryRoom(deps, running) / 2), tokenizer);
    } catch (error) {
      const refused = predicted(delivery).total;
      size = Math.floor(refused / 2);
      const isRefused = error instanceof Problem && error.code === "model-rejected" && !isOutage(error);
      if (!isRefused || size < besides + leastHistory) throw error;
      delivery = shorter(size);
      // What was refused is never asked again.
      if (predicted(delivery).total >= refused) throw error;
    }
  }
}

/** What it writes is for itself: no draft of an answer, and no word of the system's. */
async function summarise(deps: AgentDeps, running: Compacting, prompt: Prompt, delivery: Delivery): Promise<string> {
  const { store, model } = deps;
  const { declaration, tokenizer, scope } = running.who;
  const { tainted } = running.progress;
  const reusable = stillCached(deps, running.who, delivery);
  const { placements, history, predicted } = predict(delivery, model.receiver, { reusable, tokenizer, sha256 });
  await checkSurvival(deps, running);
  await checkSpending(deps, { scope, owed: running.bill.unrecordedSpend }, predicted);
  const { receiver } = model;
  const whole = sentRequest(running, { ...delivery, placements }, history, { receiver, entering: false });
  const attached = attachmentsSent(delivery.history, receiver, tokenizer);
  const keeping = { sha256, tokenizer, receiver: receiver.name, placements, ...attached, ...whole, predicted };
  await store.turns.recordStep(running.who.id, { ...receiptOf(declaration.charter, prompt, keeping), scope, tainted });
  running.progress.step += 1;
  running.bill.predicted = predicted;
  running.progress.stepResult = {};
  try {
    const answer = await askModel(deps, running, delivery.request, { tell: () => {} });
    billAnswer(deps, running, answer);
    const { usage, finish } = answer;
    const summary = withoutSessionMark(running.who, answer.text);
    await saveStepResult(deps, running, { ...running.progress.stepResult, usage, finish, summary });
    if (summary.trim() === "") throw new Problem("model-failed", "The summary was empty.", "Try again later.");
    return summary;
  } catch (error) {
    if (error instanceof Problem && error.code !== "turn-over")
      await saveStepResult(deps, running, {
        ...running.progress.stepResult,
        because: { code: error.code, message: error.message },
      });
    throw error;
  }
}

/** Asked behind the very prefix the history was sent with, so that nearly all of it is read from the cache. */
function summaryDelivery(deps: AgentDeps, running: Compacting, prompt: Prompt, old: readonly Message[]): Delivery {
  const { session, declaration, tokenizer } = running.who;
  const { receiver } = deps.model;
  const { charter } = declaration;
  const baseline = session.baseline as Baseline;
  const oneString = receiver.slots === "one-string";
  const past = oneString ? old.filter((message) => !isUpdate(message)) : old;
  const prefix = oneString
    ? sectionTexts(prompt, tokenizer)
    : prefixOf(baseline, { charter, receiver, sha256, tokenizer });
  const breakpoints = oneString ? [] : prefixBreakpoints(charter, prefix, receiver);
  const marks = oneString ? [] : historyBreakpoints(past.length, 0, receiver);
  const added: readonly Message[] = [{ role: "user", text: request }];
  const history = [...past, ...added];
  return {
    request: {
      tools: offersNow(running),
      system: blocksOf(prefix, breakpoints),
      messages: withBreakpoints(history, marks),
      cacheKey: session.id,
    },
    baseline,
    placements: [
      { slot: "system", sections: prefix, breakpoints },
      { slot: "compaction", sections: [requestWords(tokenizer)], message: past.length },
    ],
    history,
    said: [],
    added,
    marks,
    prefixChange: { how: "kept" },
  };
}

function requestWords(tokenizer: Tokenizer): SectionText {
  const about = { name: "compaction", layer: "delivery", source: "compaction", stability: "state" } as const;
  return codeWords({ ...about, text: request }, tokenizer);
}
