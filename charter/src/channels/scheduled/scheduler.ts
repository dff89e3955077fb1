import { isRunnerGone, runnerName } from "../../agent/runner.ts";
import { sleep } from "../../agent/timeout.ts";
import type { Host } from "../../host/host.ts";
import { checkNames, checkNeeded, isObject } from "../../prompt/argument.ts";
import { nextTime } from "../../schedules/next-time.ts";
import type { Jobs } from "../../store/home/jobs.ts";
import { planSchedule } from "./plan.ts";
import { errorFacts, type SchedulerEvent } from "./scheduler-event.ts";
import { workOnJob } from "./work-on-job.ts";

/** What `createScheduler` is given: the host that runs the turns, and how often to look for due ones. */
export type SchedulerOptions = {
  readonly host: Host;
  /** How often it looks for due schedules; every second, unless given. */
  readonly pollMs?: number;
  /** A worker that is silent for so long is taken for dead; a minute, unless given. */
  readonly leaseMs?: number;
  /** How many runs this process makes at a time; 4, unless given. */
  readonly concurrency?: number;
  /** The zone of users who have none of their own. */
  readonly zone?: string | undefined;
  /** The name of this worker (“host:pid”). */
  readonly runner?: string;
  readonly clock?: () => Date;
  readonly random?: () => number;
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly on?: (event: SchedulerEvent) => void;
  /** Called with everything that happens, for a log. */
  readonly log?: (entry: Readonly<Record<string, unknown>>) => void;
};

/** A worker that runs schedules when they are due. Several may work on one store; each run is made by one of them. */
export type Scheduler = {
  readonly start: () => Promise<void>;
  /**
   * Takes no more runs and waits for those that are going; what is not over in time is stopped and left to other
   * workers.
   */
  readonly stop: (graceMs?: number) => Promise<void>;
  /**
   * Makes the runs that are due now, waits for them, and returns how many were tried. For tests, and for workers
   * started by something else.
   */
  readonly tick: () => Promise<number>;
};

/** So often it is looked whether users have moved to another zone. */
const moveMs = 15_000;

const optionNames = "host pollMs leaseMs concurrency zone runner clock random sleep on log".split(
  " ",
) as (keyof SchedulerOptions)[];

/** Creates a worker that runs the schedules of a store. Call `start`, or `tick` yourself. */
export function createScheduler(options: SchedulerOptions): Scheduler {
  checkNeeded<SchedulerOptions>("createScheduler", options, { host: [isObject, "Give what createHost gives."] });
  checkNames("createScheduler", options, optionNames);
  const { host, pollMs = 1000, leaseMs = 60_000, concurrency: atOnce = 4, zone, clock = host.clock } = options;
  const { random = Math.random, sleep: pause = sleep, runner = runnerName() } = options;
  const { runs, schedules, home } = host.store;
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  const late = new AbortController();
  /** A run has ended since it was looked last: there is room for another. */
  let ended = new AbortController();
  let opened: Promise<Jobs> | undefined;
  let working: Promise<void> | undefined;

  const emit = (event: SchedulerEvent) => {
    try {
      options.on?.(event);
      options.log?.({ about: "schedules", ...event });
    } catch {}
  };
  const onError = (error: unknown) => emit({ kind: "trouble", ...errorFacts(error) });
  const isStopping = () => stopping.signal.aborted;
  const worker = {
    host,
    clock,
    random,
    zone,
    runner,
    leaseMs,
    sleep: pause,
    isStopping,
    late: late.signal,
    emit,
    onError,
  };
  const jobs = (): Promise<Jobs> => {
    opened ??= home.jobs(onError);
    opened.catch(() => {
      opened = undefined;
    });
    return opened;
  };

  let movedAt = Number.NEGATIVE_INFINITY;
  const plan = async () => {
    const about = zone === undefined ? {} : { zone };
    // All schedules are looked through for it: not every second.
    if (Math.abs(clock().getTime() - movedAt) >= moveMs) {
      await schedules.followZones(nextTime, about);
      movedAt = clock().getTime();
    }
    const planned = await schedules.plan(planSchedule, about);
    if (planned > 0) emit({ kind: "planned", schedules: planned });
  };

  /** Starts what is due, as far as there is room; gives what was begun. */
  const begin = async (): Promise<readonly Promise<boolean>[]> => {
    const room = atOnce - running.size;
    if (room <= 0) return [];
    const shared = await jobs();
    await shared.offer(await runs.due({ limit: 100, isGone: isRunnerGone }));
    const begun = (await shared.claim(room)).map((job) => workOnJob(job, worker));
    for (const one of begun) {
      const mine: Promise<void> = one.then(() => {
        running.delete(mine);
        ended.abort();
      });
      running.add(mine);
    }
    return begun;
  };

  const loop = async () => {
    while (!isStopping()) {
      ended = new AbortController();
      let begun: readonly unknown[] = [];
      try {
        await plan();
        begun = await begin();
      } catch (error) {
        onError(error);
      }
      if (begun.length === 0) await pause(pollMs, AbortSignal.any([stopping.signal, ended.signal]));
    }
  };

  return {
    start: async () => {
      await jobs();
      working ??= loop();
    },
    tick: async () => {
      let tried = 0;
      await plan();
      for (;;) {
        const begun = await begin();
        if (begun.length === 0) return tried;
        tried += (await Promise.all(begun)).filter(Boolean).length;
      }
    },
    stop: async (graceMs = 30_000) => {
      stopping.abort();
      const timer = setTimeout(() => late.abort(), graceMs);
      await working;
      await Promise.all(running);
      clearTimeout(timer);
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}
