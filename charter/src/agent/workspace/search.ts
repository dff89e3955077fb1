import { createMatcher, type Matcher } from "./matcher.ts";

/** A search under way: it has a thread and a time limit, and both are given back whatever happens. */
export type Search = { readonly matcher: Matcher; readonly signal: AbortSignal; readonly isLate: () => boolean };

export async function searching<Result>(
  seconds: number,
  stopped: AbortSignal,
  work: (search: Search) => Promise<Result>,
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
