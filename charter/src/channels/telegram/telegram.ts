import type { Update } from "grammy/types";
import { sleep as usualSleep } from "../../agent/timeout.ts";
import type { Host } from "../../host/host.ts";
import { checkNeeded, isFunction, isObject, isText } from "../../prompt/argument.ts";
import { backoffMs } from "../../prompt/backoff.ts";
import { createBoundedMap } from "../../prompt/bounded-map.ts";
import { Problem } from "../../prompt/problem.ts";
import { createLoop } from "../loop.ts";
import { createPresence, isAgentRemoved, type Presence } from "../presence.ts";
import { isTransient } from "../transient.ts";
import type { UserPage } from "../user-page.ts";
import { type Bot, channel } from "./bot.ts";
import { type BotFault, createBotApi, pollSeconds } from "./bot-api.ts";
import { createBotFileDownload } from "./bot-file.ts";
import { isTelegramUpdate, wantedUpdates } from "./incoming.ts";
import { createReceive, type Receive } from "./receive.ts";
import { createSendRound } from "./send.ts";
import { deadAnswer, leaseMs, workOnUpdate } from "./work-on-update.ts";

/** What `createTelegram` is given: the host, the agent and the bot's token. */
export type TelegramOptions = {
  readonly host: Host;
  /** The agent that answers. */
  readonly agent: string;
  readonly token: string;
  /** Another Bot API server than Telegram's own. */
  readonly apiRoot?: string;
  readonly fetch?: typeof fetch;
  readonly clock: () => Date;
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly random?: () => number;
  /** Called with what the operator should know; never with a user's text or the token. */
  readonly log?: (entry: Readonly<Record<string, unknown>>) => void;
  /** Updates are fetched by long polling; otherwise they are posted to `webhook`. */
  readonly polling?: boolean;
  /** The secret that Telegram sends with each update it posts. */
  readonly secret?: string;
  /** The page for users: `/web` in a linked chat gives a link to it. */
  readonly page?: UserPage;
};

/** A Telegram bot that answers as an agent. */
export type Telegram = {
  /** Fails for an invalid token, but not if Telegram is out of reach: then it keeps trying. */
  readonly start: () => Promise<void>;
  readonly stop: (graceMs?: number) => Promise<void>;
  /** Answers a request that Telegram posted. */
  readonly webhook: (request: Request) => Promise<Response>;
  readonly setWebhook: (url: string) => Promise<void>;
  /** The bot's name, once Telegram has said it. */
  readonly username: () => string | undefined;
};

/** Connects an agent of a host to a Telegram bot. Call `start`. */
export function createTelegram(options: TelegramOptions): Telegram {
  checkNeeded<TelegramOptions>("createTelegram", options, {
    host: [isObject, "Give what createHost gives."],
    agent: [isText, "Give the name of the agent that answers."],
    token: [isText, "Give the token of the bot, from @BotFather."],
    clock: [isFunction, "Give a function: () => new Date()."],
  });
  const { host, agent, token, clock, log, secret, polling = secret === undefined } = options;
  const { sleep = usualSleep, random = Math.random, apiRoot, fetch } = options;
  const number = /^(\d+):[\w-]+$/.exec(token)?.[1];
  if (number === undefined) throw unknownToken(agent);
  if (secret !== undefined) checkSecret(secret);
  const stopping = new AbortController();
  const ending = new AbortController();
  const asides = new Set<Promise<unknown>>();
  const bot: Bot = {
    ...{ host, agent, number, clock, sleep, random, page: options.page },
    ask: createBotApi({ token, apiRoot, fetch, ending: ending.signal }),
    download: createBotFileDownload({ token, apiRoot, fetch, ending: ending.signal }),
    log: (kind, about = {}) => log?.({ about: "telegram", kind, agent, ...about }),
    runInBackground: (work) => {
      const one = work(stopping.signal)
        .catch(() => {})
        .finally(() => asides.delete(one));
      asides.add(one);
    },
  };
  const failed = (kind: string) => () => bot.log(kind);
  const presence = createPresence(host.store, agent, failed("agent-removed"));
  const send = presence.whileThere(createSendRound(bot));
  const sending = createLoop({ round: send, sleep, random, onError: failed("dispatches-unavailable") });
  const working = createUpdateWorker(bot, presence, sending.wake);
  const receive = createRetryingReceive(bot, createReceive(bot, working.wake, sending.wake));
  const fetching = createLoop({
    round: presence.whileThere(createPollRound(bot, receive)),
    sleep,
    random,
    onError: failed("update-failed"),
  });

  let unwatch: (() => Promise<void>) | undefined;
  let username: string | undefined;
  const identify = async (): Promise<BotFault | undefined> => {
    const { result, fault } = await bot.ask((api) => api.getMe());
    username = result?.username ?? username;
    return fault;
  };
  /** Again and again, on the side, until it works. */
  const keepTrying = (what: string, attempt: () => Promise<BotFault | undefined>) =>
    bot.runInBackground(async (signal) => {
      for (let failures = 0; !signal.aborted; failures++) {
        await sleep(backoffMs(failures, random), signal);
        const fault = signal.aborted ? undefined : await attempt();
        if (!fault) return;
        bot.log(what, { reason: fault.reason });
      }
    });

  return {
    username: () => username,
    webhook: createWebhook(bot, presence, receive, secret),
    start: async () => {
      const fault = await identify();
      if (fault?.kind === "unauthorised") throw unknownToken(agent);
      if (fault) {
        bot.log("telegram-unreachable", { reason: fault.reason });
        keepTrying("telegram-unreachable", identify);
      }
      unwatch ??= await presence.watch();
      working.start();
      sending.start();
      if (polling) fetching.start();
    },
    setWebhook: async (url) => {
      if (secret === undefined) checkSecret("");
      const attempt = async () => {
        const asked = { url, secret_token: secret as string, allowed_updates: wantedUpdates };
        return (await bot.ask((api) => api.setWebhook(asked))).fault;
      };
      const fault = await attempt();
      if (fault?.kind === "unauthorised") throw unknownToken(agent);
      if (fault?.kind === "refused" || fault?.kind === "conflict")
        throw new Problem(
          "telegram-refused",
          `Telegram refused the webhook address ${url} for the bot of “${agent}”: ${fault.reason}.`,
          "Give an https:// address that the internet can reach, on port 443, 80, 88 or 8443.",
        );
      if (fault) keepTrying("telegram-unreachable", attempt);
    },
    stop: async (graceMs = 30_000) => {
      const over = new AbortController();
      void sleep(graceMs, over.signal).then(() => ending.abort());
      stopping.abort();
      await fetching.stop();
      await working.stop(graceMs);
      await sending.stop();
      // What the last turns said goes out now, if it can.
      while (!ending.signal.aborted && (await send(ending.signal).catch(() => 1)) === 0);
      await Promise.all(asides);
      over.abort();
      await unwatch?.();
      unwatch = undefined;
    },
  };
}

