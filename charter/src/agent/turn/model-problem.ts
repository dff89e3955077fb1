import type { Fault } from "../../delivery/model.ts";
import { Problem } from "../../prompt/problem.ts";
import { maxTimeoutMs } from "../limits.ts";

const hints: Readonly<Record<Fault["code"], string>> = {
  "model-busy": "Try again later, or choose another model.",
  "model-failed": "Try again later, or choose another model.",
  "model-cut": "Try again; the provider closed the stream before the answer was whole.",
  "model-unreachable": "Check the network and the provider's address.",
  "model-rejected": "Check the model's name and key, and what the provider says.",
  "model-aborted": "Ask again when you are ready.",
};

/** Hints about an agent over ACP: it was started here, and its work may be half done. */
const agentHints: Readonly<Record<Fault["code"], string>> = {
  "model-busy": "Try again in a while.",
  "model-failed": "Its tools may have run, so nothing is sent again by itself. See what it did, then ask again.",
  "model-cut": "Its tools may have run, so nothing is sent again by itself. See what it did, then ask again.",
  "model-unreachable": "Try its command: charter acp probe -- <command…>. It is set in charter.config.ts: docs/acp.md.",
  "model-rejected": "Its settings are in charter.config.ts: docs/acp.md#settings.",
  "model-aborted": "Ask again when you are ready.",
};

/** Problems after which another model may answer. */
const outages = new WeakSet<object>();

/** Problems of answers that a filter withheld from one model. */
const withheld = new WeakSet<object>();

/** Tells whether another model may answer what this one was kept from answering. It is no outage: others are still answered. */
export function isWithheld(error: unknown): error is Problem {
  return error instanceof Problem && withheld.has(error);
}

export function isOutage(error: unknown): error is Problem {
  return error instanceof Problem && outages.has(error);
}

/**
 * Tells whether another model may answer after a fault: this one is busy, broken, out of reach, or answers nobody. Not where the
 * request itself was refused, or somebody stopped it.
 */
export function isOutageFault({ code, outage }: Fault): boolean {
  return code !== "model-aborted" && (code !== "model-rejected" || outage === true);
}

/** Makes the Problem of a missing answer: the last fault's code and words, the model, and the number of attempts. */
export function noAnswerProblem(receiver: string, faults: readonly Fault[], outage = false): Problem {
  const problem = problemOf(receiver, faults);
  if (outage) outages.add(problem);
  if (faults.at(-1)?.withheld) withheld.add(problem);
  return problem;
}

function problemOf(receiver: string, faults: readonly Fault[]): Problem {
  const { code, message } = faults.at(-1) as Fault;
  const who = message.includes(receiver) ? "" : `“${receiver}” gave no answer: `;
  const stop = /[.!?…]$/.test(message) ? "" : ".";
  const times = faults.length > 1 ? ` Asked ${faults.length} times.` : "";
  return new Problem(code, `${who}${message}${stop}${times}`, (isAgent(receiver) ? agentHints : hints)[code]);
}

function isAgent(receiver: string): boolean {
  return receiver.startsWith("acp/");
}

export function turnTimeoutProblem(seconds: number): Problem {
  return new Problem(
    "turn-time",
    `The turn took longer than ${seconds} s.`,
    "Ask for less at once, or raise the limit.",
  );
}

/** Refuses to begin anything more in a turn that was stopped. */
export function checkNotStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new Problem("model-aborted", "The turn was stopped.", "Ask again when you are ready.");
}

/** A turn's deadline. `late`: time is up; otherwise the caller stopped the turn. */
export type Deadline = {
  readonly signal: AbortSignal;
  late: boolean;
  stop: () => void;
  /** Sets a function for when time is up: for a turn that somebody else's loop runs, or has left. It keeps no process alive. */
  whenLate: (call: () => void) => void;
};

/** Starts a deadline that ends with the caller's signal, or when time is up. */
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
