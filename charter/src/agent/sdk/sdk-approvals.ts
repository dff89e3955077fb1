import { badArgument, isText } from "../../prompt/argument.ts";
import type { Store } from "../../store/store.ts";
import type { HeldCall } from "../../store/turns/held-calls.ts";
import type { AgentEvent } from "../agent-event.ts";
import { decisionWords, questionOf } from "../turn/asking/question.ts";

/** What a person said on a page to a call that waits. */
export type CallAnswer = { readonly id: string; readonly approved: boolean; readonly reason?: string };

/** Answers as useChat keeps them with a call, and as model messages have them. */
export function answersIn(parts: unknown): CallAnswer[] {
  if (!Array.isArray(parts)) return [];
  return parts.flatMap((part: Readonly<Record<string, unknown>>) => {
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

/**
 * A turn's calls that wait for a person, as the AI SDK tells a page of them. Its `toolApproval` asks before any tool of an
 * answer has run, and ends the loop; here what one call brought may hold the next, and the model goes on.
 */
export function pageApprovals(store: Store, decided: readonly DecidedCall[]) {
  const held = new Map<string, string>();
  const results = new Map<string, { readonly output: string; readonly failed?: boolean }>();
  return {
    watch: (event: AgentEvent): void => {
      if (event.kind === "tool-held") held.set(event.call.id, event.held);
      if (event.kind === "tool-result") results.set(event.result.call, event.result);
    },
    /** A held call is a question, in place of the error that the loop goes on with. A page that only answered is told first what came of it. */
    transform: () =>
      new TransformStream<StreamPart, object>({
        transform: async (part, controller) => {
          const id = part.type === "tool-error" ? held.get(part.toolCallId as string) : undefined;
          controller.enqueue(id === undefined ? part : await question(store, id, part));
          held.delete(id === undefined ? "" : (part.toolCallId as string));
          if (part.type === "start") for (const one of decided) controller.enqueue(came(one, results.get(one.id)));
        },
      }) as unknown as TransformStream<unknown, never>,
  };
}

async function question(store: Store, id: string, part: object): Promise<object> {
  const { sentence, details } = questionOf(await store.calls.get(id));
  const reason = [sentence, ...details].join("\n");
  return { type: "tool-approval-request", approvalId: id, toolCall: { ...part, type: "tool-call" }, reason };
}

function came(
  { call, tool, input, approved }: DecidedCall,
  result?: { readonly output: string; readonly failed?: boolean },
) {
  const about = { toolCallId: call, toolName: tool, input };
  if (!approved) return { type: "tool-output-denied", ...about };
  if (!result || result.failed)
    return { type: "tool-error", ...about, error: new Error(result?.output ?? "It was not run yet.") };
  return { type: "tool-result", ...about, output: result.output };
}
