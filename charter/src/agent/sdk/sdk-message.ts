import { badArgument, isRecord, isText, kindOf } from "../../prompt/argument.ts";
import { scopeNamed } from "../../store/scope.ts";
import type { Store } from "../../store/store.ts";
import type { HeldCall } from "../../store/turns/held-calls.ts";
import type { InputPart } from "../attachments.ts";
import { decisionWords, questionOf } from "../held-question.ts";
import type { AgentEvent } from "../turn-interface.ts";

/** A message of `useChat`, or a model message of the AI SDK. */
export type ChatMessage = {
  readonly role: string;
  readonly parts?: readonly object[];
  readonly content?: string | readonly object[];
  readonly metadata?: unknown;
};

/** The new part of the messages of a chat page or a loop. */
type NewMessage = {
  /** The user's message; undefined where a page only sends answers to questions. */
  readonly input: readonly InputPart[] | undefined;
  /** The person's answers to calls that wait. */
  readonly answers: readonly CallAnswer[];
  /** The user's message before it, in the sender's version. */
  readonly before: string | undefined;
  /** The session and the turn that `turn.metadata` named in the answer before. */
  readonly session: string | undefined;
  readonly turn: string | undefined;
};

/**
 * Finds what is new in the messages. The store has the history: only the last message is taken, which is the user's, and the
 * user's answers to calls that wait for them.
 */
export function newMessageOf(messages: unknown): NewMessage {
  if (!Array.isArray(messages) || messages.length === 0)
    throw bad(
      `The \`messages\` of turn are ${kindOf(messages)}${Array.isArray(messages) ? " without any" : ""}.`,
      "Give messages of useChat, or model messages.",
    );
  const last: unknown = messages.at(-1);
  const message = isRecord(last) && last.role === "user" ? last : undefined;
  const earlier = messages.slice(0, message ? -1 : undefined).filter(isRecord);
  const answers = earlier.flatMap(({ role, parts, content }) => (role === "user" ? [] : answersIn(parts ?? content)));
  if (!message && answers.length === 0)
    throw bad("The last of the `messages` is not the user's.", "Give the messages up to what the user says now.");
  const user = earlier.findLast(({ role }) => role === "user");
  const metadata = earlier.map(({ role, metadata }) => (role === "assistant" ? metadataIn(metadata) : {}));
  const { session, turn } = metadata.findLast((one) => isText(one.session)) ?? {};
  return {
    input: message && inputOf(message),
    answers,
    before: user && wordsOf(inputOf(user)),
    // A page without earlier messages begins a new conversation.
    session: session ?? (message && "parts" in message && earlier.length === 0 ? "new" : undefined),
    turn: isText(turn) ? turn : undefined,
  };
}

function metadataIn(metadata: unknown): Partial<Record<"session" | "turn", string>> {
  return Object(metadata);
}

/** Joins the words as an input keeps them. */
function wordsOf(parts: readonly InputPart[]): string {
  return parts.flatMap((part) => ("text" in part && part.text !== "" ? [part.text] : [])).join("\n\n");
}

/** Returns the words of a user's message that steers a turn; empty if it holds more than words. */
export function steeringWords({ role, content }: ChatMessage): string {
  const parts =
    typeof content === "string" ? [{ type: "text", text: content }] : ((content ?? []) as readonly SentPart[]);
  return role === "user" && parts.every(({ type }) => type === "text") ? wordsOf(parts as { text: string }[]) : "";
}

type SentPart = Readonly<Record<string, unknown>>;

function inputOf(message: Readonly<Record<string, unknown>>): InputPart[] {
  const content = (message as ChatMessage).parts ?? (message as ChatMessage).content;
  if (typeof content === "string") return [{ text: content }];
  if (!Array.isArray(content)) throw bad("A message of the user has no content.", "Give its text, or its parts.");
  return content.map(Object).flatMap((part: SentPart): InputPart[] => {
    if (part.type === "text" && typeof part.text === "string") return [{ text: part.text }];
    if (part.type === "file" || part.type === "image") return [fileOf(part)];
    // Parts for a page's steps and data are nothing the user said.
    if (String(part.type).startsWith("data-") || part.type === "step-start") return [];
    throw bad(`A message of the user has a part “${String(part.type)}” that cannot be read.`, "Give text and files.");
  });
}

function fileOf({ data, image, url, mediaType, filename }: SentPart): InputPart {
  const file = bytesOf(data ?? image ?? url);
  return {
    file,
    ...(isText(mediaType) && mediaType.includes("/") ? { mediaType } : {}),
    ...(isText(filename) ? { name: filename } : {}),
  };
}

