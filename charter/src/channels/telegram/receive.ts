import type { Update } from "grammy/types";
import { backoffMs, createBoundedMap } from "../../prompt/bounds.ts";
import { preview } from "../../prompt/character.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Link } from "../../store/channels/links.ts";
import { decidePressed, type FollowUp } from "../decide.ts";
import { isAgentRemoved, isTransient, type Presence } from "../loop.ts";
import { type Bot, type BotFault, callWithRetry, channel, messageTo, pollSeconds, sendText } from "./bot.ts";
import { dispatchesFor } from "./deliver-to.ts";
import {
  type IncomingText,
  type IncomingUpdate,
  incomingOf,
  isTelegramUpdate,
  sentAt,
  wantedUpdates,
} from "./incoming.ts";
import { maxMessageLength } from "./split.ts";
import * as words from "./wording.ts";

/** The content of an update as it is stored until it is done. */
export type Body =
  | ({ readonly kind: "text" } & IncomingText)
  /** Request for a new session, after the messages before it. */
  | { readonly kind: "new" }
  | { readonly kind: "fixed"; readonly answer: keyof typeof fixedAnswers }
  | { readonly kind: "unreadable"; readonly what: words.Unreadable };

export function fixedWords(body: Exclude<Body, { readonly kind: "text" | "new" }>): string {
  if (body.kind === "unreadable") return words.unreadableWords(body.what);
  // Falls back for an update that was stored by a version with fewer answers.
  return fixedAnswers[body.answer] ?? words.unreadableWords("other");
}

/** Answers that are the same for everyone. */
const fixedAnswers = {
  help: words.helpWords,
  linked: words.linkedWords,
  "still-linked": words.stillLinkedWords,
} as const;

/**
 * Receives an update. When its promise resolves, the update is stored or done; when it rejects, Telegram must be asked for the
 * update again. The same update is received only once.
 *
 * A chat that is not linked leaves no trace: no row, no line in a log, only one fixed text.
 */
type Receive = (update: Update) => Promise<void>;

export function createReceive(bot: Bot, wakeWorker: () => void, wakeSender: () => void): Receive {
  const { host, agent, clock } = bot;
  const { store } = host;
  const tenMinutes = 600_000;
  const mayHear = createAllowance({ max: 1, perMs: tenMinutes }, clock);
  const mayTry = createAllowance({ max: 5, perMs: tenMinutes }, clock);
  const mayEnter = createAllowance({ max: 5, perMs: tenMinutes }, clock);
  const hearsTooMany = createAllowance({ max: 1, perMs: tenMinutes }, clock);
  // Reserves for strangers only a part of the messages that Telegram lets a bot send per second.
  const forStrangers = createAllowance({ max: 120, perMs: 60_000 }, clock, 1);
  const tellStranger = (address: string, text: string) => {
    if (forStrangers("all")) sendText(bot, address, text);
  };

  const putUpdate = (id: string, link: Pick<Link, "scope" | "address">, body: Body, at?: string) =>
    store.updates.put({
      ...{ scope: link.scope, channel, id, address: link.address, body: JSON.stringify(body) },
      linked: true,
      ...(at === undefined ? {} : { at }),
    });
  /** Answers at once, without waiting for a running turn. */
  const answer = async (id: string, link: Link, fixed: Parameters<typeof fixedWords>[0]) => {
    if (!(await putUpdate(id, link, fixed))) return;
    await store.updates.complete(agent, channel, id, dispatchesFor(link, { text: fixedWords(fixed) }));
    wakeSender();
  };

  const link = async (id: string, { address, code }: Extract<IncomingUpdate, { kind: "code" }>) => {
    if (!mayTry(address)) {
      if (hearsTooMany(address)) tellStranger(address, words.tooManyCodesWords);
      return;
    }
    const made = await store.links.redeem(agent, channel, code, address);
    const now = made ?? (await store.links.find(agent, channel, address));
    if (now) await answer(id, now, { kind: "fixed", answer: made ? "linked" : "still-linked" });
    else tellStranger(address, words.badCodeWords);
  };

  /** Makes a link that signs in, at once and without a stored message: the secret in it is kept by its digest alone. */
  const webLink = async ({ scope, address }: Link): Promise<string> => {
    if (!bot.page || scope.user === undefined) return words.noWebWords;
    return mayEnter(address) ? words.webWords(await bot.page.link(scope.user)) : words.tooManyLinksWords;
  };

  return async (update) => {
    const incoming = incomingOf(update);
    if (incoming === "unreadable") return bot.log("update-unreadable", { update: update.update_id });
    if (!incoming) return;
    const { address } = incoming;
    const id = `${bot.number}-${update.update_id}`;
    if (incoming.kind === "code") return link(id, incoming);
    const known = await store.links.find(agent, channel, address);
    if (!known) {
      if (incoming.kind !== "press" && mayHear(address)) tellStranger(address, words.strangerWords(bot.page?.url));
      return;
    }
    switch (incoming.kind) {
      case "unlink":
        // Unlinks at once, not after a running turn: what that turn says is no longer sent.
        await store.links.remove(known.scope, channel, address);
        return sendText(bot, address, words.unlinkedWords);
      case "web":
        return sendText(bot, address, await webLink(known));
      case "press": {
        const goOn = await press(bot, known, incoming);
        if (goOn && (await putUpdate(goOn.id, known, { kind: "text", text: goOn.text }))) wakeWorker();
        return;
      }
      case "new": {
        if (await putUpdate(id, known, { kind: "new" }, sentAt(update))) wakeWorker();
        return;
      }
      case "text": {
        const { address: _, ...body } = incoming;
        if (await putUpdate(id, known, body, sentAt(update))) wakeWorker();
        return;
      }
      case "other":
        // Answers once for several photos that were sent together.
        if (incoming.group !== undefined && !mayHear(`${address} ${incoming.group}`)) return;
        return answer(id, known, { kind: "unreadable", what: incoming.what });
      default:
        return answer(id, known, { kind: "fixed", answer: incoming.kind });
    }
  };
}

