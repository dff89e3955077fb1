import { invisible } from "../../prompt/character.ts";
import { openFence } from "../../prompt/code-block.ts";
import { bringsOwnWords, type Guard } from "../guard.ts";
import { lineAt } from "../inert-line.ts";

/**
 * Guard: refuses text that a prompt cannot carry: broken characters, characters that hide or reorder text, code fences
 * that are not closed.
 */
export const wellFormed: Guard = (change) => {
  if (bringsOwnWords(change)) return undefined;
  const faults = textFaults(change.after);
  if (faults.length === 0) return undefined;
  return { guard: "well-formed", because: `“${change.placed.section.name}” would hold ${faults.join(", and ")}.` };
};

export function textFaults(text: string): string[] {
  const faults: string[] = [];
  if (!text.isWellFormed()) faults.push("half a character (a lone surrogate)");
  const control = invisibleIn(text);
  if (control !== undefined)
    faults.push(
      `the invisible character U+${(text.codePointAt(control) ?? 0).toString(16).toUpperCase().padStart(4, "0")} at ${control}`,
    );
  const open = openFence(text);
  if (open !== undefined) faults.push(`a code fence that is never closed (line ${lineAt(text, open)})`);
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
