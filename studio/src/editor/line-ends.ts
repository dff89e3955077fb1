/**
 * What parts the lines of a text, so that an editor gives back the very bytes it was given. Where both ends are mixed the
 * line feed does, and the other half stands in the text as a character that can be seen.
 */
export function lineEndOf(text: string): "\n" | "\r\n" {
  const feeds = text.split("\n").length - 1;
  const both = text.split("\r\n").length - 1;
  const returns = text.split("\r").length - 1;
  return feeds > 0 && feeds === both && both === returns ? "\r\n" : "\n";
}

/** Words from elsewhere (a clipboard) with the line ends of the text they come into. */
export function withLineEnds(words: string, end: "\n" | "\r\n"): string {
  return words.replace(/\r\n|\r|\n/g, end);
}

export type Replacement = { readonly from: number; readonly to: number; readonly insert: string };

/** The smallest stretch whose replacement makes one text the other: a cursor outside of it stays where it is. */
export function replacement(before: string, after: string): Replacement | undefined {
  if (before === after) return undefined;
  const max = Math.min(before.length, after.length);
  let from = 0;
  while (from < max && before.charCodeAt(from) === after.charCodeAt(from)) from++;
  let end = 0;
  while (end < max - from && before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end))
    end++;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}
