import type { Sha256 } from "../prompt/prompt.ts";
import type { Baseline } from "./baseline.ts";
import { markOf, withoutMark } from "./mark.ts";
import type { Message } from "./model.ts";
import { isUpdate, isUpdateOf } from "./update.ts";

/** A session, as far as it decides who speaks for the system in it. */
type MarkedSession = Pick<Baseline, "secret" | "updates">;

/**
 * Messages on their way to a model. Only what the session itself said of its sections speaks for the system: in anyone
 * else's message the mark is made plain, and the system's role is the user's. What a message says otherwise is kept, and
 * one that needs no change is the same object.
 */
export function plainMessages(
  messages: readonly Message[],
  { secret, updates }: MarkedSession,
  sha256: Sha256,
): readonly Message[] {
  const mark = markOf(secret, sha256);
  let changed: Message[] | undefined;
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at] as Message;
    if (isUpdate(message) && updates.some((said) => isUpdateOf(message, said))) continue;
    const plain = plainMessage(message, mark);
    if (plain === message) continue;
    changed ??= [...messages];
    changed[at] = plain;
  }
  return changed ?? messages;
}

/** A history is looked through with every request; each of its messages need be only once, as long as it says the same. */
const known = new WeakMap<Message, { readonly mark: string; readonly words: unknown; readonly plain: Message }>();

function plainMessage(message: Message, mark: string): Message {
  const words = message.role === "tool" ? message.results : message.text;
  const before = known.get(message);
  if (before?.mark === mark && before.words === words) return before.plain;
  const plain = withoutMarkIn(message, mark);
  known.set(message, { mark, words, plain });
  return plain;
}

function withoutMarkIn(message: Message, mark: string): Message {
  if (message.role === "tool") {
    const results = message.results.map((result) => ({ ...result, output: withoutMark(result.output, mark) }));
    return results.every(({ output }, index) => output === message.results[index]?.output)
      ? message
      : { ...message, results };
  }
  const text = withoutMark(message.text, mark);
  const isPlain = text === message.text;
  // What a provider wants back verbatim with an answer of its own may be signed.
  if (message.role === "assistant") return isPlain || message.native !== undefined ? message : { ...message, text };
  if (message.role === "system" || message.update !== undefined) return { role: "user", text };
  return isPlain ? message : { ...message, text };
}
