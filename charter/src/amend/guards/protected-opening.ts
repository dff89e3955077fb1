import { badArgument, isNumber, kindOf } from "../../prompt/argument.ts";
import { openingEnd } from "../../prompt/character.ts";
import type { Guard } from "../guard.ts";

/**
 * Guard: keeps the first `chars` characters of the original exactly as they are, up to the end of a visible character.
 */
export function protectedOpening(chars: number): Guard {
  if (!isNumber(chars))
    throw badArgument(
      `The number that protectedOpening was given is ${kindOf(chars)}.`,
      "Give protectedOpening(200), in characters.",
    );
  return ({ placed, original, after }) =>
    after.startsWith(original.slice(0, openingEnd(original, chars)))
      ? undefined
      : {
          guard: "protected-opening",
          because: `The first ${chars} characters of “${placed.section.name}” may not change.`,
        };
}
