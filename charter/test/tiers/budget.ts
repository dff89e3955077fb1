/** What running one test file took. */
export type Spent = {
  readonly processes: number;
  readonly databases: number;
  readonly windows: number;
  /** Values that properties were tried with. */
  readonly runs: number;
  /** Seconds of processor time by who used it; first imports are left out. */
  readonly cpu: Readonly<Record<Spender, number>>;
};
export type Spender = "own" | "children" | "PostgreSQL" | "Chromium";

type Counted = "processes" | "databases" | "windows" | "runs";

/** What a file of the first tier may take. */
const limits: Readonly<Record<Counted, number>> = { processes: 0, databases: 100, windows: 0, runs: 3_000 };
const counted: readonly Counted[] = ["processes", "databases", "windows", "runs"];

/** The one story of the first tier that starts processes: each door of a real `charter`, once. */
export const smoke = { file: "charter/test/smoke.test.ts", processes: 6, seconds: 4 };

/**
 * Seconds of processor time that a file and the whole tier are meant to take. Four times as much of a file fails, twice as much of
 * the tier: a machine that others share is now and then twice as slow for a second, never for minutes.
 */
export const meant = { file: 2, tier: 240 };
const fileMargin = 4;

/** Seconds that `fixedLoop` takes where the seconds above were set: a slower machine has as much more, a busy one too. */
export const loopThere = 0.016;

/** What a file of the first tier took too much of; `loop` gives the seconds of the fixed loop, now. */
export function excesses(file: string, spent: Spent, loop: () => number): string[] {
  const processes = file === smoke.file ? smoke.processes : limits.processes;
  const tooMany = counted
    .map((what) => ({ what, limit: what === "processes" ? processes : limits[what] }))
    .filter(({ what, limit }) => spent[what] > limit)
    .map(({ what, limit }) => `${what} ${spent[what]} (at most ${limit})`);
  const seconds = total(spent);
  // The loop is not run for the many files that are within what they are meant to take.
  const wanted = file === smoke.file ? smoke.seconds : meant.file;
  const isSlow = seconds > wanted && isBeyond(seconds, wanted, loop(), fileMargin);
  return isSlow ? [...tooMany, `seconds of processor time ${seconds.toFixed(1)} (${wanted} are meant)`] : tooMany;
}

/** More than so many times what is meant, in seconds of the machine where that was set. */
export function isBeyond(seconds: number, wanted: number, loop: number, margin = 2): boolean {
  return (seconds * loopThere) / loop > margin * wanted;
}

export function total({ cpu }: Spent): number {
  return Object.values(cpu).reduce((sum, seconds) => sum + seconds, 0);
}

/** The slowest of five: two workers that share a core take up to twice as long as one alone, and the file may have shared it. */
export function fixedLoop(): number {
  return Math.max(...Array.from({ length: 5 }, loopOnce));
}

/** Always the same work, in seconds of this process's own time: strings, objects and collecting garbage. */
function loopOnce(): number {
  const began = process.cpuUsage();
  let text = JSON.stringify(Array.from({ length: 2_000 }, (_, index) => ({ index, words: `number ${index}` })));
  for (let round = 0; round < 20; round++) text = JSON.stringify(JSON.parse(text));
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1e6;
}
