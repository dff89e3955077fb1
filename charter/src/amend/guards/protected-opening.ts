import { openingEnd } from "../../prompt/character.ts";
import type { Guard } from "../guard.ts";

/**
 * Guard: keeps the first `chars` characters of the original exactly as they are, up to the end of a visible character.
 */
export function protectedOpening(chars: number): Guard {
  return ({ placed, original, after }) =>
    after.startsWith(original.slice(0, openingEnd(original, chars)))
      ? undefined
      : {
          guard: "protected-opening",
          because: `The first ${chars} characters of “${placed.section.name}” may not change.`,
        };
}
