import type { SentSlot } from "charter";

/** A stretch of a slot's text, and which section, source and revision wrote it. */
export type Stretch = {
  readonly start: number;
  readonly end: number;
  readonly section: string;
  readonly layer: string;
  readonly mutability: "fixed" | "amendable" | "live";
  readonly source: string;
  readonly revision: number | null;
  readonly trust: "own" | "user" | "foreign";
  readonly part?: string | undefined;
};

/** The receipt names the sections of a slot in order, and how long each of their spans is: they cover its text. */
export function stretchesOf({ sections }: Pick<SentSlot, "sections">): readonly Stretch[] {
  let at = 0;
  return sections.flatMap(({ name, layer, mutability, spans }) =>
    spans.flatMap(({ length, source, revision, trust, part }): Stretch[] => {
      const start = at;
      at += length;
      if (length === 0) return [];
      return [{ start, end: at, section: name, layer, mutability, source, revision, trust, part }];
    }),
  );
}

/** A piece of the text that is shown, and the stretch it belongs to; none where the receipt says nothing. */
export type Piece = { readonly text: string; readonly start: number; readonly stretch: Stretch | undefined };

/** What stands between two places of the text, cut where one stretch ends and the next begins. */
export function piecesOf(text: string, stretches: readonly Stretch[], from: number, to: number): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = from;
  for (let index = firstAfter(stretches, from); at < to; index++) {
    const stretch = stretches[index];
    const start = Math.min(to, stretch?.start ?? to);
    if (at < start) pieces.push({ text: text.slice(at, start), start: at, stretch: undefined });
    if (!stretch || stretch.start >= to) break;
    const begin = Math.max(at, start);
    const end = Math.min(to, stretch.end);
    pieces.push({ text: text.slice(begin, end), start: begin, stretch });
    at = end;
  }
  return pieces;
}

function firstAfter(stretches: readonly Stretch[], from: number): number {
  let low = 0;
  let high = stretches.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((stretches[middle] as Stretch).end <= from) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where the text may be parted so that it is laid out bit by bit: after a line's end, where there is one. */
export function partsOf(text: string, size: number): readonly (readonly [from: number, to: number])[] {
  const parts: [number, number][] = [];
  for (let at = 0; at < text.length; ) {
    const line = text.length - at <= size ? text.length : text.lastIndexOf("\n", at + size) + 1;
    const hard = at + size - (isHigh(text, at + size - 1) ? 1 : 0);
    const end = line > at ? line : hard;
    parts.push([at, end]);
    at = end;
  }
  return parts;
}

/** Half of a character stands here, and the other half after it. */
function isHigh(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit <= 0xdbff;
}
