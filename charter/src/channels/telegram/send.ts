import { backoffMs } from "../../prompt/bounds.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Dispatch } from "../../store/channels/dispatches.ts";
import { isTransient } from "../loop.ts";
import { sentInto } from "../turn-record.ts";
import { type Bot, type BotFault, channel, messageTo } from "./bot.ts";
import type { DispatchExtra } from "./deliver-to.ts";

const idleMs = 1000;
const concurrency = 20;
/** Longer than any answer of Telegram is waited for. */
const leaseMs = 120_000;

/**
 * A round of sending: of each chat the next message, in the order in which they were written. Gives the milliseconds until
 * the next round.
 *
 * A message that Telegram has taken and that we died over before we wrote that down is sent once more: Telegram knows no
 * names for messages that would tell it.
 */
export function createSendRound(bot: Bot): (signal: AbortSignal) => Promise<number> {
  const { agent, host, clock } = bot;
  const { dispatches } = host.store;
  let silentUntil = 0;
  const pause = (ms: number) => {
    silentUntil = Math.max(silentUntil, clock().getTime() + ms);
  };
  return async (signal) => {
    const silent = silentUntil - clock().getTime();
    if (silent > 0) return silent;
    const due = await dispatches.claim(agent, channel, { limit: concurrency, leaseMs });
    if (due.length === 0) return idleMs;
    const sent = await Promise.all(due.map((one) => send(bot, one, pause, signal)));
    return sent.some((outcome) => outcome) ? 0 : idleMs;
  };
}

/** Whether it is settled: then the next message of its chat may go. */
async function send(bot: Bot, dispatch: Dispatch, pause: (ms: number) => void, signal: AbortSignal): Promise<boolean> {
  const { agent, host, clock, random, log } = bot;
  const { dispatches, links } = host.store;
  const { id, scope, address, body, tries } = dispatch;
  const dead = async (reason: string) => {
    await dispatches.markDead(id, reason);
    log("dispatch-dead", { dispatch: id, reason });
    return true;
  };
  const link = await links.find(agent, channel, address);
  if (!link || link.scope.user !== scope.user) return dead("the chat is not this user's any more");
  const { buttons, entities } = extraOf(dispatch);
  const ask = (more: object) => bot.ask((api) => api.sendMessage({ ...messageTo(address, body), ...buttons, ...more }));
  let { fault } = await ask(entities);
  if (fault && isEntityFault(fault) && "entities" in entities) {
    log("entities-refused", { dispatch: id, reason: fault.reason });
    ({ fault } = await ask({}));
  }
  if (!fault) {
    const into = async () => (dispatch.turn === undefined ? {} : sentInto(host.store, agent, clock()));
    await keepTrying(bot, signal, async () => dispatches.markSent(id, await into()));
    return true;
  }
  if (fault.kind === "refused") return dead(fault.reason);
  const wait = fault.afterMs ?? backoffMs(tries, random, { max: 300_000 });
  // Too many messages at once is the bot's trouble, not this chat's.
  if (fault.kind === "busy") pause(wait);
  await dispatches.retryAt(id, fault.reason, new Date(clock().getTime() + wait).toISOString());
  return false;
}

/** Telegram has it: while the store is away for a moment only we know that, and say so until our lease is nearly over. */
async function keepTrying(
  { sleep, random, clock }: Bot,
  signal: AbortSignal,
  keep: () => Promise<void>,
): Promise<void> {
  const until = clock().getTime() + leaseMs - 5000;
  for (let failures = 0; ; failures++)
    try {
      return await keep();
    } catch (error) {
      const wait = backoffMs(failures, random, { min: 200, max: 5000 });
      const passing = error instanceof Problem && isTransient(error);
      if (!passing || signal.aborted || clock().getTime() + wait > until) throw error;
      await sleep(wait, signal);
    }
}

/** The words are the message: where Telegram does not like how they are to be shown, they go without it. */
function isEntityFault({ kind, reason }: BotFault): boolean {
  return kind === "refused" && /entit(?:y|ies)/i.test(reason);
}

function extraOf({ extra }: Dispatch) {
  const { buttons = [], entities = [] } = (extra ?? {}) as DispatchExtra;
  const keyboard = [buttons.map(({ text, data }) => ({ text, callback_data: data }))];
  return {
    buttons: buttons.length === 0 ? {} : { reply_markup: { inline_keyboard: keyboard } },
    entities: entities.length === 0 ? {} : { entities },
  };
}
