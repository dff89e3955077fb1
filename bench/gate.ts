import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./process.ts";
import { type Contender, inRounds, ratioOf } from "./rounds.ts";

const workload = "bench/workloads/gate-work.ts";

/**
 * Compares this build with an earlier commit: two processes of the earlier one and one of this one do the same work, in
 * turn, and say how much processor time each took. How far the two that are the same differ is the noise. This build is
 * too slow where its median is beyond that, and more than 3 % above the earlier one's. Returns the exit code.
 */
export async function gate(against: string, rounds: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "charter-gate-"));
  const earlier = join(folder, "earlier");
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, stdio: "pipe", encoding: "utf8" }).trim();
  let commit: string;
  try {
    commit = git("rev-parse", "--verify", "--short", `${against}^{commit}`);
  } catch {
    process.stderr.write(`git knows no commit “${against}”. Give one with --gate <commit>.\n`);
    return 2;
  }
  git("worktree", "add", "--detach", "--quiet", earlier, commit);
  symlinkSync(join(root, "node_modules"), join(earlier, "node_modules"));
  // Both do the work of now; what it is done with is each build's own.
  copyFileSync(join(root, workload), join(earlier, workload));
  const workers: ChildProcess[] = [];
  try {
    const started = await Promise.all([earlier, earlier, root].map((place) => startWorker(place, workers)));
    const [before, same, now] = started as [Worker, Worker, Worker];
    process.stdout.write(`This build beside ${commit}, processor time, ${rounds} rounds:\n`);
    let slower = false;
    for (const work of now.work.filter((name) => before.work.includes(name))) {
      const took = await inRounds(
        [contender("before", before, work), contender("same", same, work), contender("now", now, work)],
        rounds,
      );
      const [noise, ratio] = [ratioOf(took, "same", "before"), ratioOf(took, "now", "before")];
      const isSlower = ratio.median > Math.max(noise.p90, 1.03);
      slower ||= isSlower;
      const bounds = `same beside same ${noise.p10.toFixed(2)}–${noise.p90.toFixed(2)}`;
      process.stdout.write(`  ${work}: ${ratio.median.toFixed(3)} × (${bounds})${isSlower ? "  SLOWER" : ""}\n`);
    }
    return slower ? 1 : 0;
  } finally {
    for (const worker of workers) worker.disconnect();
    await Promise.all(workers.map((worker) => worker.exitCode ?? once(worker, "exit")));
    git("worktree", "remove", "--force", earlier);
    rmSync(folder, { recursive: true, force: true });
  }
}

type Worker = { readonly work: readonly string[]; readonly take: (name: string) => Promise<number> };

async function startWorker(place: string, workers: ChildProcess[]): Promise<Worker> {
  const child = fork(join(place, workload), {
    cwd: place,
    execArgv: ["--conditions=charter-source"],
  });
  workers.push(child);
  const answered = () =>
    new Promise((resolve, reject) => {
      const why = `The work of ${place} ended before it was done: an earlier commit may lack something that it needs.`;
      const end = () => reject(new Error(why));
      child.once("exit", end);
      child.once("message", (answer) => {
        child.off("exit", end);
        resolve(answer);
      });
    });
  const work = (await answered()) as readonly string[];
  return {
    work,
    take: async (name) => {
      child.send(name);
      return (await answered()) as number;
    },
  };
}

function contender(name: string, worker: Worker, work: string): Contender {
  return { name, ownClock: true, prepare: () => [() => worker.take(work)] };
}
