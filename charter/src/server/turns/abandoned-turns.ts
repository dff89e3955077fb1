import { isRunnerGone } from "../../agent/agent.ts";
import type { Store } from "../../store/store.ts";

const minute = 60_000;

/**
 * Marks turns as interrupted that nobody works on any more, now and every minute: those of a process that died, here or
 * elsewhere, and those that could not be closed while the store was away. Gives back what stops it.
 */
export async function markAbandonedTurns(store: Store, everyMs = minute): Promise<() => Promise<void>> {
  const mark = () => store.turns.interruptAbandoned({ isGone: isRunnerGone });
  await mark();
  let marking: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    // A store that is away now is asked again the next time.
    marking = mark().catch(() => {});
  }, everyMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await marking;
  };
}
