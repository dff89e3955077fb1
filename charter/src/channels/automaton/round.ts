import type { AgentRecord } from "../../store/agents.ts";
import type { Automaton } from "../../store/automata/automaton.ts";
import { approvedCalls, recoverApprovedTurn, takeApprovedTurn } from "./approved-turn.ts";
import { createBackoffs } from "./backoffs.ts";
import { takeBatchTurn } from "./batch-turn.ts";
import { checkSurvival } from "./check-survival.ts";
import type { Life } from "./life.ts";
import { obstacleOf } from "./message-outcome.ts";
import { isOwnTurnDue, takeOwnTurn } from "./own-turn.ts";
import type { LeasedTurnEnd } from "./perform-turn.ts";
import { isModelBack } from "./probe.ts";
import { recoverMessages } from "./recover-messages.ts";
import { createStateChanges } from "./state-changes.ts";
import { stateAfter } from "./state-table.ts";

/** What one look came to. `again`: there may be more to do at once. */
type RoundResult = { readonly turns: number; readonly again: boolean };

/** One look at an agent by the process that is in charge of it: whatever waits for a turn gets one. */
type Round = (row: Automaton, signal: AbortSignal) => Promise<RoundResult>;

export function createRound(life: Life): Round {
  const { host, agent, clock, random, everyMs, late, log } = life;
  const { store } = host;
  const backoffs = createBackoffs(clock, random);
  /** Whether the round goes on after a turn. While no model answers, no other message is tried. */
  const goesOn = async ({ turn, lost, problem }: LeasedTurnEnd, isAway: boolean): Promise<boolean> => {
    if (lost) return false;
    const obstacle = obstacleOf(problem);
    if (obstacle === undefined) backoffs.succeeded(model);
    else backoffs.failed(model);
    if (problem && obstacle === "away") {
      // A provider may repeat what it was sent: its words to a turn stay with the messages, and are erased with them.
      await store.inbox.markAway(agent, { because: problem.code, turn });
      log("model-away", { code: problem.code });
    } else if (isAway && obstacle === undefined) await store.inbox.markBack(agent);
    return obstacle === undefined;
  };
  return async (row, signal) => {
    const survival = await checkSurvival(life, row);
    const record = await store.agents.get(agent);
    const rest = restOf(record, row, clock()) ?? survival.rest;
    const state = createStateChanges(row.state, clock);
    // A turn that nobody finished: its process died, or its store went away.
    const left = stateAfter(row.state, "tick") === undefined ? row.turn : null;
    await recoverApprovedTurn(life, left);
    state.note(rest === undefined ? "tick" : "rest", left, rest);
    const changes = state.take();
    if (changes.length > 0 || survival.set) await store.automata.record(agent, changes, survival.set);
    if (state.state() === "Faulted") return { turns: 0, again: true };
    if (rest === "frozen" || rest === "asleep") return { turns: 0, again: false };
    const work = await store.automata.findWork(agent);
    if (work.taken) await recoverMessages(life);
    if (rest !== undefined || !backoffs.isOver(model)) return { turns: 0, again: false };
    // A charter that cannot be read or a key that is missing is the operator's to mend: it costs no message a try.
    await host.traits(record);
    await host.modelOf(agent);
    const own = !survival.isLow && isOwnTurnDue(row.ownTurnAt, clock(), everyMs);
    const some = work.waiting || work.taken || (work.approved && !survival.isLow) || own;
    if (row.away && some && !(await isModelBack(life, AbortSignal.any([signal, late])))) {
      backoffs.failed(model);
      return { turns: 0, again: false };
    }
    let turns = 0;
    const ended = async (end: LeasedTurnEnd): Promise<boolean> => {
      turns += 1;
      return (await goesOn(end, row.away !== null)) && !signal.aborted;
    };
    const over = (again = true) => ({ turns, again: again && turns > 0 });
    for (const calls of survival.isLow || !work.approved ? [] : await approvedCalls(life)) {
      const key = `call ${calls[0]?.id}`;
      if (!backoffs.isOver(key)) continue;
      const end = await takeApprovedTurn(life, calls);
      if (!end.made) backoffs.failed(key);
      if (!(await ended(end))) return over(false);
    }
    const batch = work.waiting || work.taken ? await takeBatchTurn(life) : undefined;
    if (batch && !(await ended(batch))) return over(false);
    if (own && !(await ended(await takeOwnTurn(life)))) return over(false);
    return over();
  };
}

const model = "model";

/** Why it takes no turns, by an operator's hand. */
function restOf({ frozen }: AgentRecord, { asleepUntil }: Automaton, now: Date): "frozen" | "asleep" | undefined {
  if (frozen === "agent") return "frozen";
  return asleepUntil !== null && asleepUntil > now.toISOString() ? "asleep" : undefined;
}
