import { type Heading, headings } from "./passage.ts";

/** A text whose headings all stand below a level, and how many were moved there. */
type LoweredText = { readonly text: string; readonly lowered: number };

/**
 * Moves the headings of a text down until none is as high as `level`; how they stand to each other stays, as far as
 * six levels go. What is no heading, such as a line in a code block, stays as it is.
 */
export function lowerHeadings(text: string, level: number): LoweredText {
  const found = headings(text);
  const by = level + 1 - found.reduce((highest, heading) => Math.min(highest, heading.level), 6);
  if (found.length === 0 || by <= 0 || level >= 6) return { text, lowered: 0 };
  let lowered = "";
  let from = 0;
  for (const heading of found) {
    lowered += text.slice(from, heading.start) + lowerHeading(text, heading, Math.min(heading.level + by, 6));
    from = heading.end;
  }
  return { text: lowered + text.slice(from), lowered: found.length };
}

function lowerHeading(text: string, { start, end, title }: Heading, level: number): string {
  const written = text.slice(start, end);
  const marked = /^([ \t]*)#{1,6}(?=[ \t]|$)/.exec(written);
  if (marked) return `${marked[1]}${"#".repeat(level)}${written.slice(marked[0].length)}`;
  // One that is underlined has only two levels.
  return `${"#".repeat(level)} ${title}`;
}
