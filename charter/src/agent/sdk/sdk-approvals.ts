import { badArgument, isRecord, isText } from "../../prompt/argument.ts";
import type { Store } from "../../store/store.ts";
import type { HeldCall } from "../../store/turns/held-calls.ts";
import { decisionWords, questionOf } from "../held-question.ts";
import type { AgentEvent } from "../turn-interface.ts";

/** What a person said on a page to a call that waits. */
export type CallAnswer = { readonly id: string; readonly approved: boolean; readonly reason?: string };

/** Answers as useChat keeps them with a call, and as model messages have them. */
export function answersIn(parts: unknown): CallAnswer[] {
  if (!Array.isArray(parts)) return [];
  return parts.filter(isRecord).flatMap((part) => {
    const isAnswered = part.state === "approval-responded";
    const given = isAnswered ? part.approval : part.type === "tool-approval-response" ? part : undefined;
    const { id, approvalId = id, approved, reason } = Object(given) as Readonly<Record<string, unknown>>;
    if (!isText(approvalId) || typeof approved !== "boolean") return [];
    return [{ id: approvalId, approved, ...(isText(reason) ? { reason } : {}) }];
  });
}

/** A held call, and what its user said to it. */
type DecidedCall = HeldCall & { readonly approved: boolean };

/**
 * Takes a page's answers to calls that wait. Whoever sends them is the turn's user: they decide about calls of their own, as
 * at every door, and about no other. What is not waiting any more was decided before.
 */
export async function decideCalls(
  answers: readonly CallAnswer[],
  { store, agent, user }: { readonly store: Store; readonly agent: string; readonly user?: string },
): Promise<DecidedCall[]> {
  if (answers.length === 0 || user === undefined) return [];
  const byId = new Map(answers.map((one) => [one.id, one]));
  const decided: DecidedCall[] = [];
  for (const call of await store.calls.list({ agent, user, limit: 1000 })) {
    const answer = byId.get(call.id);
    if (!answer) continue;
    if (answer.approved) await store.calls.approve(call.id, user);
    else await store.calls.reject(call.id, user, answer.reason);
    decided.push({ ...call, approved: answer.approved });
  }
  return decided;
}

/** What is said in a turn for which a page only sent answers. */
export function answerWords(decided: readonly DecidedCall[]): string {
  if (decided.length > 0) return decided.map((call) => decisionWords(call, call.approved)).join("\n");
  throw badArgument(
    "No call that was answered on the page waits for this user.",
    "It was decided before, or is another user's: give turn({ user }) the page's own.",
  );
}

type StreamPart = { readonly type: string; readonly toolCallId?: string };
type CallResult = { readonly output: string; readonly failed?: boolean };

/** `isAsked`: the page's person is known, and may decide. `decided`: what a page that only sent answers is told of first. */
type PageOptions = { readonly store: Store; readonly isAsked: boolean; readonly decided: readonly DecidedCall[] };

/**
 * A turn's calls that wait for a person, as the AI SDK tells a page of them: each is a question, in place of the error that
 * the loop goes on with. Its `toolApproval` would ask before any tool of the answer has run, and end the loop; here what one
 * call brought may hold the next, and the model goes on.
 */
export function pageApprovals({ store, isAsked, decided }: PageOptions) {
  const held = new Map<string, string>();
  const results = new Map<string, CallResult>();
  return {
    watch: (event: AgentEvent): void => {
      if (event.kind === "tool-held" && isAsked) held.set(event.call.id, event.held);
      if (event.kind === "tool-result") results.set(event.result.call, event.result);
    },
    transform: () =>
      new TransformStream<StreamPart, object>({
        transform: async (part, controller) => {
          const { type, toolCallId = "" } = part;
          const id = type === "tool-error" ? held.get(toolCallId) : undefined;
          // Some models count their calls anew in every step.
          if (id !== undefined) held.delete(toolCallId);
          controller.enqueue(id === undefined ? part : await questionPart(store, id, part));
          if (type === "start") for (const one of decided) controller.enqueue(resultPart(one, results.get(one.id)));
        },
      }) as unknown as TransformStream<unknown, never>,
  };
}

async function questionPart(store: Store, id: string, part: object): Promise<object> {
  const { sentence, details } = questionOf(await store.calls.get(id));
  const reason = [sentence, ...details].join("\n");
  return { type: "tool-approval-request", approvalId: id, toolCall: { ...part, type: "tool-call" }, reason };
}

function resultPart({ call, tool, input, approved }: DecidedCall, result: CallResult | undefined): object {
  const about = { toolCallId: call, toolName: tool, input };
  if (!approved) return { type: "tool-output-denied", ...about };
  const { output, failed } = result ?? { output: "It was not run yet.", failed: true };
  return failed
    ? { type: "tool-error", ...about, error: new Error(output) }
    : { type: "tool-result", ...about, output };
}
