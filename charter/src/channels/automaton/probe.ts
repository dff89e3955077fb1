import { Problem } from "../../prompt/problem.ts";
import { isTransient } from "../transient.ts";
import type { Life } from "./life.ts";
import { failureOf } from "./message-outcome.ts";

/**
 * Whether turns may be taken again: a model that gave no answer is asked one word first. So long as it has none, no
 * message is tried and no turn is paid for. If it has one at once, it was there when it failed, and the try counts.
 */
export async function isModelBack({ host, agent, log }: Life, signal: AbortSignal): Promise<boolean> {
  const { inbox } = host.store;
  try {
    const probed = await host.probe(agent, { signal });
    // One that cannot be asked so is asked with the next turn.
    if (probed === undefined) return true;
    if (signal.aborted) return false;
    if (!probed.ok) await inbox.markAway(agent, { because: failureOf(probed) });
    else await inbox.markBack(agent);
    log(probed.ok ? "model-back" : "model-away", probed.ok ? {} : { code: probed.code });
    return probed.ok;
  } catch (error) {
    // It may not be paid: that says nothing of the model.
    if (!(error instanceof Problem) || isTransient(error)) throw error;
    log("trouble", { code: error.code });
    return false;
  }
}
