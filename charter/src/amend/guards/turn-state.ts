import { badArgument, isList, kindOf } from "../../prompt/argument.ts";
import type { Guard } from "../guard.ts";

/** Guard: an agent may amend only while its loop is in one of these states. */
export function turnState(allowed: readonly string[]): Guard {
  if (!isList(allowed))
    throw badArgument(
      `The list that turnState was given is ${kindOf(allowed)}.`,
      'Give the states it allows: turnState(["ExecutingActions"]).',
    );
  return ({ actor, turn }) =>
    actor !== "agent" || allowed.includes(turn.state)
      ? undefined
      : {
          guard: "turn-state",
          because: `The agent amends only while ${allowed.join(" or ")}; it is ${turn.state}.`,
        };
}
