/** What the tests of this process have taken so far; a worker runs many files. */
export type Counts = { processes: number; databases: number; windows: number; runs: number };

const kept = globalThis as { charterCounts?: Counts };
kept.charterCounts ??= { processes: 0, databases: 0, windows: 0, runs: 0 };

export const counts: Counts = kept.charterCounts;
