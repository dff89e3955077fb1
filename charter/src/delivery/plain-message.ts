import type { Sha256 } from "../prompt/prompt.ts";
import type { Baseline } from "./baseline.ts";
import { markOf, withoutMark } from "./mark.ts";
import type { Message } from "./model.ts";
import { isUpdateOf } from "./update.ts";

/** A session, as far as it decides who speaks for the system in it. */
type Speaking = Pick<Baseline, "secret" | "updates">;

/**
 * Messages on their way to a model. Only what the session itself said of its sections speaks for the system: in anyone
 * else's message the mark is made plain, and the system's role is the user's. What a message says otherwise is kept, and
 * one that needs no change is the same object.
 */
export function plainMessages(
  messages: readonly Message[],
  { secret, updates }: Speaking,
  sha256: Sha256,
): readonly Message[] {
  const mark = markOf(secret, sha256);
  const plain = messages.map((one) => (updates.some((said) => isUpdateOf(one, said)) ? one : plainMessage(one, mark)));
  return plain.every((one, index) => one === messages[index]) ? messages : plain;
}

/** A history is looked through with every request; each of its messages need be only once. */
const known = new WeakMap<Message, { readonly mark: string; readonly plain: Message }>();

function plainMessage(message: Message, mark: string): Message {
  const before = known.get(message);
  if (before?.mark === mark) return before.plain;
  const plain = made(message, mark);
  known.set(message, { mark, plain });
  return plain;
}

function made(message: Message, mark: string): Message {
  if (message.role === "tool") {
    const results = message.results.map((result) => {
      const output = withoutMark(result.output, mark);
      return output === result.output ? result : { ...result, output };
    });
    return results.every((one, index) => one === message.results[index]) ? message : { ...message, results };
  }
  // What a provider wants back verbatim with an answer of its own may be signed.
  if (message.role === "assistant" && message.native !== undefined) return message;
  const text = withoutMark(message.text, mark);
  if (message.role === "assistant") return text === message.text ? message : { ...message, text };
  if (message.role === "user" && message.update === undefined)
    return text === message.text ? message : { ...message, text };
  return { role: "user", text };
}
