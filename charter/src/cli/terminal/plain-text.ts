/**
 * Others' words as a terminal may show them: nobody draws on it, moves its cursor or renames its window. Line ends stay.
 */
export function plainText(words: string): string {
  return words
    .replace(/\r\n?/g, "\n")
    .replaceAll("\t", "    ")
    .replace(/[\p{Cc}\u2028\u2029]/gu, (character) => (character === "\n" ? character : ""));
}

/** The same on one line. */
export function plainLine(words: string): string {
  return words.replace(/[\s\p{Cc}\u2028\u2029]+/gu, " ").trim();
}
