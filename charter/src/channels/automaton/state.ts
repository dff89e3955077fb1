import type { TurnPhase } from "../../agent/turn-interface.ts";
import type { StateChange } from "../../store/automata/automata.ts";

/** Where an agent that lives by itself can be. */
export const automatonStates = [
  "Bootstrapping",
  "Idle",
  "LoadingContext",
  "Inferring",
  "ExecutingActions",
  "Persisting",
  "Sleeping",
  "Faulted",
] as const;

type AutomatonState = (typeof automatonStates)[number];

/** What can happen to it. */
export const stateEvents = [
  /** The loop looks, and turns may be taken. */
  "tick",
  /** The loop looks, and no turns may be taken. */
  "rest",
  "turn-started",
  "context-loading",
  "model-asked",
  "tools-called",
  "turn-recorded",
  "turn-finished",
  /** It found nothing to do. */
  "turn-quiet",
  "turn-failed",
] as const;

type StateEvent = (typeof stateEvents)[number];

type Rows = Readonly<Partial<Record<StateEvent, AutomatonState>>>;

const looks: Rows = { tick: "Idle", rest: "Sleeping" };

/** What is not here cannot happen: if it does, that is a fault, and the next look mends it. */
const table: Readonly<Record<AutomatonState, Rows>> = {
  Bootstrapping: looks,
  Idle: { ...looks, "turn-started": "LoadingContext" },
  LoadingContext: {
    "context-loading": "LoadingContext",
    "model-asked": "Inferring",
    "tools-called": "ExecutingActions",
    "turn-recorded": "Persisting",
    "turn-failed": "Idle",
  },
  Inferring: {
    "context-loading": "LoadingContext",
    "tools-called": "ExecutingActions",
    "turn-recorded": "Persisting",
    "turn-failed": "Idle",
  },
  ExecutingActions: { "context-loading": "LoadingContext", "turn-recorded": "Persisting", "turn-failed": "Idle" },
  Persisting: { "turn-finished": "Idle", "turn-quiet": "Idle", "turn-failed": "Idle" },
  Sleeping: looks,
  // A turn in which something could not happen goes on to its end.
  Faulted: {
    ...looks,
    "context-loading": "Faulted",
    "model-asked": "Faulted",
    "tools-called": "Faulted",
    "turn-recorded": "Faulted",
    "turn-finished": "Faulted",
    "turn-quiet": "Faulted",
    "turn-failed": "Faulted",
  },
};

/** The next state; nothing where the event is not foreseen in this one. */
export function stateAfter(state: string, event: StateEvent): AutomatonState | undefined {
  return Object.hasOwn(table, state) ? table[state as AutomatonState][event] : undefined;
}

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
