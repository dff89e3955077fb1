import type { Block, HandStretch } from "./document.ts";

/** What is drawn as one: a line of a block, or a piece of one that is very long. Offsets are those of the whole text. */
export type Row = {
  readonly key: string;
  readonly block: Block;
  readonly start: number;
  readonly end: number;
  /** It opens its block, closes it; opens a part of the request. */
  readonly opens: boolean;
  readonly closes: boolean;
  readonly opensPart: boolean;
  /** Of its block nothing but the heading is drawn. */
  readonly folded: boolean;
};

const maxCharacters = 2_000;

/** A document's text, cut into its lines; of blocks that are folded only the heading. */
export function rowsOf(
  text: string,
  blocks: readonly Block[],
  folded: ReadonlySet<string> = new Set(),
): readonly Row[] {
  const rows: Row[] = [];
  for (const [index, block] of blocks.entries()) {
    const opensPart = blocks[index - 1]?.part !== block.part;
    if (folded.has(block.name)) {
      const { name, start } = block;
      rows.push({ key: name, block, start, end: start, opens: true, closes: true, opensPart, folded: true });
      continue;
    }
    const end = shownEnd(text, block);
    let start = block.start;
    do {
      const opens = start === block.start;
      const next = rowEnd(text, start, end);
      const key = `${block.name}\n${start - block.start}`;
      rows.push({
        key,
        block,
        start,
        end: next,
        opens,
        closes: next >= end,
        opensPart: opens && opensPart,
        folded: false,
      });
      start = next;
    } while (start < end);
  }
  return rows;
}

/** The line ends that part a block from the next are not drawn: the rows are parted as it is. */
function shownEnd(text: string, { start, end }: Block): number {
  let shown = end;
  while (shown > start && text.charCodeAt(shown - 1) === 10) shown--;
  return shown;
}

function rowEnd(text: string, start: number, end: number): number {
  // Never looked at further than a row can reach: a text may be one line of a million characters.
  const words = text.slice(start, Math.min(end, start + maxCharacters + 1));
  const newline = words.indexOf("\n");
  if (newline !== -1 && newline < maxCharacters) return start + newline + 1;
  return words.length <= maxCharacters ? end : start + wordEnd(words);
}

/** A line that is too long ends after a space where it has one, and never inside a character. */
function wordEnd(words: string): number {
  const space = words.lastIndexOf(" ", maxCharacters - 1);
  if (space > maxCharacters / 2) return space + 1;
  const unit = words.charCodeAt(maxCharacters);
  return unit >= 0xdc00 && unit < 0xe000 ? maxCharacters - 1 : maxCharacters;
}

/** The row a place in the text is drawn in. */
export function rowAt(rows: readonly Row[], offset: number): number {
  return rows.findIndex(({ block, start, end }, index) => {
    const last = rows[index + 1]?.block !== block;
    return offset >= start && offset < (last ? block.end : end);
  });
}

/** The spans of a stretch, out of all of them in their order. */
export function spansWithin(spans: readonly HandStretch[], start: number, end: number): readonly HandStretch[] {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle] as HandStretch).end <= start) low = middle + 1;
    else high = middle;
  }
  const found: HandStretch[] = [];
  for (let at = low; at < spans.length && (spans[at] as HandStretch).start < Math.max(end, start + 1); at++)
    found.push(spans[at] as HandStretch);
  return found;
}

/** Whose line it is: the hand of most of its words. */
export function spanOfLine(spans: readonly HandStretch[], { start, end }: Pick<Row, "start" | "end">) {
  const length = (one: HandStretch) => Math.min(one.end, end) - Math.max(one.start, start);
  return spans.reduce<HandStretch | undefined>(
    (most, one) => (most === undefined || length(one) > length(most) ? one : most),
    undefined,
  );
}
