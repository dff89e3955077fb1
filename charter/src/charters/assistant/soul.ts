import { fromText, present, type Reading } from "../../prompt/reading.ts";

/** What of a soul can be left out: its paragraphs after the first. */
export const soulPart = "paragraph";

/**
 * A soul, paragraph by paragraph, so that the last of them can be left out where room is short, and all but the first in
 * the compact edition. A text that means something across blank lines (code, markup, lists) stays in one piece. Put
 * together again, the paragraphs are the text, letter by letter.
 */
export function soulReading(standing: string): Reading {
  const paragraphs = standing.split("\n\n");
  if (paragraphs.length < 2 || !paragraphs.every(isPlain)) return fromText(standing);
  return present(
    paragraphs.map((text, index) =>
      index === 0 ? { text } : { text, kind: soulPart, apart: true, edition: "full" as const },
    ),
  );
}

/** It says the same wherever it stands: no line is indented, none opens a block that goes on after a blank line. */
function isPlain(paragraph: string): boolean {
  return (
    /^\S/.test(paragraph) &&
    !/\s$/.test(paragraph) &&
    !/^\s|^(?:`{3}|~{3}|<|\d+[.)]\s)|\r|[\u2028\u2029]/m.test(paragraph)
  );
}