type Press = Extract<IncomingUpdate, { kind: "press" }>;

/**
 * Handles a pressed button: the decision is made within the user's own scope, once; pressed again it reports what was decided.
 * The message with the buttons then says so too, and loses them.
 */
async function press(
  bot: Bot,
  { scope }: Link,
  { address, query, data, message }: Press,
): Promise<FollowUp | undefined> {
  const { says, followUp } = await decidePressed(bot, scope, data);
  bot.runInBackground(async (signal) => {
    await bot.ask((api) => api.answerCallbackQuery({ callback_query_id: query, text: preview(says, 180) }));
    if (!message?.hasButtons) return;
    const place = { chat_id: Number(address), message_id: message.id };
    const text = `${message.text ?? ""}\n\n${says}`.trim();
    const fits = text.length <= maxMessageLength;
    const { fault } = await callWithRetry(bot, signal, () =>
      bot.ask(async (api) =>
        fits
          ? await api.editMessageText({ ...messageTo(address, text), ...place })
          : await api.editMessageReplyMarkup(place),
      ),
    );
    if (!fits) sendText(bot, address, says);
    if (fault) bot.log("telegram-unsent", { reason: fault.reason });
  });
  return followUp;
}

/** An allowance for each key: at most `max` times within `perMs`. */
type Allowance = (key: string) => boolean;

/** Makes an allowance that is kept in memory only, for the most recent keys: a crowd of strangers cannot fill it. */
export function createAllowance(
  { max, perMs }: { readonly max: number; readonly perMs: number },
  clock: () => Date,
  keys = 10_000,
): Allowance {
  const spent = createBoundedMap<string, number[]>(keys);
  return (key) => {
    const now = clock().getTime();
    const recent = (spent.get(key) ?? []).filter((at) => at > now - perMs);
    spent.set(key, recent);
    if (recent.length >= max) return false;
    recent.push(now);
    return true;
  };
}

/** Maximum number of failures of an update while everything else works. */
const maxFailures = 5;

/**
 * Receives updates, and gives up one that keeps failing although the store works: it is at fault itself, and would block all
 * others. The operator is told its number, never its text.
 */
export function createRetryingReceive({ host, agent, log }: Bot, receive: Receive): Receive {
  const failures = createBoundedMap<number, number>(1000);
  return async (update) => {
    const { update_id: id } = update;
    try {
      await receive(update);
      failures.delete(id);
    } catch (error) {
      const reason = error instanceof Problem ? error.code : "internal";
      // A full disk may still be read: then the update is not at fault either, and the failure passes.
      if (error instanceof Problem && (isTransient(error) || isAgentRemoved(error))) throw error;
      await host.store.links.find(agent, channel, "0");
      const count = (failures.get(id) ?? 0) + 1;
      failures.set(id, count);
      if (count < maxFailures) throw error;
      failures.delete(id);
      log("update-given-up", { update: id, reason });
    }
  };
}

/**
 * Makes a round of long polling. An update is stored before Telegram learns that we have it: if we die meanwhile, or the store
 * cannot keep it now, it comes again.
 */
