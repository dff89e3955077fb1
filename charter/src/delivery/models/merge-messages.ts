import type { Message, ToolResult } from "../model.ts";

type SentMessage = Message & { readonly breakpoint?: true };

/**
 * The messages of a request for a model whose chat template lets only user and assistant alternate, the user first: what
 * one role said in a row is one message, and what speaks for the system does so in the user's role. No word is left out.
 * What comes after the results of tools is said with the last of them: to such a template a user may not follow.
 */
export function mergeMessages(messages: readonly SentMessage[]): SentMessage[] {
  const merged: SentMessage[] = [];
  for (const message of messages) {
    const next: SentMessage = message.role === "system" ? { ...message, role: "user" } : message;
    const last = merged.at(-1);
    const joined = last && joinMessages(last, next);
    if (joined) merged[merged.length - 1] = joined;
    else if (!last && next.role === "assistant") merged.push({ role: "user", text: nothingSaid }, next);
    else merged.push(next);
  }
  return merged;
}

/** Stands where a conversation begins with the assistant's own words: a message that a schedule sent. */
const nothingSaid = "(Nothing was said before this.)";

function joinMessages(last: SentMessage, next: SentMessage): SentMessage | undefined {
  const mark = next.breakpoint ? { breakpoint: next.breakpoint } : {};
  const { breakpoint: _mark, ...first } = last;
  if (first.role === "user" && next.role === "user")
    return { ...first, text: joinWords(first.text, next.text), ...bothAttachments(first, next), ...mark };
  // Pictures have no place in a tool's result.
  if (first.role === "tool" && next.role === "user" && !next.attachments)
    return { ...first, results: withWords(first.results, next.text), ...mark };
  if (first.role === "tool" && next.role === "tool")
    return { ...first, results: [...first.results, ...next.results], ...mark };
  // What is native to an answer holds for that answer alone; one with calls is followed by their results.
  if (first.role === "assistant" && next.role === "assistant" && first.calls.length === 0)
    return { role: "assistant", text: joinWords(first.text, next.text), calls: next.calls, ...mark };
  return undefined;
}

type UserMessage = Extract<Message, { role: "system" | "user" }>;

function bothAttachments(first: UserMessage, next: UserMessage): Pick<UserMessage, "attachments"> {
  const attachments = [...(first.attachments ?? []), ...(next.attachments ?? [])];
  return attachments.length > 0 ? { attachments } : {};
}

function joinWords(...texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}

function withWords(results: readonly ToolResult[], text: string): ToolResult[] {
  const last = results.length - 1;
  return results.map((result, index) =>
    index === last ? { ...result, output: `${result.output}\n\n${text}` } : result,
  );
}
