import { visible as visibleIn } from "../../prompt/character.ts";

/**
 * Others' words as a terminal may show them: nobody draws on it, moves its cursor or renames its window, and what nobody
 * would see is seen. Line ends stay.
 */
export function plainText(words: string): string {
  return visible(
    words
      .replace(/\r\n?/g, "\n")
      .replaceAll("\t", "    ")
      .replace(/[\p{Cc}\u2028\u2029]/gu, (character) => (character === "\n" ? character : "")),
  );
}

/** A stored text for standard output: its bytes in a pipe, and on a terminal as one may show it. */
export function textFor({ isTTY }: { readonly isTTY?: boolean }, words: string): string {
  return isTTY ? plainText(words) : words;
}

/** The same on one line. */
export function plainLine(words: string): string {
  return visible(words.replace(/[\s\p{Cc}\u2028\u2029]+/gu, " ").trim());
}

/** What a terminal's own lines and colours are made of. */
const obeyed = new Set("\u0007\b\t\n\v\f\r\u001b");

/**
 * Marks that have no look of their own by their numbers: those that turn a line around, that hide in a word, or that a
 * terminal obeys. What its own lines and colours are made of stays, unless less is to be kept; line ends and tabs always.
 */
export function visible(words: string, kept: ReadonlySet<string> = obeyed): string {
  return visibleIn(words, kept);
}

type Stream = { isTTY?: boolean; write: (chunk: never, ...rest: never[]) => boolean };

/** From now on a terminal shows every mark in whatever is written to it. A pipe gets what was written. */
export function showMarks(stream: Stream): void {
  if (!stream.isTTY) return;
  const write = stream.write.bind(stream) as (...words: unknown[]) => boolean;
  stream.write = ((chunk: unknown, ...rest: unknown[]) =>
    write(typeof chunk === "string" ? visible(chunk) : chunk, ...rest)) as Stream["write"];
}
