import { createMatcher, type Matcher } from "./matcher.ts";

/** A search under way: it has a thread and a time limit, and both are given back whatever happens. */
export type FileSearch = { readonly matcher: Matcher; readonly signal: AbortSignal; readonly isLate: () => boolean };

export async function withSearch<Result>(
  seconds: number,
  stopped: AbortSignal,
  work: (search: FileSearch) => Promise<Result>,
): Promise<Result> {
  const clock = new AbortController();
  const timer = setTimeout(() => clock.abort(), seconds * 1000);
  const signal = AbortSignal.any([stopped, clock.signal]);
  const matcher = createMatcher(signal);
  try {
    return await work({ matcher, signal, isLate: () => signal.aborted });
  } finally {
    clearTimeout(timer);
    await matcher.close();
  }
}
