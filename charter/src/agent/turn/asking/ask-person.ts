import type { ApproveAnswer, WaitingCall } from "../../turn-input.ts";
import type { AgentDeps, TurnState } from "../turn-state.ts";

/**
 * What whoever is there says to a call, within the time there is; nothing if nobody is there, or said anything. An answer
 * that comes later is none.
 */
export async function askPerson(
  { sleep }: Pick<AgentDeps, "sleep">,
  { who, terms: { limits } }: Pick<TurnState, "who" | "terms">,
  held: WaitingCall,
): Promise<ApproveAnswer> {
  if (!who.approve) return undefined;
  const over = new AbortController();
  const signal = AbortSignal.any([who.signal, over.signal]);
  const late = sleep(limits.askSeconds * 1000, signal).then(() => undefined);
  try {
    // A door that fails is one where nobody answers.
    const said = (async () => who.approve?.(held, signal))().catch(() => undefined);
    const answer = await Promise.race([said, late]);
    if (answer === "session") return held.mayAllow ? "session" : true;
    return typeof answer === "boolean" ? answer : undefined;
  } finally {
    over.abort();
  }
}
