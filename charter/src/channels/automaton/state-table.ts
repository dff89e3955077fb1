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

export type StateEvent = (typeof stateEvents)[number];

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