function unknownToken(agent: string): Problem {
  return new Problem(
    "telegram-token",
    `Telegram rejected the token of the bot of “${agent}”.`,
    "Ask @BotFather for it (/mybots, then API Token), and copy it whole.",
  );
}

/** So often an update may fail while everything else works. */
const maxFailures = 5;

/**
 * Takes updates in, and gives up one that fails although the store works: it fails for its own sake, and would come again
 * and again before all others. The operator is told its number, never its words.
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
      // A full disk may still be read: then it is not the update's fault either, and passes.
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
 * A round of long polling. An update is taken in before Telegram hears that we have it: what we die over, or what the
 * store cannot keep now, comes again.
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
    // What was taken in is confirmed by now. Without updates for a week, Telegram begins to count anew, maybe lower.
    offset = undefined;
    const all: readonly unknown[] = Array.isArray(result) ? result : [result];
    const updates = all.filter(isTelegramUpdate);
    for (const update of updates) {
      await receive(update);
      offset = update.update_id + 1;
    }
    // What has no number cannot be confirmed: where nothing else comes with it, it would come again at once.
    odd = updates.length === all.length ? 0 : odd + 1;
    if (odd === 1) log("update-unreadable");
    if (odd > 0 && offset === undefined) return backoffMs(odd - 1, random);
    // At the end nobody asks again, and what strangers said is known by nothing else.
    if (signal.aborted && offset)
      await ask((api) => api.getUpdates({ offset: offset as number, limit: 1, timeout: 0 }));
    return 0;
  };
}

/** grammY's type for signals is older than Node's. */
const signalOf = (signal: AbortSignal) => signal as unknown as never;

/** So many turns run at a time; a model is waited for most of it. */
const concurrency = 32;
/** So often it is looked for updates that others took in, or did not finish. */
const idleMs = 2000;

type UpdateWorker = {
  readonly start: () => void;
  readonly wake: () => void;
  /** Takes no more; what runs is given so much time, then it is stopped and waits for the next start. */
  readonly stop: (graceMs: number) => Promise<void>;
};

/** Works on the updates that wait: those of one chat one after the other, those of several at the same time. */
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
      const over = new AbortController();
      void sleep(graceMs, over.signal).then(() => late.abort());
      await Promise.all(running);
      over.abort();
    },
  };
}

/** Larger than any update of Telegram's. */
const maxBytes = 1_000_000;

/** Letters, digits, _ and -, as Telegram asks; and too many of them to be guessed. */
export function checkSecret(secret: string): void {
  if (/^[\w-]{16,256}$/.test(secret)) return;
  throw new Problem(
    "telegram-secret",
    "The secret of a Telegram webhook is too short or holds something else than letters, digits, _ and -.",
    "Give 16 to 256 of them, at random: openssl rand -hex 32.",
  );
}

/**
 * Takes in what Telegram posts. Only whoever knows the secret is heard, and before that nothing is read. 200 is said when
 * the update is kept: after anything else Telegram posts it again. What came whole and is no update will be none the next
 * time either, so that is taken too, and told to the operator. So is what comes for an agent that was removed.
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

/** In the same time whether much of it is right or nothing. */
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
 * Nothing where it is too long or no UTF-8; throws where it does not come to its end. What is too long is read all the
 * same, and not kept: a sender who is not heard out does not hear the answer either.
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
