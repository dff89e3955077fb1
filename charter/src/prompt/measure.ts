import { countCharacters } from "./character.ts";
import type { Rendering } from "./plan.ts";
import { piecesOf } from "./rendering.ts";
import { countPiece, countPieces, type Piece, type Tokenizer } from "./tokens.ts";

/** What a section says and what follows it; how much that measures, and whether a count may be cut before and after. */
export type ShownWords = {
  rendering: Rendering;
  separator: string;
  size: number;
  opens: boolean;
  ends: boolean;
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

/** How much a rendering measures with this separator; measured once. */
export function sizeOf(rendering: Rendering, separator: string, measure: Measure): number {
  if (rendering.sizedBy !== measure.by || rendering.separator !== separator) {
    rendering.size = measure.pieces(piecesOf(rendering, separator));
    rendering.sizedBy = measure.by;
  }
  return rendering.size;
}

export function measureSection(one: ShownWords, measure: Measure): void {
  const { rendering } = one;
  one.size = sizeOf(rendering, one.separator, measure);
  one.opens = rendering.opens;
  one.ends = rendering.ends;
}

/** How much sections that were measured do, one by one. */
export function sizeOfAll(sections: readonly ShownWords[]): number {
  let sum = 0;
  for (const { size } of sections) sum += size;
  return sum;
}

/** How much they measure when they are joined: the sum, unless a count cannot be cut between two of them. */
export function sizeTogether(sections: readonly ShownWords[], measure: Measure): number {
  let last: ShownWords | undefined;
  for (const one of sections) {
    if (measure.unit === "tokens" && last !== undefined && !(last.ends && one.opens))
      return measure.pieces(sections.flatMap(({ rendering, separator }) => piecesOf(rendering, separator)));
    last = one;
  }
  return sizeOfAll(sections);
}

export function measureTogether(sections: readonly ShownWords[], measure: Measure): number {
  for (const one of sections) measureSection(one, measure);
  return sizeTogether(sections, measure);
}
