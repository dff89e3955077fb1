import { isRunnerGone, runnerName } from "../../agent/agent.ts";
import { sleep } from "../../agent/limits.ts";
import type { Host } from "../../host/host.ts";
import { checkNames, checkNeeded, isObject } from "../../prompt/argument.ts";
import { backoffMs } from "../../prompt/bounds.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import { isTainted, localText, newestTimes, nextTime, zoneFor } from "../../schedules/schedule.ts";
import type { Job, Jobs } from "../../store/home/database.ts";
import type { ClaimedRun, Run, RunEnd, Schedule } from "../../store/schedules/runs.ts";
import type { PlannedRun, SchedulePlan, SchedulePlanContext } from "../../store/schedules/schedules.ts";
import type { Turn } from "../../store/turns/turns.ts";
import { dispatchesTo } from "../telegram/deliver-to.ts";
import { findTurn, nothingReported, sentInto } from "../turn-record.ts";

/** Options of `createScheduler`: the host that runs the turns, and how often to look for due ones. */
export type SchedulerOptions = {
  readonly host: Host;
  /** Milliseconds between checks for due schedules; 1000 by default. */
  readonly pollMs?: number;
  /** Milliseconds without a sign after which a worker counts as dead; one minute by default. */
  readonly leaseMs?: number;
  /** Maximum number of concurrent runs in this process; 4 by default. */
  readonly concurrency?: number;
  /** The zone of users who have none of their own. */
  readonly zone?: string | undefined;
  /** Name of this worker (“host:pid”). */
  readonly runner?: string;
  readonly clock?: () => Date;
  readonly random?: () => number;
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly on?: (event: SchedulerEvent) => void;
  /** Receives everything that happens, for a log. */
  readonly log?: (entry: Readonly<Record<string, unknown>>) => void;
};

/** A worker that runs schedules when they are due. Several may work on one store; each run is made by one of them. */
export type Scheduler = {
  readonly start: () => Promise<void>;
  /** Takes no more runs and waits for the running ones; those that exceed `graceMs` are stopped and left to other workers. */
  readonly stop: (graceMs?: number) => Promise<void>;
  /**
   * Makes the runs that are due now, waits for them, and returns how many were tried. For tests, and for workers started by
   * something else.
   */
  readonly tick: () => Promise<number>;
};

/** Milliseconds between checks whether users have moved to another zone. */
const zoneCheckMs = 15_000;

const optionNames = "host pollMs leaseMs concurrency zone runner clock random sleep on log".split(
  " ",
) as (keyof SchedulerOptions)[];

