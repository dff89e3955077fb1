import { createLoop } from "../loop.ts";
import type { Presence } from "../presence.ts";
import { type Bot, channel } from "./bot.ts";
import { deadAnswer, leaseMs, workOnUpdate } from "./work-on-update.ts";

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
