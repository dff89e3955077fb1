import { characterIndex, countCharacters } from "../../../prompt/character.ts";
import type { Tokenizer } from "../../../prompt/tokens.ts";
import type { TurnView } from "../turn-state.ts";
import { requestLimit } from "./request-limit.ts";

/** The name of the tool that reads on in a result that was shortened. */
export const readResultName = "read_result";

/** However little is left, so many tokens of a result are shown. */
const least = 100;

/**
 * How many tokens the next result may have: the results of one answer get half of what compaction can make room for.
 * Infinite where the window is not known.
 */
export function resultRoom({ seat: { model }, progress }: Pick<TurnView, "seat" | "progress">): number {
  const limit = requestLimit(model.receiver.window);
  if (limit === null || progress.size === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(least, Math.floor((limit - progress.size.besides) / 2) - progress.resultTokens);
}

/** The end of the longest beginning that has at most so many tokens, at a line end where one is near. */
export function cutWithin(text: string, maxTokens: number, tokenizer: Tokenizer): number {
  if (tokenizer.count(text) <= maxTokens) return text.length;
  let [fits, over] = [0, text.length];
  while (over - fits > 16) {
    const middle = Math.floor((fits + over) / 2);
    if (tokenizer.count(text.slice(0, middle)) <= maxTokens) fits = middle;
    else over = middle;
  }
  const line = text.lastIndexOf("\n", fits - 1) + 1;
  if (line > fits / 2) return line;
  // Never between the halves of a character.
  return characterIndex(text, countCharacters(text.slice(0, fits)));
}

/** Says at the end of a piece how much is missing, and what to call for it. Nothing, where nothing is missing. */
export function toldRest(of: string, text: string, end: number): string {
  const missing = countCharacters(text.slice(end));
  if (missing === 0) return "";
  const input = JSON.stringify({ of, from: end });
  return `${text[end - 1] === "\n" ? "" : "\n"}(cut here: ${missing} more characters; ${readResultName} ${input} reads on)`;
}
