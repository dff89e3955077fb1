import { isGone } from "../../agent/turn/runner.ts";
import type { Job } from "../../store/home/jobs/jobs.ts";
import type { TakenRun } from "../../store/schedules/claims.ts";
import { type Performing, perform } from "./perform.ts";
import type { SchedulingEvent } from "./scheduling-event.ts";

export type Worker = Omit<Performing, "signal"> & {
  readonly runner: string;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The worker has waited long enough for what runs. */
  readonly late: AbortSignal;
  readonly tell: (event: SchedulingEvent) => void;
  readonly trouble: (error: unknown) => void;
};

/**
 * Takes the run of a job, tries it and records what it came to; says whether there was one to take. What goes wrong on
 * the way is left as it is: when the lease is over, someone looks at it again.
 */
export async function workOn(job: Job, worker: Worker): Promise<boolean> {
  const { house, runner, leaseMs, trouble } = worker;
  try {
    // Told to stop between being given the job and taking the run, it leaves the run to others.
    const run = worker.isStopping() ? undefined : await house.store.runs.take(job.run, { runner, leaseMs, isGone });
    if (run) await tryRun(run, job, worker);
    await job.done();
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
      return await job.done();
    } catch {}
}

async function tryRun(run: TakenRun, job: Job, worker: Worker): Promise<void> {
  const { house, late, tell } = worker;
  const about = { run: run.id, agent: run.scope.agent, tries: run.tries };
  tell({ kind: "run-start", ...about });
  const over = new AbortController();
  const lost = new AbortController();
  const alive = keepAlive(run, job, worker, over.signal, lost);
  try {
    const end = await perform(run, { ...worker, signal: AbortSignal.any([late, lost.signal]) });
    const settled = await house.store.runs.settle(run, end);
    const code = end.state === "failed" ? { code: end.code } : {};
    tell({ kind: "run-end", ...about, state: settled?.state ?? "lost", ...code });
  } finally {
    over.abort();
    await alive;
  }
}

/** Says again and again that a run and its job are alive; a run that is someone else's by now is stopped. */
async function keepAlive(
  run: TakenRun,
  job: Job,
  { house, leaseMs, sleep, trouble }: Worker,
  over: AbortSignal,
  lost: AbortController,
): Promise<void> {
  for (;;) {
    await sleep(leaseMs / 3, over);
    if (over.aborted) return;
    try {
      if (!(await house.store.runs.renew(run, leaseMs))) return lost.abort();
      await job.alive();
    } catch (error) {
      trouble(error);
    }
  }
}
