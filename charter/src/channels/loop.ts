import { sleep as usualSleep } from "../agent/limits.ts";
import { noCoreMemory } from "../host/core-memory.ts";
import type { Host } from "../host/host.ts";
import { checkNeeded, isObject } from "../prompt/argument.ts";
import { backoffMs } from "../prompt/bounds.ts";
import { Problem, reasonOf } from "../prompt/problem.ts";
import { nextTryAt } from "../sources/core-memory/core-memory.ts";
import type { RecordedPublication } from "../store/publications/publications.ts";
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

/** What `createPublicationWorker` is given. */
type PublicationWorkerOptions = {
  readonly host: Host;
  /** How often it looks for what waits; every 5 seconds, unless given. */
  readonly everyMs?: number;
  readonly random?: () => number;
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Called with everything that happens, for a log. */
  readonly log?: (entry: Readonly<Record<string, unknown>>) => void;
};

/** Publishes what no relay has taken yet, or not every one: after an outage, and after a process died before it could. */
type PublicationWorker = {
  readonly start: () => void;
  readonly stop: () => Promise<void>;
  /** Sends what is due now, and returns how much that was. */
  readonly tick: () => Promise<number>;
};

/** Creates a worker that publishes what waits. Several may work on one store: each event is the same, whoever sends it. */
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
      // It waits at an address that is not this memory's: its key was changed.
      else if (outcome?.id !== id) await later(nowhere("it was made with another key"));
    } catch (error) {
      // Whatever is wrong with one, the others that wait are not kept from being sent.
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

/** A conflict's texts are nobody's business in a log. */
function withoutWords({ conflict, ...told }: { readonly conflict?: { readonly id: string } }): object {
  return { ...told, ...(conflict ? { by: conflict.id } : {}) };
}
