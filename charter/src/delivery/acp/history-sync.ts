import type { Sha256 } from "../../prompt/prompt.ts";
import type { Message, ModelRequest } from "../model.ts";

/** What an agent's session has of a conversation: so many messages, and one digest of them all. */
export type SeenHistory = { readonly messages: number; readonly digest: string };

/** What is known of an agent's session that is still valid. */
export type KnownSession = { readonly identity: string; readonly seen: SeenHistory };

/** Why a session is started anew. */
type RotationReason = "opened" | "identity-changed" | "history-changed" | "answered-elsewhere";

/**
 * What a request comes to for an agent that keeps the conversation: only what is new, or a new session that is told of
 * what was said before. `send` is in the order in which it is read.
 */
type Sync =
  | { readonly kind: "continued"; readonly send: readonly Message[] }
  | {
      readonly kind: "rotated";
      readonly reason: RotationReason;
      /** What was said before, without updates: their words are sent. */
      readonly recap: readonly Message[];
      readonly send: readonly Message[];
    };

/** Holds a whole request against what an agent's session has, and says what to send. */
export function syncHistory(request: ModelRequest, known: KnownSession | undefined, sha256: Sha256): Sync {
  const history = historyIn(request);
  const state = request.messages.slice(history.length);
  const anew = (reason: RotationReason): Sync => {
    const end = history.findLastIndex(({ role }) => role === "assistant" || role === "tool") + 1;
    const before = history.slice(0, end);
    const updates = before.filter(isUpdate);
    const recap = before.filter((message) => !isUpdate(message));
    return { kind: "rotated", reason, recap, send: [...updates, ...history.slice(end), ...state] };
  };
  if (!known) return anew("opened");
  if (known.identity !== sha256(identityOf(request))) return anew("identity-changed");
  const { messages, digest } = known.seen;
  if (messages > history.length || seenOf(history.slice(0, messages), sha256).digest !== digest)
    return anew("history-changed");
  const added = history.slice(messages);
  if (added.some(({ role }) => role === "assistant" || role === "tool")) return anew("answered-elsewhere");
  return { kind: "continued", send: [...added, ...state] };
}

/** The messages of a request that are the history; all of them where it is of no session. */
export function historyIn({ messages, session }: ModelRequest): readonly Message[] {
  return messages.slice(0, session?.history ?? messages.length);
}

/** The system prompt as one text. */
export function identityOf({ system }: ModelRequest): string {
  return system.map(({ text }) => text).join("");
}

const digested = new WeakMap<Message, { readonly by: Sha256; readonly before: string; readonly digest: string }>();

/**
 * One digest of messages, as they were said: what a provider wants back with them is no part of it. A message that was
 * digested before, after the same ones, is not digested again.
 */
export function seenOf(messages: readonly Message[], sha256: Sha256): SeenHistory {
  let digest = "";
  for (const message of messages) {
    const before = digest;
    const known = digested.get(message);
    digest =
      known?.by === sha256 && known.before === before
        ? known.digest
        : sha256(JSON.stringify([before, saidIn(message)]));
    if (known?.digest !== digest) digested.set(message, { by: sha256, before, digest });
  }
  return { messages: messages.length, digest };
}

function saidIn(message: Message): unknown {
  if (message.role === "tool")
    return [
      message.role,
      message.results.map(({ call, name, output, failed }) => [call, name, output, failed === true]),
    ];
  if (message.role === "assistant")
    return [message.role, message.text, message.calls.map(({ id, name, input }) => [id, name, input])];
  return [message.role, message.text];
}

function isUpdate(message: Message): boolean {
  return (message.role === "system" || message.role === "user") && message.update !== undefined;
}
