import { backoffMs } from "../../prompt/bounds.ts";
import type { Bot } from "./bot.ts";
import { type BotFault, pollSeconds } from "./bot-api.ts";
import { isTelegramUpdate, wantedUpdates } from "./incoming.ts";
import type { Receive } from "./receive.ts";

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
