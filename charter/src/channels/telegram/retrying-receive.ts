import { createBoundedMap } from "../../prompt/bounds.ts";
import { Problem } from "../../prompt/problem.ts";
import { isAgentRemoved } from "../presence.ts";
import { isTransient } from "../transient.ts";
import { type Bot, channel } from "./bot.ts";
import type { Receive } from "./receive.ts";

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
