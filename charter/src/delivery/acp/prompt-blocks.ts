import type { Message } from "../model.ts";
import { withoutForgedSystem } from "./forged-system.ts";
import { type TextBlock, textBlock } from "./session-fields.ts";

/** What one `session/prompt` is made of. */
type PromptParts = {
  /** The identity, where the first message is its slot. */
  readonly opening?: string | undefined;
  readonly recap?: string | undefined;
  readonly send: readonly Message[];
  /** The session's instructions opened with `[System]`: nobody else's line may read as that. */
  readonly opensWithSystem: boolean;
};

/**
 * The text blocks of a prompt, one a message. Agents may join them without a gap, so each but the last ends with an empty
 * line. A slash at the start of the user's words would be a command of the agent's own; it is made inert.
 */
export function promptBlocks({ opening, recap, send, opensWithSystem }: PromptParts): TextBlock[] {
  const plain = (words: string) => (opensWithSystem ? withoutForgedSystem(words) : words);
  const texts = [
    ...(opening === undefined ? [] : [opening]),
    ...(recap === undefined ? [] : [plain(recap)]),
    ...send.map((message) => plain(withoutCommand(textOf(message)))),
  ].filter((text) => text !== "");
  return texts.map((text, index) => textBlock(index < texts.length - 1 ? `${text.replace(/\n{0,2}$/, "")}\n\n` : text));
}

function textOf(message: Message): string {
  return message.role === "tool" ? message.results.map(({ output }) => output).join("\n\n") : message.text;
}

function withoutCommand(words: string): string {
  return words.replace(/^([\s\p{Cf}\p{DI}]*)\//u, "$1\\/");
}
