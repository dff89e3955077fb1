import type { Cut, Omission } from "../../prompt/plan.ts";
import { counted, grouped } from "../../prompt/problem.ts";

/** How much of a section is kept and missing: “2 facts kept, 1 missing”. */
export const cutText = ({ kept, missing, unit }: Pick<Cut, "kept" | "missing" | "unit">): string =>
  `${counted(kept, ...namesOf(unit))} kept, ${grouped(missing)} missing`;

/** Kinds of parts are named in the singular, and characters and parts without a name in the plural. */
function namesOf(unit: string): [one: string, several: string] {
  if (unit.endsWith("s")) return [unit.slice(0, -1), unit];
  return [unit, unit.endsWith("y") ? `${unit.slice(0, -1)}ies` : `${unit}s`];
}

const reasons = { empty: "empty", unavailable: "could not be read", "not-in-edition": "not in this edition" } as const;

/** The sections that are not in a prompt, and why. One that was trimmed away is listed as a cut, and not here again. */
export function leftOut(omitted: readonly Omission[]): string[] {
  return omitted.flatMap(({ name, reason }) => (reason === "gave-way" ? [] : [`${name}: ${reasons[reason]}`]));
}
