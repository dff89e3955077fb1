import { allSections, type Charter } from "../../prompt/charter.ts";
import { bringsOwnWords, type Guard, readingGuard } from "../guard.ts";
import { lineAt } from "../inert-line.ts";
import { type HigherSections, higherThan } from "../override/higher.ts";
import { findOverrides } from "../override/override.ts";

/**
 * Guard: refuses new text that tells the model to ignore earlier layers. It is advisory: docs/override-screen.md has
 * its error rates.
 */
export function noOverride(charter: Charter): Guard {
  allSections(charter);
  const known = new Map<string, HigherSections>();
  return readingGuard((change) => {
    if (bringsOwnWords(change)) return undefined;
    const { after, before, placed } = change;
    const higher = known.get(placed.section.name) ?? higherThan(charter, placed.section);
    known.set(placed.section.name, higher);
    const standing = new Set<string>();
    for (const { start, end } of findOverrides(after, higher)) {
      const words = after.slice(start, end);
      if (standing.has(words) || before.includes(words)) {
        standing.add(words);
        continue;
      }
      const shown = words.replace(/\s+/g, " ");
      const because = `“${placed.section.name}” would tell the model to override earlier layers: “${shown}” (at ${start}).`;
      return { guard: "no-override", because, places: [{ at: start, end, line: lineAt(after, start) }] };
    }
    return undefined;
  });
}
