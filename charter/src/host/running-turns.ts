import { Problem } from "../prompt/problem.ts";

/** The turns a host is taking: how many, and how they come to an end when it closes. */
type RunningTurns = {
  readonly count: () => number;
  /** Work that is waited for. Its signal stops it when whoever asked says so, or when closing has waited long enough. */
  readonly run: <Result>(
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Result>,
  ) => Promise<Result>;
  readonly close: (graceMs?: number) => Promise<void>;
};

export function createRunningTurns(): RunningTurns {
  const open = new Set<Promise<unknown>>();
  const late = new AbortController();
  let closing = false;
  return {
    count: () => open.size,
    run: async (signal, work) => {
      if (closing)
        throw new Problem(
          "closing",
          "This Charter is shutting down and takes no more turns.",
          "Ask again in a moment.",
        );
      const stop = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
      const mine = work(stop);
      const outcome = mine.then(
        () => {},
        () => {},
      );
      open.add(outcome);
      try {
        return await mine;
      } finally {
        open.delete(outcome);
      }
    },
    close: async (graceMs = 30_000) => {
      closing = true;
      if (open.size === 0) return;
      const timer = setTimeout(() => late.abort(), graceMs);
      while (open.size > 0) await Promise.all(open);
      clearTimeout(timer);
    },
  };
}
