import { isGone } from "../../agent/turn/runner.ts";
import { Problem } from "../../prompt/problem.ts";
import type { NewDispatch } from "../../store/outbox/dispatch-row.ts";
import type { Update } from "../../store/outbox/update-row.ts";
import type { Turn } from "../../store/turns/turn.ts";
import { approvalsOf } from "./approval.ts";
import { type Bot, channel } from "./bot.ts";
import { dispatchesFor } from "./deliver-to.ts";
import { backoffMs, every } from "./loop.ts";
import { isPassing } from "./passing.ts";
import { type Body, fixedAnswers } from "./receive.ts";
import { failedWords, stoppedWords } from "./wording.ts";

/** So long nobody hears of whoever works on an update, and others take it. */
export const leaseMs = 60_000;
const typingMs = 4500;

/** What is sent when nobody who began with an update came back from it. */
export function deadAnswer(update: Update): NewDispatch[] {
  return dispatchesFor(update, { text: stoppedWords });
}

/** Works on an update that was taken, until it is done or back among those that wait. Never throws. */
export async function work(bot: Bot, update: Update, signal: AbortSignal): Promise<void> {
  const { agent, house, sleep } = bot;
  const { updates } = house.store;
  const keep = every(leaseMs / 3, () => updates.renew(agent, channel, update.id, leaseMs, update.tries), sleep);
  try {
    const answer = await answerTo(bot, update, signal);
    if (answer) await updates.done(agent, channel, update.id, answer.dispatches, answer.tries);
  } catch (error) {
    await putBack(bot, update, error, signal);
  } finally {
    keep();
  }
}

/** A database that was away comes back, a shutdown ends: it is begun again, three times at most. */
async function putBack(bot: Bot, update: Update, error: unknown, signal: AbortSignal): Promise<void> {
  const { agent, house, sleep, random, note } = bot;
  const because = signal.aborted ? "it was stopped" : error instanceof Problem ? error.code : "internal";
  if (!signal.aborted) {
    note("update-failed", { update: update.id, because });
    await sleep(backoffMs(update.tries, random), signal);
  }
  // Where the store is still away, the lease runs out by itself.
  const { id, tries } = update;
  await house.store.updates.fail(agent, channel, id, because, deadAnswer(update), tries).catch(() => {});
}

/** `tries`: only while it is still ours. What a turn answered stands, whoever has it by now: no other is asked then. */
type Answer = { readonly dispatches: readonly NewDispatch[]; readonly tries?: number };

/** Nothing, when someone else has it by now: they answer. */
async function answerTo(bot: Bot, update: Update, signal: AbortSignal): Promise<Answer | undefined> {
  const { agent, house } = bot;
  const link = await house.store.links.find(agent, channel, update.address);
  const { user } = update.scope;
  // The chat is nobody's by now, or another's: what was said there before is not answered.
  if (!link || user === undefined || link.scope.user !== user) return { dispatches: [] };
  const body: Body = JSON.parse(update.body);
  if (body.kind === "fixed") return { dispatches: dispatchesFor(update, { text: fixedAnswers[body.answer] }) };
  const said = await turnFor(bot, update, body.text, signal);
  if (said === undefined) return undefined;
  const approvals = said.turn === undefined ? [] : await approvalsOf(house.store, { agent, user }, said.turn);
  return { dispatches: dispatchesFor(update, said, approvals), ...(said.failed ? { tries: update.tries } : {}) };
}

type Said = { readonly text: string; readonly turn?: string; readonly failed?: true };

/** A turn that was answered before a crash is not run again: its reply is still to be sent. */
async function turnFor(bot: Bot, update: Update, input: string, signal: AbortSignal): Promise<Said | undefined> {
  const before = await earlierTurn(bot, update, signal);
  if (before?.state === "answered") return reply(before.id, before.reply);
  if (before?.state === "erased") return { text: "" };
  const { agent, house, ask, sleep } = bot;
  const id = turnId(update);
  const typing = () => ask((api) => api.sendChatAction({ chat_id: Number(update.address), action: "typing" }));
  let stopTyping = () => {};
  let lost = false;
  const still = async () => {
    lost = !(await house.store.updates.began(agent, channel, update.id, id, update.tries));
    if (lost) return false;
    stopTyping = every(typingMs, typing, sleep);
    void typing();
    return true;
  };
  try {
    const user = update.scope.user as string;
    const outcome = await house.takeTurn({ agent, user, channel, input, id, still }, { signal });
    if (outcome.state === "answered") return reply(outcome.turn, outcome.reply);
    if (signal.aborted) throw new Problem("closing", "The turn was stopped.", "It is begun again.");
    return failed(bot, outcome.because?.code ?? "", outcome.turn);
  } catch (error) {
    if (lost) return undefined;
    if (signal.aborted || !(error instanceof Problem) || isPassing(error)) throw error;
    return failed(bot, error.code);
  } finally {
    stopTyping();
  }
}

function reply(turn: string, words: string | null): Said {
  return { turn, text: words ?? "" };
}

function failed({ note }: Bot, code: string, turn?: string): Said {
  note("turn-failed", { because: code, ...(turn === undefined ? {} : { turn }) });
  return { text: failedWords(code), failed: true, ...(turn === undefined ? {} : { turn }) };
}

/** The same for the same try, so that it is found again; and sorted by time among all others. */
function turnId({ at, id, tries }: Update): string {
  return `${Date.parse(at).toString(36).padStart(9, "0")}-telegram-${id}-${tries}`;
}

/** The turn an earlier try began. While someone else may still be at it, nobody begins another. */
async function earlierTurn(
  { agent, house, sleep }: Bot,
  update: Update,
  signal: AbortSignal,
): Promise<Turn | undefined> {
  const { turns } = house.store;
  if (update.turn === null) return undefined;
  for (;;) {
    const turn = await turns.get(update.turn, update.scope).catch((error: unknown) => {
      if (error instanceof Problem && error.code === "unknown-turn") return undefined;
      throw error;
    });
    if (turn?.state !== "running") return turn;
    const [gone] = await turns.interrupted({ agent, isGone });
    if (!gone) await sleep(2000, signal);
    if (signal.aborted) throw new Problem("closing", "The turn is waited for no longer.", "It is looked at again.");
  }
}
