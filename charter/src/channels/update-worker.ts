import { isRunnerGone } from "../agent/agent.ts";
import type { TurnInput, TurnOutcome } from "../agent/turn-interface.ts";
import { backoffMs } from "../prompt/bounds.ts";
import { Problem } from "../prompt/problem.ts";
import type { ChannelUpdate } from "../store/channels/channel-updates.ts";
import type { NewDispatch } from "../store/channels/dispatches.ts";
import type { Turn } from "../store/turns/turn.ts";
import { createLoop, isTransient, type Presence, repeatEvery } from "./loop.ts";
import type { ChannelDeps } from "./sender.ts";
import { approvalsOf, dispatchesFor } from "./telegram/deliver-to.ts";
import { failedWords, newSessionWords, noticeWords, stoppedWords } from "./wording.ts";

/** What an update asks for: fixed words, a new session, or a turn. */
export type UpdateContent =
  | { readonly says: string }
  | { readonly newSession: true }
  | {
      /** Reads the input. It is not read again for a turn that was answered before its process died. */
      readonly input: (signal: AbortSignal) => Promise<UpdateInput>;
      /** Words before the reply, about what could not be read; `earlier` is a turn that was answered before. */
      readonly before?: (earlier?: Turn) => string;
    };

/** The input of a turn. `refused` tells the person what cannot be read; without an input there is no turn. */
export type UpdateInput = Pick<TurnInput, "foreign" | "typed"> & {
  readonly input?: TurnInput["input"];
  readonly refused?: string;
};

/** How a channel's updates are answered. */
type UpdateWork = {
  readonly contentOf: (update: ChannelUpdate) => UpdateContent;
  /** Shows in the chat that a turn is running. It is called again and again until the turn is over. */
  readonly showTyping?: ((address: string) => unknown) | undefined;
  readonly presence: Presence;
  readonly wakeSender: () => void;
};

/** Maximum number of concurrent turns; each mostly waits for a model. */
const concurrency = 32;
/** Milliseconds between checks for updates that others stored, or did not finish. */
const idleMs = 2000;

type UpdateWorker = {
  readonly start: () => void;
  readonly wake: () => void;
  /** Takes no more updates; running ones are stopped after `graceMs`, and wait for the next start. */
  readonly stop: (graceMs: number) => Promise<void>;
};

/** Works on waiting updates: those of one chat one after the other, those of several at the same time. */
export function createUpdateWorker(deps: ChannelDeps, work: UpdateWork): UpdateWorker {
  const { host, agent, channel, log, sleep, random } = deps;
  const { presence, wakeSender } = work;
  const running = new Set<Promise<void>>();
  const late = new AbortController();
  const round = async () => {
    const limit = concurrency - running.size;
    if (limit <= 0) return idleMs;
    const taken = await host.store.updates.claim(agent, channel, { limit, leaseMs, dispatchesForDead: deadAnswer });
    const signal = AbortSignal.any([late.signal, presence.signal()]);
    for (const update of taken) {
      const one = workOnUpdate(deps, work, update, signal).finally(() => {
        running.delete(one);
        wakeSender();
        loop.wake();
      });
      running.add(one);
    }
    return idleMs;
  };
  const loop = createLoop({
    round: presence.whileThere(round),
    sleep,
    random,
    onError: () => log("updates-unavailable"),
  });
  return {
    start: loop.start,
    wake: loop.wake,
    stop: async (graceMs) => {
      await loop.stop();
      const finished = new AbortController();
      void sleep(graceMs, finished.signal).then(() => late.abort());
      await Promise.all(running);
      finished.abort();
    },
  };
}

/** Milliseconds without a sign from the worker of an update, after which others take it. */
const leaseMs = 60_000;
const typingMs = 4500;

/** Makes the answer to an update that nobody could finish. */
function deadAnswer(update: ChannelUpdate): NewDispatch[] {
  return dispatchesFor(update, { text: stoppedWords });
}

/** Works on an update that was taken, until it is done or waits again. Never throws. */
async function workOnUpdate(
  deps: ChannelDeps,
  work: UpdateWork,
  update: ChannelUpdate,
  signal: AbortSignal,
): Promise<void> {
  const { agent, channel, host, sleep } = deps;
  const { updates } = host.store;
  const keep = repeatEvery(leaseMs / 3, () => updates.renew(agent, channel, update.id, leaseMs, update.tries), sleep);
  try {
    const answer = await answerTo(deps, work, update, signal);
    if (answer) await updates.complete(agent, channel, update.id, answer.dispatches, answer.tries);
  } catch (error) {
    await putBack(deps, update, error, signal);
  } finally {
    keep();
  }
}

/** Returns an update to the queue: a database that was away comes back, and a shutdown ends. It is tried three times at most. */
async function putBack(deps: ChannelDeps, update: ChannelUpdate, error: unknown, signal: AbortSignal): Promise<void> {
  const { agent, channel, host, sleep, random, log } = deps;
  const reason = signal.aborted ? "it was stopped" : error instanceof Problem ? error.code : "internal";
  if (!signal.aborted) {
    log("update-failed", { update: update.id, reason });
    await sleep(backoffMs(update.tries, random), signal);
  }
  // Leaves the lease to run out where the store is still away.
  const { id, tries } = update;
  await host.store.updates.fail(agent, channel, id, reason, deadAnswer(update), tries).catch(() => {});
}

/**
 * The answer to an update. `tries` is set if it counts only while the update is still ours. An answered turn counts whoever has
 * the update by now: no other turn is taken then.
 */
type UpdateAnswer = { readonly dispatches: readonly NewDispatch[]; readonly tries?: number };

