import { countCharacters } from "./character.ts";
import type { GivesWayRule } from "./charter.ts";
import type { GivingState } from "./giving-way.ts";
import type { Rendering } from "./plan.ts";
import { piecesOf } from "./rendering.ts";
import { countPiece, countPieces, type Piece, type Tokenizer } from "./tokens.ts";

/** A section as it will stand: what it says, what follows it, and, while it gives way, how. */
export type ShownSection = {
  rendering: Rendering;
  separator: string;
  giving: GivingState | undefined;
  dropped: GivesWayRule | undefined;
  /** The limit that first made it give way. */
  reason: string | undefined;
};

/** How a prompt is measured: in tokens or in characters. */
export type Measure = {
  readonly unit: "tokens" | "chars";
  /** What an amount was measured by, to know it again. */
  readonly by: unknown;
  readonly piece: (piece: Piece) => number;
  readonly pieces: (pieces: readonly Piece[]) => number;
};

/** A unit as a person calls it. */
export function unitName(unit: Measure["unit"]): "tokens" | "characters" {
  return unit === "chars" ? "characters" : unit;
}

export function inTokens(tokenizer: Tokenizer): Measure {
  return {
    unit: "tokens",
    by: tokenizer,
    piece: (piece) => countPiece(piece, tokenizer),
    pieces: (pieces) => countPieces(pieces, tokenizer),
  };
}

export const inCharacters: Measure = { unit: "chars", by: "characters", piece: characters, pieces: sumCharacters };

function characters(piece: Piece): number {
  if (piece.chars < 0) piece.chars = countCharacters(piece.text);
  return piece.chars;
}

function sumCharacters(pieces: readonly Piece[]): number {
  let sum = 0;
  for (const piece of pieces) sum += characters(piece);
  return sum;
}

/** How much a section measures, its separator included; measured once for a rendering. */
export function sizeOf({ rendering, separator }: ShownSection, measure: Measure): number {
  return sizeOfRendering(rendering, separator, measure);
}

export function sizeOfRendering(rendering: Rendering, separator: string, measure: Measure): number {
  const known = rendering.size;
  if (known !== undefined && known.by === measure.by && known.separator === separator) return known.amount;
  const amount = measure.pieces(piecesOf(rendering, separator));
  rendering.size = { by: measure.by, separator, amount };
  return amount;
}

export function sizeOfAll(sections: readonly ShownSection[], measure: Measure): number {
  let sum = 0;
  for (const one of sections) sum += sizeOf(one, measure);
  return sum;
}

/** How much the joined sections measure: the sum of each, unless a count cannot be cut between two of them. */
export function sizeTogether(sections: readonly ShownSection[], measure: Measure): number {
  let sum = 0;
  for (let index = 0; index < sections.length; index++) {
    const one = sections[index] as ShownSection;
    sum += sizeOf(one, measure);
    if (measure.unit === "tokens" && !partsFrom(one, sections[index + 1]))
      return measure.pieces(sections.flatMap(({ rendering, separator }) => piecesOf(rendering, separator)));
  }
  return sum;
}

/** May a count of tokens be cut between these two? */
function partsFrom(one: ShownSection, next: ShownSection | undefined): boolean {
  if (next === undefined) return true;
  const pieces = piecesOf(one.rendering, one.separator);
  const last = pieces[pieces.length - 1];
  const first = piecesOf(next.rendering, next.separator)[0];
  return last?.ends === true && first?.opens === true;
}
