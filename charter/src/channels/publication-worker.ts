import { sleep as usualSleep } from "../agent/limits.ts";
import { noCoreMemory } from "../host/core-memory.ts";
import type { Host } from "../host/host.ts";
import { checkNeeded, isObject } from "../prompt/argument.ts";
import { Problem, reasonOf } from "../prompt/problem.ts";
import { nextTryAt } from "../sources/core-memory/core-memory.ts";
import type { RecordedPublication } from "../store/publications/publications.ts";
import { createLoop } from "./loop.ts";

/** What `createPublicationWorker` is given. */
export type PublicationWorkerOptions = {
  readonly host: Host;
  /** How often it looks for what waits; every 5 seconds, unless given. */
  readonly everyMs?: number;
  readonly random?: () => number;
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Called with everything that happens, for a log. */
  readonly log?: (entry: Readonly<Record<string, unknown>>) => void;
};

/** Publishes what no relay has taken yet, or not every one: after an outage, and after a process died before it could. */
export type PublicationWorker = {
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
