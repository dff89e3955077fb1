import { summaryMessage } from "../../../delivery/history.ts";
import { countCharacters } from "../../../prompt/character.ts";
import type { Tokenizer } from "../../../prompt/tokens.ts";
import type { TurnState } from "../turn-state.ts";
import { requestLimit } from "./request-limit.ts";
import { cutWithin } from "./result-room.ts";

/** With less of a history than this, in tokens, there is nothing to be summed up. */
export const leastHistory = 100;

/** What the request has left for what was said before, in tokens; no bound where that is not known. */
export function summaryRoom({ seat: { model }, progress: { size } }: Pick<TurnState, "seat" | "progress">): number {
  const limit = requestLimit(model.receiver.window);
  return limit === null || size === undefined ? Number.POSITIVE_INFINITY : limit - size.besides;
}

/** The line that tells of a cut needs room as well. */
const told = 12;

/** A summary that is longer than what it was to make room for is cut, and says so. */
export function cutSummary(summary: string, maxTokens: number, tokenizer: Tokenizer): string {
  if (tokenizer.count(summary) <= maxTokens) return summary;
  const end = cutWithin(summary, Math.max(0, maxTokens - told), tokenizer);
  return `${summary.slice(0, end)}\n(cut here: ${countCharacters(summary.slice(end))} more characters)`;
}

/**
 * All that is left of a history is a summary, and a long input leaves no room for it: it is cut to what is left, or else
 * to half of what it has. Better to know less of what was said than to say nothing more.
 */
export function shortenSummary(
  { who: { session, tokenizer }, progress }: Pick<TurnState, "who" | "progress">,
  window: number,
): boolean {
  const { baseline } = session;
  const summary = baseline?.summary;
  if (!summary) return false;
  const before = tokenizer.count(summary.text);
  const room = window - (progress.size?.besides ?? 0);
  const text = cutSummary(summary.text, room < before ? room : before / 2, tokenizer);
  if (tokenizer.count(text) >= before) return false;
  session.baseline = { ...baseline, summary: { ...summary, text } };
  session.stretches = session.stretches.map((one, index) =>
    index === 0 ? { ...one, messages: [summaryMessage(text), ...one.messages.slice(1)] } : one,
  );
  session.sentMessages = 0;
  progress.rebuildReason = "the history was compacted";
  return true;
}
