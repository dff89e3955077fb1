import { badArgument, isNumber, kindOf } from "../../prompt/argument.ts";
import type { Guard } from "../guard.ts";

/** Guard: limits how many amendments an agent may make in one turn. */
export function turnQuota(perTurn: number): Guard {
  if (!isNumber(perTurn))
    throw badArgument(`The number that turnQuota was given is ${kindOf(perTurn)}.`, "Give turnQuota(3).");
  return ({ actor, turn }) =>
    actor !== "agent" || turn.amendments < perTurn
      ? undefined
      : {
          guard: "turn-quota",
          because: `This turn has made ${turn.amendments} of the ${perTurn} amendment${perTurn === 1 ? "" : "s"} it may make.`,
        };
}
