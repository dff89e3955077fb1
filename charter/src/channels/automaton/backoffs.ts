import { backoffMs } from "../../prompt/backoff.ts";
import { createBoundedMap } from "../../prompt/bounded-map.ts";

/** Waiting before something is tried again, for each thing apart: longer after every failure in a row. */
type Backoffs = {
  readonly isOver: (key: string) => boolean;
  readonly failed: (key: string) => void;
  readonly succeeded: (key: string) => void;
};

const maxMs = 5 * 60_000;

/** Kept in memory only: a process that starts tries at once. */
export function createBackoffs(clock: () => Date, random: () => number): Backoffs {
  const kept = createBoundedMap<string, { readonly failures: number; readonly from: number; readonly until: number }>(
    1000,
  );
  return {
    isOver: (key) => {
      const { from, until } = kept.get(key) ?? { from: 0, until: 0 };
      const now = clock().getTime();
      // Before it began: the clock was set back.
      return now >= until || now < from;
    },
    failed: (key) => {
      const failures = (kept.get(key)?.failures ?? 0) + 1;
      const from = clock().getTime();
      kept.set(key, { failures, from, until: from + backoffMs(failures - 1, random, { min: 5000, max: maxMs }) });
    },
    succeeded: (key) => kept.delete(key),
  };
}