function bytesOf(given: unknown): Uint8Array {
  if (given instanceof Uint8Array) return given;
  if (given instanceof ArrayBuffer) return new Uint8Array(given);
  if (isRecord(given) && "data" in given) return bytesOf(given.data);
  const text = given instanceof URL ? given.href : given;
  if (!isText(text)) throw bad(`A file of the user is ${kindOf(given)}.`, "Give its bytes, or a data: address.");
  if (/^https?:/.test(text))
    throw bad("A file of the user is only an address.", "Load it first, and give its bytes: nothing is fetched here.");
  const [, type = ";base64", data = text] = /^data:([^,]*),(.*)$/s.exec(text) ?? [];
  try {
    if (!type.endsWith(";base64")) return new TextEncoder().encode(decodeURIComponent(data));
    return Uint8Array.from(atob(data), (one) => one.charCodeAt(0));
  } catch {
    throw bad("A file of the user is not what its data: address says.", "Give its bytes, or their base64.");
  }
}

type ChatPast = {
  readonly store: Store;
  readonly agent: string;
  readonly user: string | null;
  readonly channel?: string | undefined;
};

/**
 * Tells whether the past was edited: whether the last input in the store differs from the sender's. Asking the same again is no
 * edit: that is another turn.
 */
export async function isPastEdited(
  { input, before, turn }: NewMessage,
  session: string | undefined,
  { store, agent, user, channel }: ChatPast,
): Promise<boolean> {
  if (before === undefined || session === "new" || session === "none") return false;
  const scope = scopeNamed(agent, user);
  const id = session ?? (await store.sessions.latest(scope, channel))?.id;
  const newest = id === undefined ? undefined : await store.sessions.newestTurn(id, scope);
  // Pages may show or drop the message of a failed turn.
  if (newest?.state !== "answered" || newest.id === turn) return false;
  const { input: storedInput } = await store.turns.get(newest.id, scope);
  return storedInput !== before && storedInput !== (input && wordsOf(input));
}

function bad(message: string, hint: string) {
  return badArgument(message, hint);
}

/** A person's answer on a page to a call that waits. */
type CallAnswer = { readonly id: string; readonly approved: boolean; readonly reason?: string };

/** Reads answers, as useChat keeps them with a call or as model messages have them. */
function answersIn(parts: unknown): CallAnswer[] {
  if (!Array.isArray(parts)) return [];
  return parts.filter(isRecord).flatMap((part) => {
    const isAnswered = part.state === "approval-responded";
    const given = isAnswered ? part.approval : part.type === "tool-approval-response" ? part : undefined;
    const { id, approvalId = id, approved, reason } = Object(given) as Readonly<Record<string, unknown>>;
    if (!isText(approvalId) || typeof approved !== "boolean") return [];
    return [{ id: approvalId, approved, ...(isText(reason) ? { reason } : {}) }];
  });
}

/** A held call, and its user's decision. */
type DecidedCall = HeldCall & { readonly approved: boolean };

/**
 * Records a page's answers to calls that wait. The sender is the turn's user: they decide about calls of their own, as at every
 * door, and about no other. An answer to a call that no longer waits is ignored.
 */
export async function decideCalls(
  answers: readonly CallAnswer[],
  { store, agent, user }: { readonly store: Store; readonly agent: string; readonly user: string | null },
): Promise<DecidedCall[]> {
  if (answers.length === 0 || user === null) return [];
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

/** Returns the input of a turn for which a page only sent answers. */
export function answerWords(decided: readonly DecidedCall[]): string {
  if (decided.length > 0) return decided.map((call) => decisionWords(call, call.approved)).join("\n");
  throw badArgument(
    "No call that was answered on the page waits for this user.",
    "It was decided before, or is another user's: give turn({ user }) the page's own.",
  );
}

type StreamPart = { readonly type: string; readonly toolCallId?: string };
type CallResult = { readonly output: string; readonly failed?: boolean };

/**
 * Options: `isAsked`: the page's person is known, and may decide. `decided`: calls whose results a page that only sent answers
 * gets first.
 */
type PageOptions = { readonly store: Store; readonly isAsked: boolean; readonly decided: readonly DecidedCall[] };

/**
 * Shows a page the calls that wait for a person, as the AI SDK does: each is a question, in place of the error that the loop goes
 * on with. The SDK's own `toolApproval` would ask before any tool of the answer has run, and end the loop; here one call's result
 * may hold the next, and the model goes on.
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
          // Some models number their calls anew in every step.
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
