import type { Baseline } from "../../../delivery/baseline.ts";
import { blocksOf, historyBreakpoints, prefixBreakpoints, withBreakpoints } from "../../../delivery/breakpoint.ts";
import { type Delivery, prefixOf } from "../../../delivery/deliver.ts";
import { messageTokens } from "../../../delivery/message-tokens.ts";
import type { Answer, Message, ModelRequest } from "../../../delivery/model.ts";
import { predict } from "../../../delivery/prediction.ts";
import { codeWords } from "../../../delivery/slot.ts";
import { stableShare } from "../../../delivery/stable-share.ts";
import { isUpdate } from "../../../delivery/update.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { Prompt } from "../../../prompt/prompt.ts";
import { receiptOf, type SectionText, sectionTexts } from "../../../prompt/receipt.ts";
import type { Tokenizer } from "../../../prompt/tokens.ts";
import { sha256 } from "../../../store/texts/packing.ts";
import { attachmentsSent } from "../../attachments/sent-attachments.ts";
import type { AgentDeps, Seat } from "../agent-deps.ts";
import { askModel } from "../ask.ts";
import { withoutSessionMark } from "../calls/call.ts";
import { isOutage } from "../model-problem.ts";
import { billAnswer, saveStepResult } from "../record.ts";
import { sentRequest, stillCached } from "../sent-request.ts";
import { checkSpending, checkSurvival, spendingOf, withAnswerLimit } from "../spending.ts";
import type { TurnState } from "../turn-state.ts";
import { offersNow } from "./read-result.ts";
import { cutSummary, leastHistory, summaryRoom } from "./room.ts";
import { shortened } from "./summary-text.ts";

const request = `Write down what was said so far, for yourself: you will go on from your notes alone. Keep what the person wants to reach and what they asked you to do or not to do, names, numbers, decisions, promises, what is done, and what is still open and comes next. No greeting, no comment.`;

/** What is asked, and what the person who asked for it wants kept above all. */
function requestFor(words: string | undefined): string {
  return words === undefined || words.trim() === ""
    ? request
    : `${request} The person asks you to keep above all: ${words.trim()}`;
}

/** What a history is summed up for. */
export type CompactionState = Omit<TurnState, "words">;

/**
 * A history can have outgrown the window itself, by one turn that read a great deal: then it is summed up in what fits,
 * or the session could never go on. Where we count otherwise than the provider, half of it is tried.
 */
export async function summariseToFit(
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
    summaryDelivery(running, prompt, { old: shortened(old, Math.floor(max) - besides, tokenizer), asked });
  const fits = window === null || total <= window;
  for (let delivery = fits ? whole : shorter(window * 0.8), size = fits ? total : window; ; ) {
    try {
      const summary = await summarise(deps, running, prompt, delivery);
      return cutSummary(summary, Math.min(size / 4, summaryRoom(running) / 2), tokenizer);
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

/** A model that calls a tool instead, or says nothing, is asked once more, and may call none. */
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
  const what = second.calls.length > 0 ? "it called a tool instead" : "it said nothing";
  throw new Problem(
    "model-failed",
    `“${running.seat.model.receiver.name}” was asked twice to sum it up, and ${what}.`,
    "Try again later, or choose another model.",
  );
}

type AnsweredSummary = Pick<Answer, "text" | "calls" | "finish">;

/** What is said beside a call is what it was about to do. */
function isSummary({ text, calls }: AnsweredSummary): boolean {
  return calls.length === 0 && text.trim() !== "";
}

function wordsOf({ text, finish }: AnsweredSummary): string {
  return finish === "length" || finish === "content-filter" ? `${text}\n(cut here: the model stopped writing)` : text;
}

/** The same tools, so that the cache still holds; a model that cannot be told to call none is offered none. */
function withoutCalls({ model }: Seat, given: ModelRequest): ModelRequest {
  if (given.tools.length === 0) return given;
  return model.takesToolChoice ? { ...given, toolChoice: "none" } : { ...given, tools: [] };
}

/** What it writes is for itself: no draft of an answer, and no word of the system's. */
async function askForSummary(
  deps: AgentDeps,
  running: CompactionState,
  prompt: Prompt,
  asked: Delivery,
): Promise<AnsweredSummary> {
  const { store } = deps;
  const { model } = running.seat;
  const { declaration, tokenizer, scope } = running.who;
  const { tainted } = running.progress;
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
  await store.turns.recordStep(running.who.id, { ...kept, stable, scope, tainted });
  running.progress.step += 1;
  running.bill.predicted = predicted;
  // Should nobody come back to it, what was asked for was no answer to the person.
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

/** Asked behind the very prefix the history was sent with, so that nearly all of it is read from the cache. */
function summaryDelivery(
  running: CompactionState,
  prompt: Prompt,
  { old, asked }: { readonly old: readonly Message[]; readonly asked: string },
): Delivery {
  const { session, declaration, tokenizer } = running.who;
  const { receiver } = running.seat.model;
  const { charter } = declaration;
  const baseline = session.baseline as Baseline;
  const oneString = receiver.slots === "one-string";
  const past = oneString ? old.filter((message) => !isUpdate(message)) : old;
  const prefix = oneString
    ? sectionTexts(prompt, tokenizer)
    : prefixOf(baseline, { charter, receiver, sha256, tokenizer });
  const breakpoints = oneString ? [] : prefixBreakpoints(charter, prefix, receiver);
  const marks = oneString ? [] : historyBreakpoints(past.length, 0, receiver);
  const added: readonly Message[] = [{ role: "user", text: asked }];
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
      { slot: "compaction", sections: [requestWords(asked, tokenizer)], message: past.length },
    ],
    history,
    said: [],
    added,
    marks,
    prefixChange: { how: "kept" },
    notices: [],
  };
}

function requestWords(text: string, tokenizer: Tokenizer): SectionText {
  const about = { name: "compaction", layer: "delivery", source: "compaction", stability: "state" } as const;
  return codeWords({ ...about, text }, tokenizer);
}
