import { Problem } from "../prompt/problem.ts";
import type { Store } from "../store/store.ts";

/** So often it is looked whether an agent that was removed is back. */
const absentMs = 2000;

type Round = (signal: AbortSignal) => Promise<number>;

/** Whether the agent a channel speaks for is there: one that was removed does nothing, until it is brought back. */
export type Presence = {
  /** Hears of it at once when the agent is removed, by whichever process; gives what ends that. */
  readonly watch: () => Promise<() => Promise<void>>;
  /** It was removed, as someone heard. */
  readonly leave: () => void;
  readonly isThere: () => Promise<boolean>;
  /** Aborted when the agent is removed. */
  readonly signal: () => AbortSignal;
  /** The same work, left out while the agent is away; it is stopped when the agent is removed. */
  readonly whileThere: (work: Round) => Round;
};

export function createPresence(store: Store, agent: string, onRemoved: () => void): Presence {
  let there = new AbortController();
  const leave = () => {
    if (there.signal.aborted) return;
    there.abort();
    onRemoved();
  };
  const isThere = async () => {
    if (!there.signal.aborted) return true;
    if (!(await store.agents.find(agent))) return false;
    if (there.signal.aborted) there = new AbortController();
    return true;
  };
  return {
    isThere,
    leave,
    signal: () => there.signal,
    watch: () =>
      store.events.watch(({ scope, kind }) => {
        if (scope.agent === agent && kind === "agent-removed") leave();
      }),
    whileThere: (work) => async (signal) => {
      if (!(await isThere())) return absentMs;
      try {
        return await work(AbortSignal.any([signal, there.signal]));
      } catch (error) {
        if (!isAgentRemoved(error)) throw error;
        leave();
        return absentMs;
      }
    },
  };
}

export function isAgentRemoved(error: unknown): boolean {
  return error instanceof Problem && error.code === "agent-removed";
}
