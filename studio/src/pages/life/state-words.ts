/** A state in plain words, and what it means. */
type Words = { readonly title: string; readonly says: string };

const states: Readonly<Record<string, Words>> = {
  Bootstrapping: { title: "Starting", says: "It has just been started." },
  Idle: { title: "Idle", says: "It waits for the next message." },
  LoadingContext: { title: "Preparing a turn", says: "It reads what the turn needs." },
  Inferring: { title: "Thinking", says: "It waits for the model." },
  ExecutingActions: { title: "Using tools", says: "It runs what the model asked for." },
  Persisting: { title: "Saving", says: "It saves what the turn came to." },
  Sleeping: { title: "Resting", says: "It takes no turns for now." },
  Faulted: { title: "Recovering", says: "Something unexpected happened. It recovers on its own." },
};

export const neverStarted: Words = { title: "Never started", says: "No process has run it yet." };

export function stateWords(state: string): Words {
  return states[state] ?? { title: state, says: "" };
}

const causes: Readonly<Record<string, string>> = {
  tick: "ready for messages",
  rest: "no turns are allowed",
  frozen: "frozen by the operator",
  asleep: "sent to sleep",
  LowCycles: "the budget is low",
  Critical: "the budget is nearly used up",
  OutOfCycles: "the budget is used up",
  "turn-started": "a turn started",
  "context-loading": "the turn continued",
  "model-asked": "the model was asked",
  "tools-called": "the model asked for tools",
  "turn-recorded": "the model finished",
  "turn-finished": "the turn ended well",
  "turn-quiet": "there was nothing to do",
  "turn-failed": "the turn failed",
};

/** Why a state changed. What has no words here is said as it was recorded. */
export function causeWords(cause: string): string {
  const unforeseen = /^(\S+) is not foreseen in (\S+)$/.exec(cause);
  if (!unforeseen) return causes[cause] ?? cause;
  const [, event = "", state = ""] = unforeseen;
  return `“${causes[event] ?? event}” was not expected while “${stateWords(state).title}”`;
}
