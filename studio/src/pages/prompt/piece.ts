import type { Span } from "charter";
import type { Stretch } from "./word/word.ts";

/** A stretch of a row that looks the same from end to end. */
export type Piece = Stretch & {
  readonly span: Span | undefined;
  readonly mark: Mark["kind"] | undefined;
  /** It is none of the section's own words: what parts it from the next. */
  readonly apart: boolean;
};

/** What is marked in the text: the word that was asked about, words that were looked for, and the one of them stepped to. */
export type Mark = Stretch & { readonly kind: "word" | "hit" | "here" };

/**
 * A row in pieces, by the spans that wrote it and what is marked in it, and at `gap`, where its section's own words end.
 * Where marks overlap the later one is seen.
 */
export function piecesOf(
  row: Stretch,
  spans: readonly Span[],
  marks: readonly Mark[],
  gap: number = row.end,
): readonly Piece[] {
  const inside = (one: Stretch) => one.start < row.end && one.end > row.start;
  const [ownSpans, ownMarks] = [spans.filter(inside), marks.filter(inside)];
  const cuts = new Set([row.start, Math.min(Math.max(gap, row.start), row.end), row.end]);
  for (const { start, end } of [...ownSpans, ...ownMarks]) {
    if (start > row.start) cuts.add(start);
    if (end < row.end) cuts.add(end);
  }
  const places = [...cuts].sort((one, other) => one - other);
  const holds = (one: Stretch, at: number) => one.start <= at && one.end > at;
  return places.slice(0, -1).map((start, index) => ({
    start,
    end: places[index + 1] as number,
    span: ownSpans.find((span) => holds(span, start)),
    mark: ownMarks.findLast((mark) => holds(mark, start))?.kind,
    apart: start >= gap,
  }));
}

/** Pieces that one hand wrote stand together, whatever is marked in them. */
export function stretchesOf(pieces: readonly Piece[]): readonly (readonly [Piece, ...Piece[]])[] {
  const stretches: [Piece, ...Piece[]][] = [];
  for (const piece of pieces) {
    const last = stretches.at(-1);
    if (last && last[0].span === piece.span && last[0].apart === piece.apart) last.push(piece);
    else stretches.push([piece]);
  }
  return stretches;
}
