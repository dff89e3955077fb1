import type { NextRequestAnswer } from "charter/answers";
import type { Wanted } from "../../assembly/assembled.ts";

/** What the page shows: what goes out now in a conversation, or what a new conversation would get. */
export type Shown = "now" | "new";

/**
 * Which of the two: what goes out now where there is a conversation to go on with, unless the other was asked for. A time,
 * an edition or a limit to try out is only there for a new one. Undefined until it is known.
 */
export function shownOf(
  asked: string | undefined,
  { at, edition, tokens }: Wanted,
  next: Pick<NextRequestAnswer, "session"> | undefined,
  failed: boolean,
): Shown | undefined {
  if (asked === "new" || at !== undefined || edition !== undefined || tokens !== undefined) return "new";
  if (next) return next.session === null ? "new" : "now";
  return failed ? "new" : undefined;
}
