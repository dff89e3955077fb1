import { sleep as usualSleep } from "../../agent/limits.ts";
import type { Host } from "../../host/host.ts";
import { checkNeeded, isFunction, isObject, isText } from "../../prompt/argument.ts";
import { backoffMs } from "../../prompt/bounds.ts";
import { Problem } from "../../prompt/problem.ts";
import { createLoop, createPresence, type Sleep, type Tell } from "../loop.ts";
import { createSendRound } from "../sender.ts";
import { createUpdateWorker } from "../update-worker.ts";
import { type Bot, type BotFault, channel, createBotApi, createBotFileDownload, postDispatch } from "./bot.ts";
import { wantedUpdates } from "./incoming.ts";
import { checkSecret, createPollRound, createReceive, createRetryingReceive, createWebhook } from "./receive.ts";
import { contentOf } from "./update-content.ts";
import type { UserPage } from "./wording.ts";

/** Options of `createTelegram`: the host, the agent and the bot's token. */
export type TelegramOptions = {
  readonly host: Host;
  /** Name of the agent that answers. */
  readonly agent: string;
  readonly token: string;
  /** Address of another Bot API server than Telegram's own. */
  readonly apiRoot?: string;
  readonly fetch?: typeof fetch;
  readonly clock: () => Date;
  readonly sleep?: Sleep;
  readonly random?: () => number;
  /** Receives news for the operator; never a user's text or the token. */
  readonly log?: Tell;
  /** Delivery of updates: true fetches them by long polling; otherwise Telegram posts them to `webhook`. */
  readonly polling?: boolean;
  /** The secret that Telegram sends with each update it posts. */
  readonly secret?: string;
  /** The page for users: `/web` in a linked chat gives a link to it. */
  readonly page?: UserPage;
};

/** A Telegram bot that answers as an agent. */
export type Telegram = {
  /** Starts the bot. It fails for an invalid token, but not if Telegram is out of reach: then it keeps trying. */
  readonly start: () => Promise<void>;
  readonly stop: (graceMs?: number) => Promise<void>;
  /** Answers a request that Telegram posted. */
  readonly webhook: (request: Request) => Promise<Response>;
  readonly setWebhook: (url: string) => Promise<void>;
  /** Returns the bot's name, once Telegram has told it. */
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
  const backgroundWork = new Set<Promise<unknown>>();
  const bot: Bot = {
    ...{ host, agent, channel, number, clock, sleep, random, page: options.page },
    ask: createBotApi({ token, apiRoot, fetch, ending: ending.signal }),
    download: createBotFileDownload({ token, apiRoot, fetch, ending: ending.signal }),
    log: (kind, about = {}) => log?.({ about: "telegram", kind, agent, ...about }),
    runInBackground: (work) => {
      const one = work(stopping.signal)
        .catch(() => {})
        .finally(() => backgroundWork.delete(one));
      backgroundWork.add(one);
    },
  };
  const failed = (kind: string) => () => bot.log(kind);
  const presence = createPresence(host.store, agent, failed("agent-removed"));
  const send = presence.whileThere(createSendRound(bot, (dispatch) => postDispatch(bot, dispatch)));
  const sending = createLoop({ round: send, sleep, random, onError: failed("dispatches-unavailable") });
  const working = createUpdateWorker(bot, {
    contentOf: (update) => contentOf(bot, update),
    showTyping: (address) => bot.ask((api) => api.sendChatAction({ chat_id: Number(address), action: "typing" })),
    presence,
    wakeSender: sending.wake,
  });
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
  /** Retries in the background until it works. */
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
      const finished = new AbortController();
      void sleep(graceMs, finished.signal).then(() => ending.abort());
      stopping.abort();
      await fetching.stop();
      await working.stop(graceMs);
      await sending.stop();
      // Sends the replies of the last turns now, if that is possible.
      while (!ending.signal.aborted && (await send(ending.signal).catch(() => 1)) === 0);
      await Promise.all(backgroundWork);
      finished.abort();
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
