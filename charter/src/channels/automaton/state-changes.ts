import type { TurnPhase } from "../../agent/turn-interface.ts";
import type { StateChange } from "../../store/automata/automaton.ts";
import { type StateEvent, stateAfter } from "./state-table.ts";

/** Follows an agent's state, and keeps its changes until they are recorded with something else. */
export type StateChanges = {
  readonly state: () => string;
  readonly note: (event: StateEvent, turn?: string | null, cause?: string) => void;
  /** The changes since it was last asked. */
  readonly take: () => readonly StateChange[];
};

export function createStateChanges(from: string, clock: () => Date): StateChanges {
  let state = from;
  let changes: StateChange[] = [];
  return {
    state: () => state,
    note: (event, turn = null, cause = event) => {
      const next = stateAfter(state, event);
      const at = clock().toISOString();
      if (next === undefined)
        changes.push({
          from: state,
          to: "Faulted",
          cause: `${cause} is not foreseen in ${state}`,
          turn,
          at,
          fault: true,
        });
      else if (next !== state) changes.push({ from: state, to: next, cause, turn, at });
      state = next ?? "Faulted";
    },
    take: () => {
      const taken = changes;
      changes = [];
      return taken;
    },
  };
}

/** What each phase of a turn is to the state. */
export const phaseEvents: Readonly<Record<TurnPhase, StateEvent>> = {
  LoadingContext: "context-loading",
  Inferring: "model-asked",
  ExecutingActions: "tools-called",
  Persisting: "turn-recorded",
};