export function createPollRound(bot: Bot, receive: Receive): (signal: AbortSignal) => Promise<number> {
  const { ask, random, log } = bot;
  let webhookGone = false;
  let offset: number | undefined;
  let faults = 0;
  let odd = 0;
  const stumble = (fault: BotFault): number => {
    const conflict = fault.kind === "conflict";
    if (faults === 0) log(conflict ? "telegram-conflict" : "telegram-unreachable", { reason: fault.reason });
    if (conflict) webhookGone = false;
    faults++;
    return fault.afterMs ?? backoffMs(faults - 1, random);
  };
  return async (signal) => {
    if (!webhookGone) {
      const { fault } = await ask((api) => api.deleteWebhook({}, signalOf(signal)));
      if (fault) return stumble(fault);
      webhookGone = true;
    }
    const asked = { timeout: pollSeconds, limit: 100, allowed_updates: wantedUpdates, ...(offset ? { offset } : {}) };
    const { result, fault } = await ask((api) => api.getUpdates(asked, signalOf(signal)));
    if (fault) return signal.aborted ? 0 : stumble(fault);
    if (faults > 0) log("telegram-reachable");
    faults = 0;
    // Forgets the offset, since these updates are confirmed by now: after a week without updates, Telegram may count anew from a
    // lower number.
    offset = undefined;
    const all: readonly unknown[] = Array.isArray(result) ? result : [result];
    const updates = all.filter(isTelegramUpdate);
    for (const update of updates) {
      await receive(update);
      offset = update.update_id + 1;
    }
    // Slows down for an update without a number: it cannot be confirmed, and would come again at once if nothing else came with
    // it.
    odd = updates.length === all.length ? 0 : odd + 1;
    if (odd === 1) log("update-unreadable");
    if (odd > 0 && offset === undefined) return backoffMs(odd - 1, random);
    // Confirms the last updates before stopping: strangers' messages are stored nowhere, so they would be answered again.
    if (signal.aborted && offset)
      await ask((api) => api.getUpdates({ offset: offset as number, limit: 1, timeout: 0 }));
    return 0;
  };
}

/** Casts a signal, because grammY's type for signals is older than Node's. */
const signalOf = (signal: AbortSignal) => signal as unknown as never;

/** Maximum bytes of a request, larger than any update of Telegram's. */
const maxBytes = 1_000_000;

/** Checks a secret: letters, digits, _ and -, as Telegram requires; and too many of them to be guessed. */
export function checkSecret(secret: string): void {
  if (/^[\w-]{16,256}$/.test(secret)) return;
  throw new Problem(
    "telegram-secret",
    "The secret of a Telegram webhook is too short or holds something else than letters, digits, _ and -.",
    "Give 16 to 256 of them, at random: openssl rand -hex 32.",
  );
}

/**
 * Receives the updates that Telegram posts. A request without the secret is refused before anything is read. Status 200 means
 * that the update is stored: after anything else Telegram posts it again. A complete body that is no update would be none the
 * next time either, so it is accepted too, and reported to the operator. So is an update for a removed agent.
 */
export function createWebhook(
  { log }: Pick<Bot, "log">,
  { isThere }: Pick<Presence, "isThere">,
  receive: Receive,
  secret: string | undefined,
) {
  return async (request: Request): Promise<Response> => {
    if (request.method !== "POST") return answer(405, "Only POST is heard here.", { allow: "POST" });
    const given = request.headers.get("x-telegram-bot-api-secret-token") ?? "";
    if (secret === undefined || !isSame(given, secret)) return answer(401, "The secret is missing or wrong.");
    let body: string | undefined;
    try {
      body = await textOf(request);
    } catch {
      return answer(400, "It was cut off; post it again.");
    }
    const update = updateIn(body);
    if (!update) {
      log("update-unreadable");
      return answer(200, "This is no update.");
    }
    try {
      if (!(await isThere())) return answer(200, noAgent);
      await receive(update);
    } catch (error) {
      if (isAgentRemoved(error)) return answer(200, noAgent);
      log("update-failed", { reason: error instanceof Problem ? error.code : "internal" });
      return answer(503, "It could not be kept; post it again.", { "retry-after": "5" });
    }
    return answer(200, "ok");
  };
}

const noAgent = "Its agent was removed.";

function answer(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new Response(text, { status, headers: { "content-type": "text/plain", ...headers } });
}

/** Compares in constant time, however much of the secret is right. */
function isSame(given: string, secret: string): boolean {
  const { createHash, timingSafeEqual } = process.getBuiltinModule("node:crypto");
  const digest = (words: string) => createHash("sha256").update(words).digest();
  return timingSafeEqual(digest(given), digest(secret));
}

function updateIn(body: string | undefined): Update | undefined {
  try {
    const update: unknown = JSON.parse(body ?? "");
    return isTelegramUpdate(update) ? update : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads a body; undefined where it is too long or no UTF-8; throws where it breaks off. A body that is too long is read to its
 * end, and dropped: a sender that is cut off does not read the answer.
 */
async function textOf({ body }: Request): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
  }
  const { isUtf8 } = process.getBuiltinModule("node:buffer");
  const whole = Buffer.concat(chunks);
  return bytes <= maxBytes && isUtf8(whole) ? whole.toString("utf8") : undefined;
}
