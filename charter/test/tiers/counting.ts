import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import sqlite from "node:sqlite";
import fc from "fast-check";
import { afterAll, beforeAll } from "vitest";
import { excesses, fixedLoop, type Spent } from "./budget.ts";
import { counts } from "./counts.ts";
import { processorTime } from "./processor-time.ts";
import { seed } from "./search.ts";
import { tier } from "./tier.ts";

/** Counts what each test file takes, and fails a file of the first tier that takes too much. Set up before each file. */

countOnce();

/** Values drawn at random are drawn by the seed, and counted. A reporter has to throw by itself. */
fc.configureGlobal({
  seed,
  reporter: (run) => {
    counts.runs += run.numRuns;
    if (run.failed) throw new Error(fc.defaultReportMessage(run), { cause: run.errorInstance });
  },
});

let before: Spent | undefined;

beforeAll(() => {
  before = { ...counts, cpu: processorTime() };
});

// biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures are wanted.
afterAll(({}, suite) => {
  const spent = difference({ ...counts, cpu: processorTime() }, before as Spent);
  Object.assign(suite.meta, { spent });
  const file = suite.file.name;
  const found = tier === "logic" ? excesses(file, spent, fixedLoop) : [];
  if (found.length > 0)
    throw new Error(
      `${file} takes more than a file of the first tier may: ${found.join(", ")}. ` +
        "Name it x.door.test.ts if it needs real things, x.search.test.ts if it searches.",
    );
});

/** Every way to start a process ends in one of these four; a worker runs many files, and is changed once. */
function countOnce(): void {
  const changed = globalThis as { charterCounting?: true };
  if (changed.charterCounting) return;
  changed.charterCounting = true;
  const counted = <Thing extends object>(thing: Thing, what: "processes" | "databases"): Thing =>
    new Proxy(thing, {
      apply: (target, self, given) => {
        counts[what]++;
        return Reflect.apply(target as unknown as () => unknown, self, given);
      },
      construct: (target, given) => {
        counts[what]++;
        return Reflect.construct(target as unknown as new () => object, given);
      },
    });
  const { prototype } = childProcess.ChildProcess as unknown as { prototype: { spawn: () => number } };
  prototype.spawn = counted(prototype.spawn, "processes");
  for (const name of ["spawnSync", "execFileSync", "execSync"] as const)
    Object.assign(childProcess, { [name]: counted(childProcess[name], "processes") });
  Object.assign(sqlite, { DatabaseSync: counted(sqlite.DatabaseSync, "databases") });
  syncBuiltinESMExports();
}

function difference(after: Spent, from: Spent): Spent {
  const cpu = Object.entries(after.cpu).map(([who, seconds]) => [who, seconds - from.cpu[who as keyof Spent["cpu"]]]);
  return {
    processes: after.processes - from.processes,
    databases: after.databases - from.databases,
    windows: after.windows - from.windows,
    runs: after.runs - from.runs,
    cpu: Object.fromEntries(cpu) as Spent["cpu"],
  };
}
