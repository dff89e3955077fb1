import { countCharacters } from "./character.ts";
import type { Rendering } from "./plan.ts";
import { piecesOf } from "./rendering.ts";
import { countPiece, countPieces, type Piece, type Tokenizer } from "./tokens.ts";

/** What a section says, and what follows it. */
export type ShownWords = { readonly rendering: Rendering; readonly separator: string };

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
export function sizeOf({ rendering, separator }: ShownWords, measure: Measure): number {
  if (rendering.sizedBy !== measure.by || rendering.separator !== separator) {
    rendering.size = measure.pieces(piecesOf(rendering, separator));
    rendering.sizedBy = measure.by;
    rendering.sizes = undefined;
  }
  return rendering.size;
}

/** How much each part of a section measures alone; measured once for a rendering. */
export function sizesOf(one: ShownWords, measure: Measure): Int32Array {
  sizeOf(one, measure);
  one.rendering.sizes ??= makeSizes(one.rendering, measure);
  return one.rendering.sizes;
}

function makeSizes({ planned, edition, parts, pieces = [] }: Rendering, measure: Measure): Int32Array {
  const first = planned.opening[edition] === "" ? 0 : 1;
  const sizes = new Int32Array(parts.length);
  for (let index = 0; index < sizes.length; index++) sizes[index] = measure.piece(pieces[first + index] as Piece);
  return sizes;
}

export function sizeOfAll(sections: readonly ShownWords[], measure: Measure): number {
  let sum = 0;
  for (const one of sections) sum += sizeOf(one, measure);
  return sum;
}

/** How much the joined sections measure: the sum of each, unless a count cannot be cut between two of them. */
export function sizeTogether(sections: readonly ShownWords[], measure: Measure): number {
  let sum = 0;
  let last: Piece | undefined;
  for (const one of sections) {
    sum += sizeOf(one, measure);
    if (measure.unit === "chars") continue;
    const pieces = one.rendering.pieces as readonly Piece[];
    if (last && !(last.ends && pieces[0]?.opens))
      return measure.pieces(sections.flatMap(({ rendering, separator }) => piecesOf(rendering, separator)));
    last = pieces[pieces.length - 1];
  }
  return sum;
}
