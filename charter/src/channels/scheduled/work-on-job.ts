import { isRunnerGone } from "../../agent/runner.ts";
import type { Job } from "../../store/home/jobs.ts";
import type { ClaimedRun } from "../../store/schedules/claims.ts";
import { type PerformOptions, performRun } from "./perform-run.ts";
import type { SchedulerEvent } from "./scheduler-event.ts";

type Worker = Omit<PerformOptions, "signal"> & {
  readonly runner: string;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The worker has waited long enough for what runs. */
  readonly late: AbortSignal;
  readonly emit: (event: SchedulerEvent) => void;
  readonly onError: (error: unknown) => void;
};

/**
 * Takes the run of a job, tries it and records what it came to; says whether there was one to take. What goes wrong on
 * the way is left as it is: when the lease is over, someone looks at it again.
 */
export async function workOnJob(job: Job, worker: Worker): Promise<boolean> {
  const { host, runner, leaseMs, onError: trouble } = worker;
  try {
    // Told to stop between being given the job and taking the run, it leaves the run to others.
    const run = worker.isStopping()
      ? undefined
      : await host.store.runs.claim(job.run, { runner, leaseMs, isGone: isRunnerGone });
    if (run) await tryRun(run, job, worker);
    await job.complete();
    return run !== undefined;
  } catch (error) {
    trouble(error);
    await giveBack(job, worker);
    return true;
  }
}

/**
 * While the store is away nobody hears that the job is free again: else it would be ours until we are taken for dead. Not
 * at once, also when it is heard: a disk that is full can be read, and the same run would fail again without end.
 */
async function giveBack(job: Job, { leaseMs, sleep, isStopping, late }: Worker): Promise<void> {
  for (let waited = 0; waited < leaseMs && !isStopping(); waited += 1000)
    try {
      await sleep(1000, late);
      return await job.complete();
    } catch {}
}

async function tryRun(run: ClaimedRun, job: Job, worker: Worker): Promise<void> {
  const { host, late, emit: tell } = worker;
  const about = { run: run.id, agent: run.scope.agent, tries: run.tries };
  tell({ kind: "run-start", ...about });
  const over = new AbortController();
  const lost = new AbortController();
  const alive = keepAlive(run, job, worker, over.signal, lost);
  try {
    const end = await performRun(run, { ...worker, signal: AbortSignal.any([late, lost.signal]) });
    const outcome = await host.store.runs.finishTry(run, end);
    const code = end.state === "failed" ? { code: end.code } : {};
    tell({ kind: "run-end", ...about, state: outcome?.state ?? "lost", ...code });
  } finally {
    over.abort();
    await alive;
  }
}

/** Says again and again that a run and its job are alive; a run that is someone else's by now is stopped. */
async function keepAlive(
  run: ClaimedRun,
  job: Job,
  { host, leaseMs, sleep, onError: trouble }: Worker,
  over: AbortSignal,
  lost: AbortController,
): Promise<void> {
  for (;;) {
    await sleep(leaseMs / 3, over);
    if (over.aborted) return;
    try {
      if (!(await host.store.runs.renew(run, leaseMs))) return lost.abort();
      await job.heartbeat();
    } catch (error) {
      trouble(error);
    }
  }
}
