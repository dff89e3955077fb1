import type { InboxOutcome } from "../../store/conversations/finish-messages.ts";
import type { InboxMessage } from "../../store/conversations/inbox-row.ts";

/** Why a turn gave no answer. `outage`: the model refuses everyone, as where its key is not taken. */
export type TurnProblem = { readonly code: string; readonly message: string; readonly outage?: true };

/** How a turn with messages ended, as its outcome says or its record. */
export type TurnResult = {
  readonly state: string;
  readonly reply: string | null;
  readonly problem?: TurnProblem | undefined;
  /** It had one message: its answer is the reply. */
  readonly alone: boolean;
  /** What the tool `reply` was given, by the message's id. */
  readonly noted: ReadonlyMap<string, string>;
};

/** What is no message's fault: the model is away, may not be paid, or the turn was stopped with its process. */
const outages: ReadonlySet<string> = new Set([
  ...["model-busy", "model-unreachable", "model-aborted", "spending-limit", "price-unknown", "out-of-cycles"],
  ...["agent-frozen", "closing"],
]);

/** What keeps every turn from an answer, as far as one can tell: it is waited before the next. */
export function isOutage(problem: Omit<TurnProblem, "message">): boolean {
  return isNobodysFault(problem) || problem.code === "model-failed";
}

function isNobodysFault({ code, outage }: Omit<TurnProblem, "message">): boolean {
  return outages.has(code) || outage === true;
}

/** What becomes of each message. Of a turn that failed nothing is sent. */
export function messageOutcome(
  messages: readonly Pick<InboxMessage, "id">[],
  { state, reply, problem, alone, noted }: TurnResult,
): Pick<InboxOutcome, "replies" | "failures"> {
  const failAll = (because: string, outage = false) => ({
    replies: [],
    failures: messages.map(({ id }) => ({ message: id, because, ...(outage ? { outage: true as const } : {}) })),
  });
  if (state !== "answered")
    return problem ? failAll(failureOf(problem), isNobodysFault(problem)) : failAll(`The turn was ${state}.`);
  if (alone)
    return reply !== null && reply.trim() !== ""
      ? { replies: messages.map(({ id }) => ({ message: id, body: reply })), failures: [] }
      : failAll("The turn's answer was blank.");
  const answered = messages.filter(({ id }) => noted.has(id));
  return {
    replies: answered.map(({ id }) => ({ message: id, body: noted.get(id) as string })),
    failures: messages
      .filter(({ id }) => !noted.has(id))
      .map(({ id }) => ({ message: id, because: "The turn ended without a reply to it." })),
  };
}

/** What a turn noted for each of its messages, by the message's id. */
export function draftsOf(messages: readonly Pick<InboxMessage, "id" | "draft">[]): ReadonlyMap<string, string> {
  return new Map(messages.flatMap(({ id, draft }) => (draft === null ? [] : [[id, draft] as const])));
}

/** A Problem's own words: neither a tool's output nor anyone's message is in them. */
function failureOf({ code, message }: { readonly code: string; readonly message: string }): string {
  return `${code}: ${message}`.slice(0, 500).toWellFormed();
}
