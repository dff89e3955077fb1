import type { ReadingTimeout } from "../prompt/gather.ts";
import { listed, Problem } from "../prompt/problem.ts";
import { type Reading, unavailable } from "../prompt/reading.ts";

/** Limits on one turn. docs/agent.md says what happens when one is reached. */
export type Limits = {
  readonly steps: number;
  readonly toolCalls: number;
  /** Maximum number of seconds of the whole turn; the next three limit one source, one tool and one hook. */
  readonly turnSeconds: number;
  readonly sourceSeconds: number;
  readonly toolSeconds: number;
  readonly hookSeconds: number;
  /** Maximum number of seconds of a second opinion, including retries. */
  readonly opinionSeconds: number;
  /** Number of seconds to wait for a person who is asked about a call; then the call is held. */
  readonly askSeconds: number;
  /** Maximum number of times a model that could not answer is asked again. */
  readonly retries: number;
  /** Maximum length of a tool result in characters; the rest is cut off, and the model is told. */
  readonly toolChars: number;
  /** Maximum number of tokens of each answer of the model, where that is less than the model's own. */
  readonly answerTokens?: number;
  /** Dollars a day for each user of the agent; the next is for the agent with all its users. */
  readonly userDollarsPerDay?: number;
  readonly agentDollarsPerDay?: number;
};

/** Minimum window, in tokens, that an agent can be given. */
export const leastWindow = 1000;

/** The default limits of a turn. */
export const usualLimits: Limits = {
  steps: 20,
  toolCalls: 64,
  turnSeconds: 300,
  sourceSeconds: 10,
  toolSeconds: 60,
  hookSeconds: 5,
  opinionSeconds: 20,
  askSeconds: 120,
  retries: 3,
  toolChars: 50_000,
};

const names = [...Object.keys(usualLimits), "answerTokens", "userDollarsPerDay", "agentDollarsPerDay"];

/** Merges two sets of limits; where both have one, the narrower holds. */
export function narrower(one: Partial<Limits> = {}, other: Partial<Limits> = {}): Partial<Limits> {
  const both = Object.entries(other).map(([name, value]) => [
    name,
    Math.min(value, one[name as keyof Limits] ?? value),
  ]);
  return { ...one, ...Object.fromEntries(both) };
}

export function limitsOf(given: Partial<Limits> = {}): Limits {
  for (const [name, value] of Object.entries(given)) {
    if (!names.includes(name))
      throw new Problem("bad-limit", `There is no limit “${name}”.`, `The limits are ${listed(names)}.`);
    if (!(typeof value === "number" && Number.isFinite(value) && value >= 0))
      throw new Problem("bad-limit", `The limit “${name}” is ${String(value)}.`, "Give a number from 0 up.");
  }
  return { ...usualLimits, ...given };
}

/**
 * Limits the wait for a source: one that does not answer in time is unavailable, and no turn hangs on it, least of all one that
 * was stopped.
 */
export function sourceTimeout(seconds: number, signal?: AbortSignal): ReadingTimeout {
  const onTimeout = (): Reading =>
    unavailable(
      signal?.aborted ? "it had not answered when the turn was stopped" : `it did not answer in ${seconds} s`,
    );
  return (reading) => withTimeout(seconds * 1000, reading, onTimeout, signal);
}

/** Maximum delay of a timer in milliseconds: Node fires one that is set for longer at once. */
export const maxTimeoutMs = 2 ** 31 - 1;

/**
 * Waits for the work or its time limit (Infinity: none), whichever comes first; `late` gives the result then, or when the signal
 * aborts. The work itself goes on.
 */
export async function withTimeout<Result>(
  milliseconds: number,
  work: Promise<Result>,
  late: () => Result,
  signal?: AbortSignal,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  let stop: (() => void) | undefined;
  const timeout = new Promise<Result>((resolve) => {
    stop = () => resolve(late());
    if (milliseconds !== Number.POSITIVE_INFINITY) timer = setTimeout(stop, Math.min(milliseconds, maxTimeoutMs));
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
    if (stop) signal?.removeEventListener("abort", stop);
    work.catch(() => {});
  }
}

/** Waits, or returns early when the signal aborts. */
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
