import type { Cut, Omission } from "charter";
import { count, plural } from "../../kit/words.ts";

/** What was trimmed of a section, in words that go on after its name. */
export function cutWords({ form, kept, missing, unit }: Cut): string {
  const all = kept + missing;
  if (form === "dropped") return missing === 1 ? "is left out" : `is left out: all ${plural(all, ...named(unit))}`;
  if (form === "compact" && unit === "characters")
    return `uses its short form: ${count(kept)} of ${plural(all, "character")}`;
  if (unit === "characters") return `shows its first ${count(kept)} of ${plural(all, "character")}`;
  if (form === "shortened") return `shortened ${count(missing)} of ${plural(all, ...named(unit))}`;
  return `lost ${count(missing)} of ${plural(all, ...named(unit))}`;
}

/** Kinds of parts are named in the singular, and “parts” where they have no name. */
function named(unit: string): [one: string, many: string] {
  if (unit === "parts") return ["part", "parts"];
  return [unit, unit.endsWith("y") ? `${unit.slice(0, -1)}ies` : unit.endsWith("s") ? unit : `${unit}s`];
}

/** Why a section is not in the prompt, in plain words that go on after its name. */
export function omissionWords({ reason }: Omission): string {
  return {
    empty: "is empty",
    unavailable: "could not be read",
    "gave-way": "was trimmed to fit",
    "not-in-edition": "is not in the compact edition",
  }[reason];
}
