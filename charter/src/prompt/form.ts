import { toldText } from "./cut.ts";
import type { Part } from "./part.ts";
import type { PlannedSection } from "./plan.ts";
import { createPiece, type Piece } from "./tokens.ts";

export function canShorten({ short, text }: Part): boolean {
  return short !== undefined && short.length < text.length;
}

/** A part in its short form. */
export function shortOf(planned: PlannedSection, part: Part): Part {
  return part.short === undefined || part.short === part.text ? part : formOf(planned, part, part.short);
}

/** A part with other words: one object for one part and its words, so that what was counted for it is found again. */
function formOf(planned: PlannedSection, part: Part, text: string): Part {
  const known = planned.forms.get(part);
  if (known?.text === text) return known;
  const form = { ...part, text };
  planned.forms.set(part, form);
  return form;
}

/** The line that tells the model of a cut, as a part of the section it stands in: one part for one text. */
export function toldPart({ told: known }: PlannedSection, told: string, kept: number, missing: number): Part {
  // No text has a NUL: what begins with one is another name for a part, by which it is found before its text is made.
  const numbers = `\0${kept} ${missing} ${told}`;
  let part = known.get(numbers);
  if (part) return part;
  const text = toldText(told, kept, missing);
  if (known.size > 2000) known.clear();
  part = known.get(text) ?? { text, kind: "told", source: "charter", trust: "own" };
  known.set(text, part).set(numbers, part);
  return part;
}

/** A part's piece: one object for one part, so that what was counted for it is found again. */
export function pieceFor(planned: PlannedSection, part: Part, shown: string, gap: string): Piece {
  const newest = planned.pieces.get(part);
  for (let piece = newest; piece !== undefined; piece = piece.other)
    if (piece.gap === gap && piece.shown === shown) return piece;
  const piece = createPiece(shown, gap, newest);
  planned.pieces.set(part, piece);
  return piece;
}
