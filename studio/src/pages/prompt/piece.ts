import type { HandStretch } from "./document.ts";
import type { Stretch } from "./word/word.ts";

/** A stretch of a row that looks the same from end to end. */
export type Piece = Stretch & {
  readonly span: HandStretch | undefined;
  /** It is new since an earlier request; a smaller limit leaves it out; it was looked for, or asked about. */
  readonly marks: readonly Mark["kind"][];
};

export type Mark = Stretch & { readonly kind: "new" | "cut" | "word" | "hit" | "here" };

/** A row in pieces, by the spans that wrote it and what is marked in it. */
export function piecesOf(row: Stretch, spans: readonly HandStretch[], marks: readonly Mark[]): readonly Piece[] {
  const inside = (one: Stretch) => one.start < row.end && one.end > row.start;
  const [ownSpans, ownMarks] = [spans.filter(inside), marks.filter(inside)];
  const cuts = new Set([row.start, row.end]);
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
    marks: [...new Set(ownMarks.filter((mark) => holds(mark, start)).map(({ kind }) => kind))],
  }));
}
