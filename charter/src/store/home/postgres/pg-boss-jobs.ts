import type { PgBoss } from "pg-boss";
import { loadPackage } from "../../../packages/load-package.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { Job, Jobs, OnError } from "../database.ts";
import { createPlaces } from "../queue.ts";
import { postgresProblem } from "./postgres-problem.ts";

const queue = "charter-runs";

/**
 * Maximum number of connections of pg-boss, of which it has one for itself; the limit in front of it keeps waiting for one from
 * counting as waiting for the server.
 */
const maxConnections = 3;

/** Seconds of silence after which a worker is taken for dead, and its job given to another. */
const heartbeatSeconds = 30;

/**
 * Creates jobs on pg-boss, in a schema of its own beside the store's that the first worker creates: any number of workers share
 * them. There is one queue, and one job for each try of a run: pg-boss counts no tries, and stores no text of anyone.
 */
export async function pgBossJobs(url: string, place: string, trouble: OnError): Promise<Jobs> {
  const { PgBoss } = await loadPackage("pg-boss", { purpose: "A worker on PostgreSQL" });
  const boss = new PgBoss({
    connectionString: url,
    application_name: "charter-jobs",
    max: maxConnections,
    schedule: false,
    superviseIntervalSeconds: 10,
  });
  // A lost connection would end the process without a listener. It comes back by itself.
  boss.on("error", trouble);
  const places = createPlaces(maxConnections - 1, `connections for jobs to PostgreSQL at ${place}`);
  const attempt = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await places(work);
    } catch (error) {
      throw error instanceof Problem ? error : postgresProblem(error, place);
    }
  };
  await attempt(() => startBoss(boss));
  return {
    offer: async (runs) => {
      if (runs.length === 0) return;
      const jobs = runs.map(({ id, tries }) => ({ data: { run: id }, singletonKey: `${id}/${tries}` }));
      await attempt(() => boss.insert(queue, jobs));
    },
    claim: (most) =>
      attempt(async () => {
        const jobs = await boss.fetch<{ run: string }>(queue, { batchSize: most });
        return jobs.map(
          (job): Job => ({
            run: job.data.run,
            heartbeat: async () => {
              await attempt(() => boss.touch(queue, job));
            },
            complete: async () => {
              await attempt(() => boss.complete(queue, job));
            },
          }),
        );
      }),
    close: () => boss.stop({ graceful: false }),
  };
}

async function startBoss(boss: PgBoss): Promise<void> {
  try {
    await boss.start();
    // Each try that waits or is worked on has one job. A job whose worker died is given out again as often as needed.
    const options = { policy: "exclusive", retryLimit: 100, retryDelay: 0, heartbeatSeconds } as const;
    await boss.createQueue(queue, { ...options, expireInSeconds: 23 * 3600, deleteAfterSeconds: 3600 });
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => {});
    throw error;
  }
}
