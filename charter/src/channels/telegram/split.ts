import type { CodeFence } from "./code-fence.ts";
import { graphemeAt, splitPointOf } from "./split-point.ts";

/** The most a message of Telegram may hold, in UTF-16 units. */
export const maxMessageLength = 4096;

/**
 * Splits a text into messages of at most `max` UTF-16 units, where a reader would: after a paragraph, a line, a
 * sentence or a word. Nothing is lost but white space at the ends; a code fence that has to be cut is closed and opened
 * again. For channels of your own with a length limit.
 */
export function splitMessage(text: string, max: number = maxMessageLength): string[] {
  const messages: string[] = [];
  let left: Left = { text, open: undefined };
  while (left.text !== "") {
    const { text, open } = left;
    const opening = open ? `${open.opener}\n` : "";
    const { end, fence } = splitPointOf({ text, open, room: max - opening.length, max });
    const words = text.slice(0, end);
    const closing = fence ? `${words.endsWith("\n") ? "" : "\n"}${fence.closer}` : "";
    const message = `${opening}${words}${closing}`.trimEnd();
    if (message.trim() !== "") messages.push(message);
    left = fence ? codeLeft(text, end, fence) : wordsLeft(text.slice(end));
  }
  return messages;
}

type Left = { readonly text: string; readonly open: CodeFence | undefined };

/** White space at the cut goes, but not the indentation of the next line, nor a space that carries a mark. */
function wordsLeft(text: string): Left {
  const lines = text.replace(/^(?:[^\S\n]*\n)+/, "");
  const spaces = lines === text ? (/^[^\S\n]*/.exec(text)?.[0].length ?? 0) : 0;
  return { text: lines.slice(graphemeAt(lines, spaces)), open: undefined };
}

/** All of a code block stays, but for the line that closes it where that was written already. */
function codeLeft(text: string, end: number, fence: CodeFence): Left {
  const inLine = text[end - 1] !== "\n" && !/^\r?\n/.test(text.slice(end, end + 2));
  const code = text[end - 1] === "\n" ? text.slice(end) : text.slice(end).replace(/^\r?\n/, "");
  const [line = ""] = /^[^\n]*/.exec(code) ?? [];
  if (inLine || line.trim() !== fence.closer.trim()) return { text: code, open: fence };
  return wordsLeft(code.slice(line.length));
}
