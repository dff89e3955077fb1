import type { Guard } from "../guard.ts";

/** So many amendments a turn, by the agent's own hand. */
export function turnQuota(perTurn: number): Guard {
  return ({ actor, turn }) =>
    actor !== "agent" || turn.amendments < perTurn
      ? undefined
      : {
          guard: "turn-quota",
          because: `This turn has made ${turn.amendments} of the ${perTurn} amendment${perTurn === 1 ? "" : "s"} it may make.`,
        };
}
