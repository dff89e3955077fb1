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
export function toldPart(planned: PlannedSection, told: string, kept: number, missing: number): Part {
  const text = toldText(told, kept, missing);
  let part = planned.told.get(text);
  if (!part) {
    part = { text, kind: "told", source: "charter", trust: "own" };
    if (planned.told.size > 1000) planned.told.clear();
    planned.told.set(text, part);
  }
  return part;
}

/** A part's piece: one object for one part, so that what was counted for it is found again. */
export function pieceFor(planned: PlannedSection, part: Part, shown: string, gap: string): Piece {
  let known = planned.pieces.get(part);
  if (!known) {
    known = [];
    planned.pieces.set(part, known);
  }
  for (const piece of known) if (piece.gap === gap && piece.shown === shown) return piece;
  const piece = createPiece(shown, gap);
  known.push(piece);
  return piece;
}
