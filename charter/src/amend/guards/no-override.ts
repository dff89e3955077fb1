import type { Charter } from "../../prompt/charter.ts";
import { bringsOwnWords, type Guard } from "../guard.ts";
import { lineAt } from "../inert-line.ts";
import { type HigherSections, higherThan } from "../override/higher.ts";
import { findOverride } from "../override/override.ts";

/**
 * Guard: refuses new text that tells the model to ignore earlier layers. It is advisory: docs/override-screen.md has
 * its error rates.
 */
export function noOverride(charter: Charter): Guard {
  const known = new Map<string, HigherSections>();
  return (change) => {
    if (bringsOwnWords(change)) return undefined;
    const { after, before, placed } = change;
    const higher = known.get(placed.section.name) ?? higherThan(charter, placed.section);
    known.set(placed.section.name, higher);
    for (let from = 0; ; ) {
      const found = findOverride(after.slice(from), higher);
      if (!found) return undefined;
      const words = after.slice(from + found.start, from + found.end);
      if (before.includes(words)) {
        from += Math.max(found.end, 1);
        continue;
      }
      const shown = words.replace(/\s+/g, " ");
      const because = `“${placed.section.name}” would tell the model to override earlier layers: “${shown}” (at ${from + found.start}).`;
      const [at, end] = [from + found.start, from + found.end];
      return { guard: "no-override", because, places: [{ at, end, line: lineAt(after, at) }] };
    }
  };
}
