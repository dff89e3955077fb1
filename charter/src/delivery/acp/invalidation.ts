import type { Finish } from "../model.ts";

/** Why an agent ended a turn. Anything we do not know is "unknown". */
export type StopReason =
  | "end_turn"
  | "max_tokens"
  | "max_turn_requests"
  | "refusal"
  | "cancelled"
  | "error"
  | "unknown";

/** What happened to a session of an agent. */
export type SessionEvent =
  | { readonly kind: "stopped"; readonly reason: StopReason; readonly turns: number }
  /** The prompt was answered with an error. */
  | { readonly kind: "failed" }
  /** A limit of ours was reached, and the agent did not stop when it was told to. */
  | { readonly kind: "timed-out" }
  | { readonly kind: "exited" }
  | { readonly kind: "protocol-error" };

/** What is left of the identity that was delivered, and of the process. */
type Survival = { readonly session: "kept" | "invalid"; readonly process: "kept" | "ended" };

/**
 * Decides what survives. An identity holds only in a session of which we know everything that was said: after anything but
 * a turn that came to its end, the next prompt goes to a new one.
 */
export function survivalOf(event: SessionEvent, turnsPerSession = Number.POSITIVE_INFINITY): Survival {
  if (event.kind === "stopped") {
    const isWhole = event.reason === "end_turn" && event.turns < turnsPerSession;
    return { session: isWhole ? "kept" : "invalid", process: "kept" };
  }
  return { session: "invalid", process: event.kind === "failed" ? "kept" : "ended" };
}

/** How an answer finished. Undefined where a stop is no answer. */
export function finishOf(reason: StopReason): Finish | undefined {
  if (reason === "end_turn") return "stop";
  if (reason === "max_tokens") return "length";
  if (reason === "max_turn_requests" || reason === "unknown") return "other";
  return undefined;
}

export function stopReasonOf(value: unknown): StopReason {
  return stopReasons.find((reason) => reason === value) ?? "unknown";
}

const stopReasons: readonly StopReason[] = [
  "end_turn",
  "max_tokens",
  "max_turn_requests",
  "refusal",
  "cancelled",
  "error",
];
