import type { Sha256 } from "../prompt/prompt.ts";
import type { Baseline } from "./baseline.ts";
import { markOf, withoutMark } from "./mark.ts";
import type { Message } from "./model.ts";
import { isUpdateOf } from "./update.ts";

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
  const plain = messages.map((one) => (updates.some((said) => isUpdateOf(one, said)) ? one : plainMessage(one, mark)));
  return plain.every((one, index) => one === messages[index]) ? messages : plain;
}

function plainMessage(message: Message, mark: string): Message {
  const [words, plain] = [wordsOf(message), plainWords(message, mark)];
  const isPlain = words.every((one, index) => one === plain[index]);
  if (message.role === "tool") {
    if (isPlain) return message;
    const results = message.results.map((result, index) => ({ ...result, output: plain[index] as string }));
    return { ...message, results };
  }
  const [text = ""] = plain;
  // What a provider wants back verbatim with an answer of its own may be signed.
  if (message.role === "assistant") return isPlain || message.native !== undefined ? message : { ...message, text };
  if (message.role === "system" || message.update !== undefined) return { role: "user", text };
  return isPlain ? message : { ...message, text };
}

function wordsOf(message: Message): readonly string[] {
  return message.role === "tool" ? message.results.map(({ output }) => output) : [message.text];
}

type PlainWords = { readonly mark: string; readonly words: readonly string[]; readonly plain: readonly string[] };

/** A history is looked through with every request; each of its messages need be only once, as long as it is the same. */
const known = new WeakMap<Message, PlainWords>();

function plainWords(message: Message, mark: string): readonly string[] {
  const words = wordsOf(message);
  const before = known.get(message);
  if (
    before?.mark === mark &&
    words.length === before.words.length &&
    words.every((one, at) => one === before.words[at])
  )
    return before.plain;
  const plain = words.map((one) => withoutMark(one, mark));
  known.set(message, { mark, words, plain });
  return plain;
}
