import { badArgument, isList } from "../prompt/argument.ts";
import type { Sha256 } from "../prompt/prompt.ts";
import { type Amendment, amendmentDigest } from "./amendment.ts";

/** The text a history comes to, and the first revision that does not follow from the one before, if there is one. */
export type ReplayResult = {
  readonly text: string;
  readonly revision: number;
  readonly fault?: { readonly revision: number; readonly what: "missing" | "edited" | "reordered" };
};

/**
 * Replays a section's history from its original and checks every digest. It stops at the first amendment that does not
 * follow from the one before.
 */
export function replay(original: string, history: readonly Amendment[], sha256: Sha256): ReplayResult {
  if (!isList(history) || typeof sha256 !== "function")
    throw badArgument(
      "replay was given no history, or no sha256.",
      "Give replay(original, amendments, sha256), oldest first.",
    );
  let text = original;
  let previous = sha256(original);
  for (const [index, amendment] of history.entries()) {
    const revision = index + 1;
    const stop = (what: "missing" | "edited" | "reordered") => ({ text, revision: index, fault: { revision, what } });
    if (amendment.revision > revision && history.every((other) => other.revision !== revision)) return stop("missing");
    if (amendment.revision !== revision) return stop("reordered");
    if (amendment.digest !== amendmentDigest(amendment, sha256)) return stop("edited");
    if (amendment.previous !== previous || amendment.before !== text) return stop("edited");
    text = amendment.after;
    previous = amendment.digest;
  }
  return { text, revision: history.length };
}

/** The newest words that are still valid: what stands when the newest are not (a tampered row, a lowered limit). */
export function newestValid(
  original: string,
  history: readonly Amendment[],
  valid: (text: string) => boolean,
): { readonly text: string; readonly revision: number } {
  const good = history.findLast(({ after }) => valid(after));
  return good ? { text: good.after, revision: good.revision } : { text: original, revision: 0 };
}
