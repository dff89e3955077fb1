import { bareGuard } from "../guard.ts";

/**
 * Guard: what an agent proposes while untrusted text is in its context waits for a person. A user's or operator's own
 * change does not.
 */
export const needsApproval = bareGuard("needsApproval", ({ actor, turn }) =>
  actor === "agent" && turn.tainted
    ? {
        guard: "needs-approval",
        because:
          turn.taintedBy === undefined
            ? "Untrusted text was in this turn's context, so a person must approve what it changes."
            : `A person must approve this change, because ${turn.taintedBy}.`,
        holds: true,
      }
    : undefined,
);
