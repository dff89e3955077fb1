import { Problem } from "../../prompt/problem.ts";
import { maxTimeoutMs } from "../timeout.ts";

export function turnTimeoutProblem(seconds: number): Problem {
  return new Problem(
    "turn-time",
    `The turn took longer than ${seconds} s.`,
    "Ask for less at once, or raise the limit.",
  );
}

/** Nothing more is begun in a turn that was stopped. */
export function checkNotStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new Problem("model-aborted", "The turn was stopped.", "Ask again when you are ready.");
}

/** `late`: time was up; otherwise it was the caller who stopped the turn. */
export type Deadline = {
  readonly signal: AbortSignal;
  late: boolean;
  stop: () => void;
  /** Called when time is up: for a turn that somebody else's loop runs, or has left. No process is kept alive by it. */
  whenLate: (call: () => void) => void;
};

/** Ends when the caller's signal does, or when time is up. */
export function startDeadline(seconds: number, signal: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let call = () => {};
  const timer = setTimeout(
    () => {
      deadline.late = true;
      controller.abort(turnTimeoutProblem(seconds));
      call();
    },
    Math.min(seconds * 1000, maxTimeoutMs),
  );
  const deadline: Deadline = {
    signal: controller.signal,
    late: false,
    stop: () => {},
    whenLate: (given) => {
      call = given;
      timer.unref();
    },
  };
  const stopped = () => controller.abort(signal?.reason);
  if (signal?.aborted) stopped();
  signal?.addEventListener("abort", stopped, { once: true });
  deadline.stop = () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stopped);
  };
  return deadline;
}
