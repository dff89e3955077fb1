import { isRunnerGone } from "../../agent/agent.ts";
import {
  attachmentSettingsOf,
  type InputPart,
  readInput,
  takenKinds,
  usualAttachments,
} from "../../agent/attachments.ts";
import type { TurnOutcome } from "../../agent/turn-interface.ts";
import { backoffMs } from "../../prompt/bounds.ts";
import { fenced, quoted } from "../../prompt/fence.ts";
import { Problem } from "../../prompt/problem.ts";
import type { ChannelUpdate } from "../../store/channels/channel-updates.ts";
import type { NewDispatch } from "../../store/channels/dispatches.ts";
import type { Store } from "../../store/store.ts";
import type { Turn } from "../../store/turns/turn.ts";
import { createLoop, isTransient, type Presence, repeatEvery } from "../loop.ts";
import { type Bot, type BotFault, callWithRetry, channel } from "./bot.ts";
import { approvalsOf, dispatchesFor } from "./deliver-to.ts";
import type { IncomingFile, IncomingText } from "./incoming.ts";
import { type Body, fixedWords } from "./receive.ts";
import {
  emptyFileWords,
  failedWords,
  fileKindWords,
  fileLostWords,
  fileTooLargeWords,
  newSessionWords,
  noticeWords,
  stoppedWords,
  unreadableWords,
  unreadWords,
} from "./wording.ts";

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
export function createUpdateWorker(bot: Bot, presence: Presence, wakeSender: () => void): UpdateWorker {
  const { host, agent, log, sleep, random } = bot;
  const running = new Set<Promise<void>>();
  const late = new AbortController();
  const round = async () => {
    const limit = concurrency - running.size;
    if (limit <= 0) return idleMs;
    const taken = await host.store.updates.claim(agent, channel, { limit, leaseMs, dispatchesForDead: deadAnswer });
    const signal = AbortSignal.any([late.signal, presence.signal()]);
    for (const update of taken) {
      const one = workOnUpdate(bot, update, signal).finally(() => {
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
async function workOnUpdate(bot: Bot, update: ChannelUpdate, signal: AbortSignal): Promise<void> {
  const { agent, host, sleep } = bot;
  const { updates } = host.store;
  const keep = repeatEvery(leaseMs / 3, () => updates.renew(agent, channel, update.id, leaseMs, update.tries), sleep);
  try {
    const answer = await answerTo(bot, update, signal);
    if (answer) await updates.complete(agent, channel, update.id, answer.dispatches, answer.tries);
  } catch (error) {
    await putBack(bot, update, error, signal);
  } finally {
    keep();
  }
}

/** Returns an update to the queue: a database that was away comes back, and a shutdown ends. It is tried three times at most. */
async function putBack(bot: Bot, update: ChannelUpdate, error: unknown, signal: AbortSignal): Promise<void> {
  const { agent, host, sleep, random, log } = bot;
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
async function answerTo(bot: Bot, update: ChannelUpdate, signal: AbortSignal): Promise<UpdateAnswer | undefined> {
  const { agent, host } = bot;
  const link = await host.store.links.find(agent, channel, update.address);
  const { user } = update.scope;
  // The chat was unlinked since, or linked to someone else: earlier messages are not answered.
  if (!link || user === undefined || link.scope.user !== user) return { dispatches: [] };
  const body: Body = JSON.parse(update.body);
  if (body.kind === "new") {
    await host.newSession({ agent, user, channel });
    return { dispatches: dispatchesFor(update, { text: newSessionWords }) };
  }
  if (body.kind !== "text") return { dispatches: dispatchesFor(update, { text: fixedWords(body) }) };
  const turnReply = await turnFor(bot, update, body, signal);
  if (turnReply === undefined) return undefined;
  const approvals = turnReply.turn === undefined ? [] : await approvalsOf(host.store, { agent, user }, turnReply.turn);
  const notice = dispatchesFor(update, { text: turnReply.notice ?? "" });
  const unread = body.unread === undefined ? "" : unreadWords(body.unread);
  const before = dispatchesFor(update, { text: turnReply.unread ?? unread });
  const dispatches = [...notice, ...before, ...dispatchesFor(update, turnReply, approvals)];
  return { dispatches, ...(turnReply.failed ? { tries: update.tries } : {}) };
}

/** Writes the input of a turn: forwarded text is quoted, and unreadable content is named. */
function wordsOf({ text, unread, author }: IncomingText): string {
  const words = author === undefined ? text : forwarded(text, author);
  return unread === undefined ? words : `${words}\n\n[${unreadWords(unread, "you")}]`;
}

function forwarded(text: string, author: string): string {
  return text === ""
    ? `I forward this to you, from ${quoted(author)}.`
    : `I forward this to you.\n${fenced(text, author)}`;
}

/** The input of a turn, with its file; `refused` tells the person about a file that cannot be read. */
type Asked = { readonly input?: string | readonly InputPart[]; readonly refused?: string };

/** Reads the input; there is none where a file without a caption cannot be read. */
async function inputOf(bot: Bot, body: IncomingText, signal: AbortSignal): Promise<Asked> {
  if (!body.file) return { input: wordsOf(body) };
  const reading = await readFile(bot, body.file, signal);
  if ("part" in reading) return { input: [{ text: wordsOf(body) }, reading.part] };
  const { refused } = reading;
  return body.text === "" ? { refused } : { refused, input: wordsOf({ ...body, unread: body.file.what }) };
}

/** Separates text that the sender typed just now from somebody else's. */
function whoseWords({ text, author, untyped }: IncomingText): { readonly foreign?: true; readonly typed?: string } {
  if (author !== undefined) return { foreign: true };
  return untyped || text === "" ? {} : { typed: text };
}

type TurnReply = {
  readonly text: string;
  /** Notice before the reply: a new session, a summarised history, or a note that counts as the user's own words. */
  readonly notice?: string;
  /** Notice about a file that could not be read. */
  readonly unread?: string;
  readonly turn?: string;
  readonly failed?: true;
};

/** Takes the turn of an update. A turn that was answered before a crash is not run again: its reply is still to be sent. */
async function turnFor(
  bot: Bot,
  update: ChannelUpdate,
  body: IncomingText,
  signal: AbortSignal,
): Promise<TurnReply | undefined> {
  const before = await earlierTurn(bot, update, signal);
  if (before?.state === "answered") {
    const lost = body.file && !before.attachments?.length ? { unread: unreadWords(body.file.what) } : {};
    return { ...reply(before.id, before.reply), ...lost };
  }
  if (before?.state === "erased") return { text: "" };
  const { input, refused } = await inputOf(bot, body, signal);
  if (input === undefined) return { text: refused ?? "", failed: true };
  const unread = refused === undefined ? {} : { unread: refused };
  const { agent, host, ask, sleep } = bot;
  const id = turnId(update);
  const typing = () => ask((api) => api.sendChatAction({ chat_id: Number(update.address), action: "typing" }));
  let stopTyping = () => {};
  let lost = false;
  const isStillWanted = async () => {
    lost = !(await host.store.updates.assignTurn(agent, channel, update.id, id, update.tries));
    if (lost) return false;
    stopTyping = repeatEvery(typingMs, typing, sleep);
    void typing();
    return true;
  };
  try {
    const user = update.scope.user as string;
    const asked = { agent, user, channel, input, id, isStillWanted };
    const outcome = await host.runTurn({ ...asked, ...whoseWords(body) }, { signal });
    if (outcome.state === "answered")
      return {
        ...reply(outcome.turn, outcome.reply),
        ...unread,
        notice: noticeWords(await unsaidNotices(host.store, outcome)),
      };
    if (signal.aborted) throw new Problem("closing", "The turn was stopped.", "It is begun again.");
    return { ...failed(bot, outcome.problem?.code ?? "", outcome.turn), ...unread };
  } catch (error) {
    if (lost) return undefined;
    if (signal.aborted || !(error instanceof Problem) || isTransient(error)) throw error;
    return failed(bot, error.code);
  } finally {
    stopTyping();
  }
}

/** Drops the notice of a new session where the user asked for it with /new, and was answered at once. */
async function unsaidNotices(
  { sessions }: Store,
  { session, notices }: Pick<TurnOutcome, "session" | "notices">,
): Promise<TurnOutcome["notices"]> {
  const others = notices.filter(({ code }) => code !== "session-new");
  if (others.length === notices.length) return notices;
  const current = await sessions.get(session).catch(() => undefined);
  return current?.because === "new" && current.channel === channel ? others : notices;
}

function reply(turn: string, words: string | null): TurnReply {
  return { turn, text: words ?? "" };
}

function failed({ log }: Bot, code: string, turn?: string): TurnReply {
  log("turn-failed", { reason: code, ...(turn === undefined ? {} : { turn }) });
  return { text: failedWords(code), failed: true, ...(turn === undefined ? {} : { turn }) };
}

/** Makes the id of a turn: the same for the same try, so that it is found again; and sorted by time among all others. */
function turnId({ at, id, tries }: ChannelUpdate): string {
  return `${Date.parse(at).toString(36).padStart(9, "0")}-telegram-${id}-${tries}`;
}

/** Finds the turn of an earlier try. While another process may still run it, this waits and begins no other. */
async function earlierTurn(
  { agent, host, sleep }: Bot,
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

/** A file as a part of an input; or the reason why it cannot be one, for its sender. */
type FileReading = { readonly part: InputPart } | { readonly refused: string };

/** Downloads a file that was sent to the bot, if the agent takes such files. Throws only where a retry makes sense. */
async function readFile(bot: Bot, file: IncomingFile, signal: AbortSignal): Promise<FileReading> {
  const { agent, host, ask, log } = bot;
  const { settings: all } = await host.store.agents.get(agent);
  const settings = attachmentSettingsOf(all.attachments, `The settings of “${agent}”`, "bad-settings");
  const { maxBytes = usualAttachments.maxBytes, maxCount = usualAttachments.maxCount, kinds = takenKinds } = settings;
  if (maxCount === 0 || kinds.length === 0) return { refused: unreadableWords(file.what) };
  const tooLarge = { refused: fileTooLargeWords(file.what, maxBytes) };
  if (file.bytes !== undefined && file.bytes > maxBytes) return tooLarge;
  const lost = ({ reason }: BotFault): FileReading => {
    if (signal.aborted) throw new Problem("closing", "The file was waited for no longer.", "It is asked for again.");
    log("telegram-file", { reason });
    return { refused: fileLostWords(file.what) };
  };
  const found = await callWithRetry(bot, signal, () => ask((api) => api.getFile({ file_id: file.id })));
  if (found.fault?.reason.includes("file is too big")) return tooLarge;
  if (found.fault) return lost(found.fault);
  const { file_path: path, file_size: size } = Object(found.result) as { file_path?: unknown; file_size?: unknown };
  if (typeof size === "number" && size > maxBytes) return tooLarge;
  if (typeof path !== "string") return lost({ kind: "refused", reason: "a file without a path" });
  const { result: bytes, fault } = await callWithRetry(bot, signal, () => bot.download(path, maxBytes, signal));
  if (fault) return lost(fault);
  if (bytes === "too-large") return tooLarge;
  if (bytes.length === 0) return { refused: emptyFileWords(file.what) };
  const part = { file: bytes, ...(file.name === undefined ? {} : { name: file.name }) };
  try {
    readInput([part], settings);
  } catch (error) {
    if (error instanceof Problem && error.code === "bad-attachment")
      return { refused: fileKindWords(file.what, kinds) };
    throw error;
  }
  return { part };
}
