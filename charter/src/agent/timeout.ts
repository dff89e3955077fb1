import type { ReadingTimeout } from "../prompt/gather.ts";
import { type Reading, unavailable } from "../prompt/reading.ts";

/** A source that does not answer in time is unavailable; nobody hangs on it, least of all a turn that was stopped. */
export function sourceTimeout(seconds: number, signal?: AbortSignal): ReadingTimeout {
  const late = (): Reading =>
    unavailable(
      signal?.aborted ? "it had not answered when the turn was stopped" : `it did not answer in ${seconds} s`,
    );
  return (reading) => withTimeout(seconds * 1000, reading, late, signal);
}

/** Timers that are set for longer go off at once. */
export const maxTimeoutMs = 2 ** 31 - 1;

/** What comes first: the work, or its time limit and what is said then. The work itself is not stopped by it. */
export async function withTimeout<Result>(
  milliseconds: number,
  work: Promise<Result>,
  late: () => Result,
  signal?: AbortSignal,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  let stop: (() => void) | undefined;
  const over = new Promise<Result>((resolve) => {
    stop = () => resolve(late());
    timer = setTimeout(stop, Math.min(milliseconds, maxTimeoutMs));
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
    if (stop) signal?.removeEventListener("abort", stop);
    work.catch(() => {});
  }
}

/** Waits so long, or until the signal says that there is no more to wait for. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      resolve();
    };
    const timer = setTimeout(stop, ms);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
}