/** Answers an update; undefined, when another worker has it by now and answers. */
async function answerTo(
  deps: ChannelDeps,
  work: UpdateWork,
  update: ChannelUpdate,
  signal: AbortSignal,
): Promise<UpdateAnswer | undefined> {
  const { agent, channel, host } = deps;
  const link = await host.store.links.find(agent, channel, update.address);
  const { user } = update.scope;
  // The chat was unlinked since, or linked to someone else: earlier messages are not answered.
  if (!link || user === undefined || link.scope.user !== user) return { dispatches: [] };
  const content = work.contentOf(update);
  if ("newSession" in content) {
    await host.newSession({ agent, user, channel });
    return { dispatches: dispatchesFor(update, { text: newSessionWords }) };
  }
  if ("says" in content) return { dispatches: dispatchesFor(update, { text: content.says }) };
  const turnReply = await turnFor(deps, work, update, content, signal);
  if (turnReply === undefined) return undefined;
  const approvals = turnReply.turn === undefined ? [] : await approvalsOf(host.store, { agent, user }, turnReply.turn);
  const notice = dispatchesFor(update, { text: turnReply.notice ?? "" });
  const before = dispatchesFor(update, { text: turnReply.before ?? content.before?.() ?? "" });
  const dispatches = [...notice, ...before, ...dispatchesFor(update, turnReply, approvals)];
  return { dispatches, ...(turnReply.failed ? { tries: update.tries } : {}) };
}

type TurnReply = {
  readonly text: string;
  /** Notice before the reply: a new session, a summarised history, or a note that counts as the user's own words. */
  readonly notice?: string;
  /** Words before the reply about what could not be read, where the turn knows better than the update. */
  readonly before?: string;
  readonly turn?: string;
  readonly failed?: true;
};

/** Takes the turn of an update. A turn that was answered before a crash is not run again: its reply is still to be sent. */
async function turnFor(
  deps: ChannelDeps,
  { showTyping }: UpdateWork,
  update: ChannelUpdate,
  content: Extract<UpdateContent, { readonly input: unknown }>,
  signal: AbortSignal,
): Promise<TurnReply | undefined> {
  const earlier = await earlierTurn(deps, update, signal);
  if (earlier?.state === "answered")
    return { ...reply(earlier.id, earlier.reply), before: content.before?.(earlier) ?? "" };
  if (earlier?.state === "erased") return { text: "" };
  const { input, refused, ...whose } = await content.input(signal);
  if (input === undefined) return { text: refused ?? "", failed: true };
  const before = refused === undefined ? {} : { before: refused };
  const { agent, channel, host, sleep } = deps;
  const id = turnId(deps, update);
  const typing = async () => showTyping?.(update.address);
  let stopTyping = () => {};
  let lost = false;
  const isStillWanted = async () => {
    lost = !(await host.store.updates.assignTurn(agent, channel, update.id, id, update.tries));
    if (lost) return false;
    stopTyping = repeatEvery(typingMs, typing, sleep);
    void typing().catch(() => {});
    return true;
  };
  try {
    const user = update.scope.user as string;
    const outcome = await host.runTurn({ agent, user, channel, input, id, isStillWanted, ...whose }, { signal });
    if (outcome.state === "answered")
      return {
        ...reply(outcome.turn, outcome.reply),
        ...before,
        notice: noticeWords(await unsaidNotices(deps, outcome)),
      };
    if (signal.aborted) throw new Problem("closing", "The turn was stopped.", "It is begun again.");
    return { ...failed(deps, outcome.problem?.code ?? "", outcome.turn), ...before };
  } catch (error) {
    if (lost) return undefined;
    if (signal.aborted || !(error instanceof Problem) || isTransient(error)) throw error;
    return failed(deps, error.code);
  } finally {
    stopTyping();
  }
}

/** Drops the notice of a new session where the user asked for it with /new, and was answered at once. */
async function unsaidNotices(
  { channel, host }: ChannelDeps,
  { session, notices }: Pick<TurnOutcome, "session" | "notices">,
): Promise<TurnOutcome["notices"]> {
  const others = notices.filter(({ code }) => code !== "session-new");
  if (others.length === notices.length) return notices;
  const current = await host.store.sessions.find(session).catch(() => undefined);
  return current?.because === "new" && current.channel === channel ? others : notices;
}

function reply(turn: string, words: string | null): TurnReply {
  return { turn, text: words ?? "" };
}

function failed({ log }: ChannelDeps, code: string, turn?: string): TurnReply {
  log("turn-failed", { reason: code, ...(turn === undefined ? {} : { turn }) });
  return { text: failedWords(code), failed: true, ...(turn === undefined ? {} : { turn }) };
}

/** Makes the id of a turn: the same for the same try, so that it is found again; and sorted by time among all others. */
function turnId({ channel }: ChannelDeps, { at, id, tries }: ChannelUpdate): string {
  return `${Date.parse(at).toString(36).padStart(9, "0")}-${channel}-${id}-${tries}`;
}

/** Finds the turn of an earlier try. While another process may still run it, this waits and begins no other. */
async function earlierTurn(
  { agent, host, sleep }: ChannelDeps,
  update: ChannelUpdate,
  signal: AbortSignal,
): Promise<Turn | undefined> {
  const { turns } = host.store;
  if (update.turn === null) return undefined;
  for (;;) {
    const turn = await turns.get(update.turn, update.scope).catch((error: unknown) => {
      if (error instanceof Problem && error.code === "unknown-turn") return undefined;
      throw error;
    });
    if (turn?.state !== "running") return turn;
    const [interrupted] = await turns.interruptAbandoned({ agent, isGone: isRunnerGone });
    if (!interrupted) await sleep(2000, signal);
    if (signal.aborted) throw new Problem("closing", "The turn is waited for no longer.", "It is looked at again.");
  }
}
