import type { Placed } from "../../assembly/placed.ts";

/** What is drawn as one: a section's words, or a stretch of them where they are many. Offsets are those of the whole text. */
export type Row = {
  readonly key: string;
  readonly section: Placed;
  readonly start: number;
  readonly end: number;
  /** Lines in it, as they are written. */
  readonly lines: number;
  /** It opens its section, closes it; opens what stands behind the cached prefix. */
  readonly opens: boolean;
  readonly closes: boolean;
  readonly opensTail: boolean;
};

const maxLines = 24;
const maxCharacters = 2_000;

/** A prompt's text, cut into rows that are short enough to be drawn one by one, at line ends wherever there are any. */
export function rowsOf(text: string, sections: readonly Placed[]): readonly Row[] {
  const rows: Row[] = [];
  let tail = false;
  for (const section of sections) {
    const opensTail = section.tail && !tail;
    tail ||= section.tail;
    const end = shownEnd(text, section);
    let start = section.start;
    do {
      const opens = start === section.start;
      const [next, lines] = rowEnd(text, start, end);
      const key = `${section.name}\n${start - section.start}`;
      rows.push({ key, section, start, end: next, lines, opens, closes: next >= end, opensTail: opens && opensTail });
      start = next;
    } while (start < end);
  }
  return rows;
}

/** The line ends that part a section from the next are not drawn: the rows are parted as it is. */
function shownEnd(text: string, { start, end }: Placed): number {
  let shown = end;
  while (shown > start && text.charCodeAt(shown - 1) === 10) shown--;
  return shown;
}

function rowEnd(text: string, start: number, end: number): [end: number, lines: number] {
  // Never looked at further than a row can reach: a text may be one line of a million characters.
  const words = text.slice(start, Math.min(end, start + maxCharacters + 1));
  const whole = start + words.length === end;
  let lines = 0;
  for (let at = 0; lines < maxLines; lines++) {
    const newline = words.indexOf("\n", at);
    if (newline === -1) {
      if (whole && words.length <= maxCharacters) return [end, lines + 1];
      return at > 0 ? [start + at, lines] : [start + wordEnd(words), 1];
    }
    at = newline + 1;
    if (lines + 1 === maxLines || start + at === end) return [start + at, lines + 1];
  }
  return [end, lines];
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
  return rows.findIndex(({ section, start, end }, index) => {
    const last = rows[index + 1]?.section !== section;
    return offset >= start && offset < (last ? section.end : end);
  });
}
