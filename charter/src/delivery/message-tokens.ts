import type { Tokenizer } from "../prompt/tokens.ts";
import { attachmentTokensOf } from "./attachment-tokens.ts";
import { carryBy } from "./carry.ts";
import type { Message } from "./model.ts";

const countedMessages = new WeakMap<Message, { readonly by: Tokenizer; readonly tokens: number }>();

/** After how many tokens each message of a session's history ends; the first number is 0. */
export const messageEnds = carryBy(
  0,
  (tokenizer: Tokenizer) => (before, message) => before + messageTokens(message, tokenizer),
);

export function historyTokens(messages: readonly Message[], tokenizer: Tokenizer): number {
  return messages.reduce((sum, message) => sum + messageTokens(message, tokenizer), 0);
}

export function messageTokens(message: Message, tokenizer: Tokenizer): number {
  const known = countedMessages.get(message);
  if (known?.by === tokenizer) return known.tokens;
  const tokens = tokenizer.count(messageText(message)) + attachmentTokens(message, tokenizer);
  countedMessages.set(message, { by: tokenizer, tokens });
  return tokens;
}

const usualTokens = attachmentTokensOf("");

function attachmentTokens(message: Message, { attachment = usualTokens }: Tokenizer): number {
  if (message.role !== "user" || !message.attachments) return 0;
  return message.attachments.reduce((sum, one) => sum + attachment(one), 0);
}

export function messageText(message: Message): string {
  if (message.role === "tool") return message.results.map(({ name, output }) => `${name}\n${output}`).join("\n");
  if (message.role === "assistant")
    return [message.text, ...message.calls.map(({ name, input }) => `${name}\n${input}`)].join("\n");
  return message.text;
}
