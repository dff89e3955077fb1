import { nothingReported } from "../scheduled/nothing-reported.ts";
import type { Life } from "./life.ts";
import { ownTurnInput } from "./message-input.ts";
import { type LeasedTurnEnd, performTurn, turnFacts } from "./perform-turn.ts";
import { createStateChanges } from "./state-changes.ts";

/** Whether a turn of its own is due. A clock that was set back delays none. */
export function isOwnTurnDue(ownTurnAt: string | null, now: Date, everyMs: number): boolean {
  return ownTurnAt === null || Math.abs(now.getTime() - Date.parse(ownTurnAt)) >= everyMs;
}

/** Takes a turn that nobody asked for. That there was nothing to do is what it came to, and no failure. */
export async function takeOwnTurn(life: Life): Promise<LeasedTurnEnd> {
  const { host, agent, clock, log } = life;
  const { automata } = host.store;
  const id = `${life.newId()}-own`;
  const state = createStateChanges("Idle", clock);
  state.note("turn-started", id);
  // The time is kept before it begins: one that nobody survives does not come again at once.
  await automata.record(agent, state.take(), { ownTurnAt: clock().toISOString() });
  const end = await performTurn(life, { id, input: ownTurnInput }, state);
  if (end.lost) return end;
  const quiet = (await nothingReported(host.store, id)) !== undefined;
  state.note(quiet ? "turn-quiet" : end.state === "answered" ? "turn-finished" : "turn-failed", id);
  await automata.record(agent, state.take());
  log("turn", { ...turnFacts(end), ...(quiet ? { state: "quiet" } : {}) });
  return end;
}
