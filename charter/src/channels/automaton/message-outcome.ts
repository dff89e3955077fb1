import type { InboxOutcome } from "../../store/conversations/finish-messages.ts";
import type { InboxMessage } from "../../store/conversations/inbox-row.ts";

/** Why a turn gave no answer. */
export type TurnProblem = { readonly code: string; readonly message: string };

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

/** The model gave no answer. Whether it is away or the message is at fault shows when it is asked something else. */
const away: ReadonlySet<string> = new Set([
  "model-busy",
  "model-cut",
  "model-failed",
  "model-rejected",
  "model-unreachable",
  "turn-time",
]);

/** No message's fault, and not the model's: it may not be paid, or the turn was stopped with its process. */
const held: ReadonlySet<string> = new Set([
  "model-aborted",
  "spending-limit",
  "price-unknown",
  "out-of-cycles",
  "agent-frozen",
  "closing",
]);

/** What keeps every turn from an answer, as far as one can tell: it is waited before the next. */
export function obstacleOf(problem: TurnProblem | undefined): "away" | "held" | undefined {
  if (problem === undefined) return undefined;
  return away.has(problem.code) ? "away" : held.has(problem.code) ? "held" : undefined;
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
    return problem ? failAll(failureOf(problem), obstacleOf(problem) !== undefined) : failAll(`The turn was ${state}.`);
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
export function failureOf({ code, message }: TurnProblem): string {
  return `${code}: ${message}`.slice(0, 500).toWellFormed();
}
