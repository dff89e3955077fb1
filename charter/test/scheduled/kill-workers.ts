import { type ChildProcess, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { createStore, type Store } from "../../src/store/index.ts";
import type { Place } from "../homes.ts";
import { findRunFaults } from "./kill-check.ts";
import type { WorkerOrders, WorkerTold } from "./kill-worker.ts";

export type WorkerKills = {
  readonly kills: number;
  readonly schedules: number;
  readonly answered: number;
  /** Answered after a worker had died over it. */
  readonly takenOver: number;
  /** Not answered, and an event says so. */
  readonly reported: number;
  readonly faults: readonly string[];
};

export type WorkerKillOptions = {
  readonly times: number;
  readonly random: () => number;
};

const program = new URL("./kill-worker.ts", import.meta.url).pathname;

/**
 * Two workers share what is due, and one after the other is killed in the middle of a run; another takes its place.
 * In the end every schedule's run must have happened once, or be reported.
 */
export async function killWorkers(place: Place, options: WorkerKillOptions): Promise<WorkerKills> {
  const { times, random } = options;
  const store = await createStore(place.open());
  const workers = createWorkers(place.url);
  try {
    const scope = { agent: "ada", user: "bo" };
    await store.agents.add({ name: scope.agent, charter: "assistant" });
    const { code } = await store.links.createCode(scope, "telegram");
    await store.links.redeem(scope.agent, "telegram", code, "7001");
    await Promise.all([workers.start(), workers.start()]);
    for (let kills = 1; kills <= times; kills++) {
      const asked = workers.nextAsked();
      const nextAt = new Date().toISOString();
      // Every third may be tried once only: where its worker dies, that is to be reported.
      for (const maxTries of [10, 10, 1])
        await store.schedules.add({ scope, title: `${kills}`, input: "Do it.", nextAt, maxTries });
      const worker = await asked;
      await wait(random() * 150);
      await Promise.all([workers.kill(worker), workers.start()]);
    }
    await allOver(store);
    const found = await findRunFaults(store, scope);
    return { kills: times, ...found, faults: [...workers.complaints, ...found.faults] };
  } finally {
    await workers.stop();
    await store.close();
  }
}

/** Until nothing is open any more; what is still open after four minutes is one of the faults. */
async function allOver(store: Store): Promise<void> {
  for (const end = Date.now() + 240_000; Date.now() < end; await wait(100)) {
    const planned = (await store.schedules.list({ limit: 1 })).length === 0;
    const open = await Promise.all(
      (["waiting", "running"] as const).map((state) => store.runs.list({ state, limit: 1 })),
    );
    const unsent = await store.dispatches.list({ state: "waiting", limit: 1 });
    if (planned && open.flat().length + unsent.length === 0) return;
  }
}

function createWorkers(url: string) {
  const living = new Set<ChildProcess>();
  const complaints: string[] = [];
  let count = 0;
  let hear: (worker: ChildProcess) => void = () => {};
  const gone = (worker: ChildProcess) => new Promise<void>((resolve) => worker.once("close", () => resolve()));
  return {
    complaints,
    /** Whose model is asked next. */
    nextAsked: () =>
      new Promise<ChildProcess>((resolve) => {
        hear = (worker) => living.has(worker) && resolve(worker);
      }),
    start: async () => {
      count += 1;
      // Half of them have a name nobody can ask about: others have to wait for their lease.
      const orders: WorkerOrders = { url, ...(count % 2 === 0 ? { runner: `elsewhere:${count}` } : {}) };
      const worker = spawn(process.execPath, ["--conditions=charter-source", program, JSON.stringify(orders)], {
        env: { NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache"), ...process.env },
      });
      worker.stderr.on("data", (chunk) => complaints.push(`complaint: ${chunk}`));
      await new Promise<void>((resolve, reject) => {
        worker.once("close", (code, signal) => reject(new Error(`A worker ended: ${code ?? signal}.`)));
        createInterface({ input: worker.stdout }).on("line", (line) => {
          const { said } = JSON.parse(line) as WorkerTold;
          if (said === "ready") resolve();
          if (said === "asked") hear(worker);
        });
      });
      living.add(worker);
    },
    kill: async (worker: ChildProcess) => {
      living.delete(worker);
      const ended = gone(worker);
      worker.kill("SIGKILL");
      await ended;
    },
    stop: async () => {
      for (const worker of living) {
        const ended = gone(worker);
        worker.kill("SIGKILL");
        await ended;
      }
    },
  };
}
