import { invisible } from "../../prompt/character.ts";
import { openFence } from "../../prompt/code-block.ts";
import { bareGuard, bringsOwnWords } from "../guard.ts";
import { lineAt, lineFrom } from "../inert-line.ts";
import type { RefusedPlace } from "../refusal.ts";

/**
 * Guard: refuses text that a prompt cannot carry: broken characters, characters that hide or reorder text, code fences
 * that are not closed.
 */
export const wellFormed = bareGuard("wellFormed", (change) => {
  if (bringsOwnWords(change)) return undefined;
  const faults = placedFaults(change.after);
  if (faults.length === 0) return undefined;
  const because = `“${change.placed.section.name}” would hold ${faults.map(({ fault }) => fault).join(", and ")}.`;
  return { guard: "well-formed", because, places: faults.map(({ place }) => place) };
});

export function textFaults(text: string): string[] {
  return placedFaults(text).map(({ fault }) => fault);
}

type PlacedFault = { readonly fault: string; readonly place: RefusedPlace };

function placedFaults(text: string): PlacedFault[] {
  const faults: PlacedFault[] = [];
  const sign = (at: number, length = 1) => ({ at, end: at + length, line: lineAt(text, at) });
  if (!text.isWellFormed())
    faults.push({ fault: "half a character (a lone surrogate)", place: sign(text.search(/\p{Surrogate}/u)) });
  const control = invisibleIn(text);
  if (control !== undefined) {
    const point = text.codePointAt(control) ?? 0;
    const fault = `the invisible character U+${point.toString(16).toUpperCase().padStart(4, "0")} at ${control}`;
    faults.push({ fault, place: sign(control, point > 0xffff ? 2 : 1) });
  }
  const open = openFence(text);
  if (open !== undefined) {
    const place = lineFrom(text, open);
    faults.push({ fault: `a code fence that is never closed (line ${place.line})`, place });
  }
  return faults;
}

/** Line ends and tabs are seen; what joins emoji is part of them; the rest has no business in a prompt. */
function invisibleIn(text: string): number | undefined {
  const hidden = new RegExp(invisible.source, "gu");
  for (const found of text.matchAll(hidden)) {
    if (found[0] === "\r" && text[found.index + 1] === "\n") continue;
    return found.index;
  }
  return undefined;
}
