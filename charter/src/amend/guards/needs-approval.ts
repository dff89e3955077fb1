import type { Guard } from "../guard.ts";

/** What an agent proposes with foreign words in its context waits for a person. A user's own hand does not. */
export const needsApproval: Guard = ({ actor, turn }) =>
  actor === "agent" && turn.tainted
    ? {
        guard: "needs-approval",
        because: "Foreign words were in this turn's context, so a person must approve what it changes.",
        holds: true,
      }
    : undefined;
