import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { root } from "../process.ts";
import type { WorkerOrders, WorkerTold } from "./queue-worker.ts";

/** Some workers, ready to begin. */
export async function startCrew(orders: Omit<WorkerOrders, "runner">, count: number, where = "here") {
  const began: string[] = [];
  const ended: string[] = [];
  const asked = new Map<ChildProcess, number>();
  const holds = new Map<ChildProcess, Set<string>>();
  let heard = () => {};
  const start = async (number: number) => {
    const told: WorkerOrders = { ...orders, ...(where === "here" ? {} : { runner: `elsewhere:${number}` }) };
    const child = fork(join(root, "bench/workloads/queue-worker.ts"), [JSON.stringify(told)], {
      execArgv: ["--conditions", "charter-source"],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const held = new Set<string>();
    holds.set(child, held);
    return new Promise<void>((resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`A worker ended with ${code}.`)));
      child.on("message", ({ said, id = "", queries }: WorkerTold) => {
        asked.set(child, queries);
        if (said === "ready") resolve();
        if (said === "began") began.push(id) && held.add(id);
        if (said === "ended") ended.push(id) && held.delete(id);
        heard();
      });
    });
  };
  await Promise.all(Array.from({ length: count }, (_, number) => start(number)));
  return {
    began,
    ended,
    queries: () => [...asked.values()].reduce((sum, one) => sum + one, 0),
    go: () => [...holds.keys()].map((child) => child.send("go")),
    /** Until it holds, or so many milliseconds are over. */
    until: (holdsNow: () => boolean, most = 300_000) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, most);
        heard = () => {
          if (!holdsNow()) return;
          clearTimeout(timer);
          resolve();
        };
        heard();
      }),
    /** First those that have most; gives how many runs they had, and when they were killed. */
    kill: async (most = count) => {
      let had = 0;
      const at = Date.now();
      for (const [child, held] of [...holds].sort(([, one], [, other]) => other.size - one.size).slice(0, most)) {
        had += held.size;
        holds.delete(child);
        const over = once(child, "exit");
        child.kill("SIGKILL");
        await over;
      }
      return { had, at };
    },
  };
}
