import type { Guard } from "../guard.ts";

/** Guard: limits how many amendments an agent may make in one turn. */
export function turnQuota(perTurn: number): Guard {
  return ({ actor, turn }) =>
    actor !== "agent" || turn.amendments < perTurn
      ? undefined
      : {
          guard: "turn-quota",
          because: `This turn has made ${turn.amendments} of the ${perTurn} amendment${perTurn === 1 ? "" : "s"} it may make.`,
        };
}
