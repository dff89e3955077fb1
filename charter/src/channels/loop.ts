import { backoffMs } from "../prompt/bounds.ts";
import { Problem } from "../prompt/problem.ts";
import type { Store } from "../store/store.ts";

/** Waits, or less when the signal says so. */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** Rounds of work, one after the other. */
type Loop = {
  readonly start: () => void;
  /** There is something to do: the next round begins now, or right after this one. */
  readonly wake: () => void;
  /** The round that runs hears of it by its signal, and is waited for. */
  readonly stop: () => Promise<void>;
};

type LoopOptions = {
  /** Gives the milliseconds until the next one. What it throws is told, and it is tried again later and later. */
  readonly round: (signal: AbortSignal) => Promise<number>;
  readonly onError: (error: unknown) => void;
  readonly sleep: Sleep;
  readonly random: () => number;
};

export function createLoop({ round, onError: failed, sleep, random }: LoopOptions): Loop {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let woken = false;
  let asleep: AbortController | undefined;
  const run = async () => {
    for (let failures = 0; !stopping.signal.aborted; ) {
      woken = false;
      let pause: number;
      try {
        pause = await round(stopping.signal);
        failures = 0;
      } catch (error) {
        if (stopping.signal.aborted) return;
        failed(error);
        pause = backoffMs(failures++, random);
        woken = false;
      }
      if (pause <= 0 || woken) continue;
      asleep = new AbortController();
      await sleep(pause, AbortSignal.any([asleep.signal, stopping.signal]));
      asleep = undefined;
    }
  };
  return {
    start: () => {
      running ??= run();
    },
    wake: () => {
      woken = true;
      asleep?.abort();
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

/** Does something again and again, first after a while, until the function it gives back is called. What fails is left. */
export function repeatEvery(milliseconds: number, work: () => Promise<unknown>, sleep: Sleep): () => void {
  const over = new AbortController();
  const run = async () => {
    for (;;) {
      await sleep(milliseconds, over.signal);
      if (over.signal.aborted) return;
      await work().catch(() => {});
    }
  };
  void run();
  return () => over.abort();
}

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

/** What is over by itself or by the operator's hand, and then works: whoever met it tries again. */
export function isTransient({ code }: Problem): boolean {
  return /^store-/.test(code) || ["disk-full", "read-only", "unreadable", "closing", "turn-exists"].includes(code);
}