/** Creates a worker that runs the schedules of a store. Call `start`, or `tick` yourself. */
export function createScheduler(options: SchedulerOptions): Scheduler {
  checkNeeded<SchedulerOptions>("createScheduler", options, { host: [isObject, "Give what createHost gives."] });
  checkNames("createScheduler", options, optionNames);
  const { host, pollMs = 1000, leaseMs = 60_000, concurrency = 4, zone, clock = host.clock } = options;
  const { random = Math.random, sleep: pause = sleep, runner = runnerName() } = options;
  const { runs, schedules, home } = host.store;
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  const late = new AbortController();
  /** Signals that a run has ended since the last check: there is room for another. */
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
    // All schedules are read for this, so it is not done every second.
    if (Math.abs(clock().getTime() - movedAt) >= zoneCheckMs) {
      await schedules.followZones(nextTime, about);
      movedAt = clock().getTime();
    }
    const planned = await schedules.plan(planSchedule, about);
    if (planned > 0) emit({ kind: "planned", schedules: planned });
  };

  /** Starts due runs, as far as there is room, and returns them. */
  const begin = async (): Promise<readonly Promise<boolean>[]> => {
    const room = concurrency - running.size;
    if (room <= 0) return [];
    const shared = await jobs();
    await shared.offer(await runs.due({ limit: 100, isGone: isRunnerGone }));
    const started = (await shared.claim(room)).map((job) => workOnJob(job, worker));
    for (const one of started) {
      const tracked: Promise<void> = one.then(() => {
        running.delete(tracked);
        ended.abort();
      });
      running.add(tracked);
    }
    return started;
  };

  const loop = async () => {
    while (!isStopping()) {
      ended = new AbortController();
      let started: readonly unknown[] = [];
      try {
        await plan();
        started = await begin();
      } catch (error) {
        onError(error);
      }
      if (started.length === 0) await pause(pollMs, AbortSignal.any([stopping.signal, ended.signal]));
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
        const started = await begin();
        if (started.length === 0) return tried;
        tried += (await Promise.all(started)).filter(Boolean).length;
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

/** Milliseconds for which a run is late, but not missed. */
const graceMs = 5 * 60_000;

/** Maximum number of missed times that are recorded one by one; earlier ones are only mentioned. */
const maxListedTimes = 100;

/**
 * Plans the runs of a due schedule: one at most, for the newest of the times that passed. The others were missed. With `skip`,
 * the newest was missed too when no worker ran in time.
 */
export function planSchedule(schedule: Schedule, { zone, openSince, now }: SchedulePlanContext): SchedulePlan {
  const { cron, missed, overlap } = schedule;
  const due = schedule.nextAt as string;
  const passed = timesPassed(cron, { zone, due, now });
  if (!passed) {
    const reason = `The cron line “${cron}” cannot be understood: the schedule is over.`;
    return { runs: [{ dueAt: due, state: "missed", reason }], nextAt: null };
  }
  const { times, nextAt } = passed;
  const newest = times.at(-1) as string;
  const unlisted = times.length > maxListedTimes + 1;
  const earlier = times.slice(unlisted ? 1 : 0, -1).map((dueAt, index): PlannedRun => {
    const others = unlisted && index === 0 ? ` So it was with others before it, since ${due}.` : "";
    return { dueAt, state: "missed", reason: `${nobody}${others}` };
  });
  const tooLate = missed === "skip" && Date.parse(now) - Date.parse(newest) > graceMs;
  const last: PlannedRun = tooLate
    ? { dueAt: newest, state: "missed", reason: nobody }
    : openSince !== null && overlap === "skip"
      ? { dueAt: newest, state: "skipped", reason: `The run of ${openSince} was still going.` }
      : { dueAt: newest, state: "waiting" };
  return { runs: [...earlier, last], nextAt, ...(unlisted ? { unlisted } : {}) };
}

type PassedQuery = { readonly zone: string; readonly due: string; readonly now: string };

/** Lists the times that passed, the newest last, and the next one; undefined for an unreadable cron line. */
function timesPassed(cron: string | null, { zone, due, now }: PassedQuery) {
  if (cron === null) return { times: [due], nextAt: null };
  try {
    const times = newestTimes({ cron, zone }, { from: due, to: now, max: maxListedTimes + 2 });
    // Counts a time that was computed in a zone the user has left since: it was still due.
    return { times: times.length === 0 ? [due] : times, nextAt: nextTime({ cron, zone, after: now }) };
  } catch {
    return undefined;
  }
}

const nobody = "Nobody was running schedules when it was due.";

type Worker = Omit<PerformOptions, "signal"> & {
  readonly runner: string;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Signal that the grace period is over. */
  readonly late: AbortSignal;
  readonly emit: (event: SchedulerEvent) => void;
  readonly onError: (error: unknown) => void;
};

/**
 * Takes the run of a job, tries it and records its result; returns true if there was a run to take. After an error the run is
 * left as it is: when the lease is over, another worker takes it.
 */
async function workOnJob(job: Job, worker: Worker): Promise<boolean> {
  const { host, runner, leaseMs, onError } = worker;
  try {
    // Leaves the run to others if the worker was told to stop between being given the job and taking the run.
    const run = worker.isStopping()
      ? undefined
      : await host.store.runs.claim(job.run, { runner, leaseMs, isGone: isRunnerGone });
    if (run) await tryRun(run, job, worker);
    await job.complete();
    return run !== undefined;
  } catch (error) {
    onError(error);
    await giveBack(job, worker);
    return true;
  }
}

/**
 * Frees a job, and retries while the store is away: otherwise it would be ours until this worker counts as dead. It waits before
 * the first try too: a full disk can still be read, so the same run would fail again without end.
 */
async function giveBack(job: Job, { leaseMs, sleep, isStopping, late }: Worker): Promise<void> {
  for (let waited = 0; waited < leaseMs && !isStopping(); waited += 1000)
    try {
      await sleep(1000, late);
      return await job.complete();
    } catch {}
}

async function tryRun(run: ClaimedRun, job: Job, worker: Worker): Promise<void> {
  const { host, late, emit } = worker;
  const about = { run: run.id, agent: run.scope.agent, tries: run.tries };
  emit({ kind: "run-start", ...about });
  const finished = new AbortController();
  const lost = new AbortController();
  const alive = keepAlive(run, job, worker, finished.signal, lost);
  try {
    const end = await performRun(run, { ...worker, signal: AbortSignal.any([late, lost.signal]) });
    const outcome = await host.store.runs.finishTry(run, end);
    const code = end.state === "failed" ? { code: end.code } : {};
    emit({ kind: "run-end", ...about, state: outcome?.state ?? "lost", ...code });
  } finally {
    finished.abort();
    await alive;
  }
}

/** Renews the leases of a run and its job; a run that another worker has taken is stopped. */
async function keepAlive(
  run: ClaimedRun,
  job: Job,
  { host, leaseMs, sleep, onError }: Worker,
  finished: AbortSignal,
  lost: AbortController,
): Promise<void> {
  for (;;) {
    await sleep(leaseMs / 3, finished);
    if (finished.aborted) return;
    try {
      if (!(await host.store.runs.renew(run, leaseMs))) return lost.abort();
      await job.heartbeat();
    } catch (error) {
      onError(error);
    }
  }
}

export type PerformOptions = {
  readonly host: Host;
  readonly clock: () => Date;
  readonly random: () => number;
  /** The zone of users who have none of their own. */
  readonly zone?: string | undefined;
  /** Milliseconds without a sign after which a worker counts as dead. */
  readonly leaseMs: number;
  /** Signal that stops the turn: another worker has the run, or this one was told to stop. */
  readonly signal: AbortSignal;
  readonly isStopping: () => boolean;
};

/** Tries a run that was taken, and returns its result, to be recorded. */
async function performRun(run: ClaimedRun, performing: PerformOptions): Promise<RunEnd> {
  const { host, signal, leaseMs } = performing;
  const { scope, from, previousTurn, exhausted } = run;
  // Reuses the answer of an earlier try that died before it could record it: the model is not asked again.
  const before = previousTurn === null ? undefined : await findTurn(host.store, previousTurn);
  // Closes the earlier turn, so that its answer is not kept should its worker still be alive.
  const closed =
    before?.state === "running"
      ? await host.store.turns.close(before.id, { state: "interrupted", scope: before.scope })
      : before;
  const known = closed && (await runEndOf(closed, run, performing));
  if (known) return known;
  if (exhausted) return { state: "failed", code: "worker-lost", reason: lost };
  const { agent, user = null } = scope;
  const id = run.turn as string;
  // Those made before it was kept who made them were the operator's, unless the agent made them itself.
  const isOperators = user === null && (from.operator ?? from.channel === "scheduled");
  const owner = { agent, user, operator: isOperators };
  // Checks before every write that the run is still ours and its text was not erased meanwhile.
  const isStillWanted = () => host.store.runs.renew(run, leaseMs);
  const about = { channel: from.channel, session: "none", input: from.input, foreign: isTainted(from) };
  const asked = { ...owner, ...about, id, isStillWanted };
  const outcome = await host.runTurn(asked, { signal }).catch(failureFactsOf);
  // Looks for the turn also when it threw: a store that went away while it kept the answer may have kept it.
  const turn = "turn" in outcome ? { id, state: outcome.state, reply: outcome.reply } : await findTurn(host.store, id);
  const end = turn && (await runEndOf(turn, run, performing));
  return end ?? failedRun(run, outcome.problem ?? noAnswer, performing);
}

type FailureFacts = { readonly code: string; readonly message: string };

const noAnswer: FailureFacts = { code: "turn-failed", message: "The turn gave no answer." };

function failureFactsOf(error: unknown): { readonly problem: FailureFacts } {
  return { problem: { code: error instanceof Problem ? error.code : "turn-failed", message: reasonOf(error) } };
}

const lost = "The worker that ran it did not come back, and it was its last try.";

/** Pauses after failed tries: one minute, then two, four, eight, up to an hour. */
const retryMs = { min: 60_000, max: 3_600_000 };

/** Codes of failures that a retry cannot mend. */
const lastingFailures = new Set(["bad-input", "erased", "input-handled", "unknown-agent", "unknown-channel"]);

/**
 * Returns the result of a turn that did not fail. Once it has said that there is nothing to report, it does not matter whether a
 * last sentence follows or fails.
 */
async function runEndOf(
  { id, state, reply }: Pick<Turn, "id" | "state" | "reply">,
  { scope, from }: ClaimedRun,
  { host: { store }, clock, zone }: PerformOptions,
): Promise<RunEnd | undefined> {
  const nothing = await nothingReported(store, id);
  if (nothing) return { state: "quiet", turn: id, reason: nothing.because };
  if (state !== "answered") return undefined;
  const dispatches = await dispatchesTo(store, scope, { text: reply ?? "", turn: id });
  const at = localText(clock().toISOString(), from.zone ?? (await zoneFor(store, scope, zone)));
  const announcement = { schedule: from.title, at };
  const isForUser = scope.user !== undefined && reply?.trim();
  if (dispatches.length > 0 || !isForUser) return { state: "answered", turn: id, dispatches, announcement };
  // Announces on the web, where the user finds it, because they have no chat to send it to.
  const said = { channel: "web", ...(await sentInto(store, scope.agent, clock())) };
  return { state: "answered", turn: id, announcement, said };
}

function failedRun(
  { tries, from }: ClaimedRun,
  { code, message }: FailureFacts,
  { clock, random, isStopping }: PerformOptions,
): RunEnd {
  const reason = message.slice(0, 500);
  if (tries >= from.maxTries || lastingFailures.has(code)) return { state: "failed", code, reason };
  // Retries a stopped run at once, because it did not fail.
  const wait = isStopping() ? 0 : backoffMs(tries - 1, random, retryMs);
  return { state: "waiting", reason, nextTryAt: new Date(clock().getTime() + wait).toISOString() };
}

/** An event while schedules are run, for logs and metrics. It contains no user's text. */
export type SchedulerEvent =
  | { readonly kind: "planned"; readonly schedules: number }
  | { readonly kind: "run-start"; readonly run: string; readonly agent: string; readonly tries: number }
  | {
      readonly kind: "run-end";
      readonly run: string;
      readonly agent: string;
      readonly tries: number;
      /** `lost`: another worker has it by now. */
      readonly state: Run["state"] | "lost";
      readonly code?: string;
    }
  /** A failure that is retried automatically. */
  | { readonly kind: "trouble"; readonly code: string; readonly reason: string };

/** Returns an error's facts for a log. A Problem's text is ours; another error's may contain anyone's words, and is left out. */
export function errorFacts(error: unknown): { readonly code: string; readonly reason: string } {
  if (error instanceof Problem) return { code: error.code, reason: error.message };
  const { code, name } = error as { code?: unknown; name?: unknown };
  return { code: typeof code === "string" ? code : "unexpected", reason: `An unexpected ${String(name)}.` };
}
