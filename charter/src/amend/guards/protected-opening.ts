import { badArgument, isNumber, kindOf } from "../../prompt/argument.ts";
import { openingEnd } from "../../prompt/character.ts";
import { splitCompactLine } from "../../prompt/compact-line.ts";
import type { Guard } from "../guard.ts";

/**
 * Guard: keeps the first `chars` characters of the original exactly as they are, up to the end of a visible character.
 * A compact line begins with them too, unless it is the original's own: in the compact edition it is all there is.
 */
export function protectedOpening(chars: number): Guard {
  if (!isNumber(chars))
    throw badArgument(
      `The number that protectedOpening was given is ${kindOf(chars)}.`,
      "Give protectedOpening(200), in characters.",
    );
  return ({ placed: { section }, original, after }) => {
    const opening = original.slice(0, openingEnd(original, chars));
    const no = (because: string) => ({ guard: "protected-opening", because });
    if (!after.startsWith(opening)) return no(`The first ${chars} characters of “${section.name}” may not change.`);
    const line = section.compact === "line" ? splitCompactLine(after).line : undefined;
    if (line === undefined || line.startsWith(opening) || line === splitCompactLine(original).line) return undefined;
    return no(
      `The compact line of “${section.name}” would leave out its first ${chars} characters, which may not change.`,
    );
  };
}
