import type { Fault, PrepareResult, RequestSession } from "../../../delivery/model.ts";
import { reasonOf } from "../../../prompt/problem.ts";
import { maxTimeoutMs, withTimeout } from "../../timeout.ts";
import { stopped, tryAgain } from "../ask.ts";
import type { AgentDeps, TurnIdentity, TurnState } from "../turn-state.ts";

/**
 * A receiver that keeps the conversation is made ready before anything of the turn is sent. Where it has nothing of the
 * conversation, the prefix is built from the words of now.
 */
export async function prepareSession(
  deps: AgentDeps,
  running: Pick<TurnState, "who" | "terms" | "seat" | "progress">,
): Promise<void> {
  if (!running.seat.model.prepare) return;
  const faults = [];
  for (;;) {
    const { prepared, fault } = await prepareOrStop(running);
    if (prepared) {
      running.progress.prepared = prepared;
      if (prepared.fresh && running.who.session.baseline)
        running.progress.rebuildReason = "the agent has nothing of this conversation, and is told anew";
      return;
    }
    faults.push(fault);
    // Nothing was sent yet.
    const isOutage = ({ code }: Fault) => code !== "model-aborted";
    await tryAgain(deps, running, faults, { tell: running.who.emit, isOutage });
  }
}

/** Whose conversation it is. */
export function requestSessionOf({ session, scope, operator }: TurnIdentity): Omit<RequestSession, "history"> {
  const { agent, user } = scope;
  return { id: session.id, agent, ...(user === undefined ? {} : { user }), operator };
}

async function prepareOrStop({ who, seat: { model } }: Pick<TurnState, "who" | "seat">): Promise<PrepareResult> {
  const { signal } = who;
  if (signal.aborted) return stopped;
  try {
    const work = model.prepare?.(requestSessionOf(who), { signal }) ?? Promise.resolve(stopped);
    return await withTimeout<PrepareResult>(maxTimeoutMs, work, () => stopped, signal);
  } catch (error) {
    return { fault: { code: "model-failed", message: reasonOf(error), retry: false } };
  }
}
