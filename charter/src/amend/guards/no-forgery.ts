import type { Charter } from "../../prompt/charter.ts";
import { controlTokens, isPlainlyControl } from "../../prompt/control-token.ts";
import { placesIn } from "../../prompt/forgery.ts";
import type { Place } from "../../prompt/place.ts";
import { forbiddenFor } from "../../prompt/plan.ts";
import { bringsOwnWords, type Change, type Guard, readingGuard } from "../guard.ts";
import { lineAt, lineFrom, placeNames } from "../inert-line.ts";

/**
 * Guard: refuses text that would pass for part of the prompt's structure: a heading as high as the section's own, the
 * line that separates layers, a line or tag by which the charter opens or closes a section, and HTML that hides what
 * comes after it. From agents and users it refuses control tokens of chat templates too, in code and quotes as well: a
 * tokenizer sees neither.
 *
 * Text that only some reader might take for structure is accepted, and escaped in the prompt.
 */
export function noForgery(charter: Charter): Guard {
  return readingGuard((change) => {
    if (bringsOwnWords(change)) return undefined;
    const { section } = change.placed;
    const forbidden = forbiddenFor(charter, section.name);
    const found: readonly FoundPlace[] = [
      ...placesIn(change.after, forbidden).places.filter(isRefused),
      ...newTokens(change),
    ].sort((one, other) => one.at - other.at);
    if (found.length === 0) return undefined;
    const where = found
      .slice(0, maxNamed)
      .map((place) => `${foundName(place)} on line ${lineAt(change.after, place.at)}`);
    const more = found.length > maxNamed ? `, and ${found.length - maxNamed} more` : "";
    const { level } = forbidden;
    const has = (kind: FoundPlace["what"]) => found.some(({ what }) => what === kind);
    const rule = level > 0 && has("heading") ? ` Headings in it start at ${"#".repeat(Math.min(level + 1, 6))}.` : "";
    const code =
      has("markup") || has("tag") ? " Write HTML as code, in backticks or a code block, or leave it out." : "";
    const bare = has("token") ? " Write such a token without the signs around its name, or leave it out." : "";
    const because = `“${section.name}” would hold ${where.join(", ")}${more}.${rule}${code}${bare}`;
    const places = found.slice(0, maxNamed).map(({ at }) => lineFrom(change.after, at));
    return { guard: "no-forgery", because, places };
  });
}

type FoundPlace = Pick<Place, "what" | "at"> | { readonly what: "token"; readonly at: number; readonly token: string };

function foundName(place: FoundPlace): string {
  return "token" in place ? `the control token “${place.token}” of a chat template` : placeNames[place.what];
}

/** An operator's are broken in the prompt, as are those that stand already: nobody is kept from changing what is beside them. */
function newTokens({ actor, before, after }: Change): FoundPlace[] {
  const found = actor === "operator" ? [] : controlTokens(after).filter(isPlainlyControl);
  if (found.length === 0) return [];
  const known = new Set(controlTokens(before).map(({ token }) => token));
  return found.filter(({ token }) => !known.has(token)).map((one) => ({ what: "token", ...one }));
}

/** An open fence is for `well-formed` to say: it is one in any charter. */
function isRefused({ what, certainty }: Place): boolean {
  return certainty === "sure" || (certainty === "hides" && what !== "fence");
}

/** Whoever wrote thousands of them knows by then. */
const maxNamed = 20;
