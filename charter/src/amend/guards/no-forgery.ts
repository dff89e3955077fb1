import { type Charter, separatorLines, separatorsAreRules } from "../../prompt/charter.ts";
import { forgeries } from "../../prompt/inert.ts";
import { headingLevel } from "../../prompt/section.ts";
import { bringsOwnWords, type Guard } from "../guard.ts";

/**
 * Refuses words that would pass for structure: a heading as high as the section's own, or the rule that parts layers.
 *
 * Ruled by level, not by a list of names: any name list is beaten by the next name.
 */
export function noForgery(charter: Charter): Guard {
  const rules = separatorsAreRules(charter);
  const lines = separatorLines(charter);
  return (change) => {
    if (bringsOwnWords(change)) return undefined;
    const { section } = change.placed;
    const level = headingLevel(section);
    const found = forgeries(change.after, { level, rules, lines }).filter(({ what }) => what !== "open-fence");
    if (found.length === 0) return undefined;
    const where = found.slice(0, mostNamed).map(({ what, at }) => `a ${what} on line ${lineAt(change.after, at)}`);
    const more = found.length > mostNamed ? `, and ${found.length - mostNamed} more` : "";
    const rule = level > 0 ? ` Headings in it start at ${"#".repeat(Math.min(level + 1, 6))}.` : "";
    return { guard: "no-forgery", because: `“${section.name}” would hold ${where.join(", ")}${more}.${rule}` };
  };
}

/** Whoever wrote thousands of them knows by then. */
const mostNamed = 20;

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}
