import { sleep as usualSleep } from "../agent/limits.ts";
import { noCoreMemory } from "../host/core-memory.ts";
import type { Host } from "../host/host.ts";
import { checkNeeded, isObject } from "../prompt/argument.ts";
import { backoffMs } from "../prompt/bounds.ts";
import { Problem, reasonOf } from "../prompt/problem.ts";
import { nextTryAt } from "../sources/core-memory/core-memory.ts";
import type { RecordedPublication } from "../store/publications/publications.ts";
import type { Store } from "../store/store.ts";

/** Waits for a time, or until the signal. */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** Tells the operator of something. */
export type Tell = (entry: Readonly<Record<string, unknown>>) => void;

/** A loop of rounds of work, one after the other. */
type Loop = {
  readonly start: () => void;
  /** Starts the next round now, or right after this one, because there is something to do. */
  readonly wake: () => void;
  /** Stops the loop: the running round gets the signal, and is waited for. */
  readonly stop: () => Promise<void>;
};

type LoopOptions = {
  /**
   * Performs the work and returns the milliseconds until the next round. An error is reported, and the round is tried again
   * after longer and longer pauses.
   */
  readonly round: (signal: AbortSignal) => Promise<number>;
  readonly onError: (error: unknown) => void;
  readonly sleep: Sleep;
  readonly random: () => number;
};

export function createLoop({ round, onError, sleep, random }: LoopOptions): Loop {
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
        onError(error);
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

/** Repeats work, first after one pause, until the returned function is called. Failures are ignored. */
export function repeatEvery(milliseconds: number, work: () => Promise<unknown>, sleep: Sleep): () => void {
  const stopped = new AbortController();
  const run = async () => {
    for (;;) {
      await sleep(milliseconds, stopped.signal);
      if (stopped.signal.aborted) return;
      await work().catch(() => {});
    }
  };
  void run();
  return () => stopped.abort();
}

/** Milliseconds between checks whether a removed agent is back. */
const absentMs = 2000;

type Round = (signal: AbortSignal) => Promise<number>;

/** The presence of a channel's agent: a removed agent does nothing, until it is brought back. */
export type Presence = {
  /** Hears of it at once when the agent is removed, by whichever process; gives what ends that. */
  readonly watch: () => Promise<() => Promise<void>>;
  /** Records that the agent was removed. */
  readonly leave: () => void;
  readonly isThere: () => Promise<boolean>;
  /** Signal that is aborted when the agent is removed. */
  readonly signal: () => AbortSignal;
  /** Wraps work so that it is left out while the agent is away, and stopped when the agent is removed. */
  readonly whileThere: (work: Round) => Round;
};

export function createPresence(store: Store, agent: string, onRemoved: () => void): Presence {
  let present = new AbortController();
  const leave = () => {
    if (present.signal.aborted) return;
    present.abort();
    onRemoved();
  };
  const isThere = async () => {
    if (!present.signal.aborted) return true;
    if (!(await store.agents.find(agent))) return false;
    if (present.signal.aborted) present = new AbortController();
    return true;
  };
  return {
    isThere,
    leave,
    signal: () => present.signal,
    watch: () =>
      store.events.watch(({ scope, kind }) => {
        if (scope.agent === agent && kind === "agent-removed") leave();
      }),
    whileThere: (work) => async (signal) => {
      if (!(await isThere())) return absentMs;
      try {
        return await work(AbortSignal.any([signal, present.signal]));
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

/** Returns true for a fault that passes by itself, or once the operator has acted: a retry may succeed. */
export function isTransient({ code }: Problem): boolean {
  return /^store-/.test(code) || ["disk-full", "read-only", "unreadable", "closing", "turn-exists"].includes(code);
}

/** Options of `createPublicationWorker`. */
type PublicationWorkerOptions = {
  readonly host: Host;
  /** Milliseconds between checks for waiting publications; 5000 by default. */
  readonly everyMs?: number;
  readonly random?: () => number;
  readonly sleep?: Sleep;
  /** Receives everything that happens, for a log. */
  readonly log?: Tell;
};

/** A worker that publishes what not every relay has taken yet: after an outage, or after a process died before it could. */
type PublicationWorker = {
  readonly start: () => void;
  readonly stop: () => Promise<void>;
  /** Sends what is due now, and returns the number of publications. */
  readonly tick: () => Promise<number>;
};

/** Creates a worker that publishes waiting texts. Several may work on one store: each event is the same, whoever sends it. */
export function createPublicationWorker(options: PublicationWorkerOptions): PublicationWorker {
  checkNeeded<PublicationWorkerOptions>("createPublicationWorker", options, {
    host: [isObject, "Give what createHost gives."],
  });
  const { host, everyMs = 5000, random = Math.random, sleep = usualSleep, log } = options;
  const { publications } = host.store;
  const publish = async ({ agent, id, tries, state, missed }: RecordedPublication): Promise<void> => {
    const later = async (reasons: RecordedPublication["missed"]) => {
      const at = nextTryAt(tries, host.clock(), random).toISOString();
      await publications.retryAt(agent, id, reasons, at);
    };
    try {
      const memory = await host.coreMemory(agent);
      if (!memory) throw noCoreMemory(agent);
      const outcome = await memory.publish();
      if (outcome) log?.({ about: "publications", agent, ...withoutWords(outcome) });
      if (state === "published") {
        const left = (await publications.find(agent, id))?.missed ?? [];
        if (left.length > 0) await later(left);
      }
      // Delays a publication for an address that is no longer this memory's, because its key was changed.
      else if (outcome?.id !== id) await later(nowhere("it was made with another key"));
    } catch (error) {
      // Continues with the others, whatever is wrong with this one.
      const reason = reasonOf(error);
      if (!(error instanceof Problem)) log?.({ about: "publications", agent, id, kind: "trouble", reason });
      await later(state === "published" ? missed : nowhere(reason));
    }
  };
  const tick = async () => {
    const due = await publications.due();
    for (const one of due) await publish(one);
    return due.length;
  };
  const loop = createLoop({
    round: async () => {
      await tick();
      return everyMs;
    },
    onError: (error) => log?.({ about: "publications", kind: "trouble", reason: String((error as Error)?.message) }),
    sleep,
    random,
  });
  return { start: loop.start, stop: loop.stop, tick };
}

function nowhere(reason: string): RecordedPublication["missed"] {
  return [{ place: "nowhere", reason }];
}

/** Removes a conflict's texts, which do not belong into a log. */
function withoutWords({ conflict, ...facts }: { readonly conflict?: { readonly id: string } }): object {
  return { ...facts, ...(conflict ? { by: conflict.id } : {}) };
}
