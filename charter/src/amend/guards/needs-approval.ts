import { bareGuard } from "../guard.ts";
import { addsOwnWords } from "../own-words.ts";
import { isShared } from "./permission.ts";

/**
 * Guard: an agent's proposal waits for a person while untrusted text is in its context. A user's or operator's own change does
 * not; nor does one that only adds what the user has just typed to a text that is theirs alone. `amend` asks it of every change.
 */
export const needsApproval = bareGuard("needsApproval", (change) => {
  const { actor, turn, placed } = change;
  if (actor !== "agent" || !turn.tainted || (!isShared(placed) && addsOwnWords(change, turn.typed))) return undefined;
  return {
    guard: "needs-approval",
    because:
      turn.taintedBy === undefined
        ? "Untrusted text was in this turn's context, so a person must approve what it changes."
        : `A person must approve this change, because ${turn.taintedBy}.`,
    holds: true,
  };
});
