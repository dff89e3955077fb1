import { checkText } from "./argument.ts";

/** Counts the characters (code points) of a text, as every limit in `chars` does. */
export function countCharacters(text: string): number {
  if (typeof text !== "string") checkText("countCharacters", text);
  let pairs = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit < 0xdc00 && index + 1 < text.length) {
      pairs++;
      index++;
    }
  }
  return text.length - pairs;
}

/** Returns the string index after the first `count` characters. */
export function characterIndex(text: string, count: number): number {
  let index = 0;
  for (let seen = 0; seen < count && index < text.length; seen++) {
    const unit = text.charCodeAt(index);
    index += unit >= 0xd800 && unit < 0xdc00 && index + 1 < text.length ? 2 : 1;
  }
  return index;
}

export function firstCharacters(text: string, count: number): string {
  return text.slice(0, characterIndex(text, count));
}

/** Moves `index` forward to the end of the grapheme it falls into. */
export function graphemeEnd(text: string, index: number): number {
  if (index <= 0 || index >= text.length) return Math.min(Math.max(index, 0), text.length);
  const line = text.lastIndexOf("\n", index - 1) + 1;
  const around = text.slice(line, index + 1000);
  const grapheme = new Intl.Segmenter("en", { granularity: "grapheme" }).segment(around).containing(index - line);
  if (!grapheme || grapheme.index === index - line) return index;
  return line + grapheme.index + grapheme.segment.length;
}

/** Returns the index after the first characters of a text, moved on so that no grapheme is split. */
export function openingEnd(text: string, characters: number): number {
  return graphemeEnd(text, characterIndex(text, characters));
}

/** Characters that a reader, a terminal or a model may take for the end of a line. */
const endSigns = "\\n\\r\\v\\f\\x1C-\\x1E\\u0085\\u2028\\u2029";
export const lineEnd = new RegExp(`\\r\\n|[${endSigns}]`);

/** Shortens a text to one line: white space collapsed, at most `count` characters, an ellipsis when some are missing. */
export function preview(text: string, count: number): string {
  const line = text.replace(/[\s\u0085]+/gu, " ").trim();
  const index = characterIndex(line, count);
  return index < line.length ? `${line.slice(0, index).trimEnd()}…` : line;
}

/** Controls that no eye sees and that can turn, hide or split a line: all but tab and newline. */
export const invisible = new RegExp(
  [
    "[\\u0000-\\u0008\\u000B-\\u001F\\u007F-\\u009F]", // controls
    "[\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180E\\u3164\\uFFA0]", // fillers, soft hyphen
    "[\\u200B\\u200E\\u200F\\u2028-\\u202E\\u2060-\\u206F\\uFEFF\\uFFF9-\\uFFFB]", // zero-width, bidirectional
    "[\\uFE00-\\uFE0E\\u{1BCA0}-\\u{1BCA3}\\u{1D173}-\\u{1D17A}\\u{E0000}-\\u{E01EF}]", // selectors, tags
  ].join("|"),
  "u",
);

const marks = new RegExp(invisible.source, "gu");

/**
 * Writes invisible characters as their numbers, except those in `kept`, so that the person who decides has seen all of the words.
 */
export function visible(words: string, kept: ReadonlySet<string> = new Set()): string {
  return words.replace(marks, (mark) => (kept.has(mark) ? mark : escaped(mark)));
}

function escaped(mark: string): string {
  const number = (mark.codePointAt(0) as number).toString(16);
  return number.length > 4 ? `\\u{${number}}` : `\\u${number.padStart(4, "0")}`;
}

const spacesOrEnds = new RegExp(`[\\s${endSigns}\\u2424]+`, "g");

/** Puts words on one line: each run of white space, and of what any reader takes for a line end, becomes one space. */
export function oneLine(words: string): string {
  return words.replace(spacesOrEnds, " ").trim();
}

/** Characters that any reader may take for white space or not see at all. */
export const space =
  "[\\s\\u0000-\\u0020\\u0085\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180E\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u206F\\u3164\\uFE00-\\uFE0F\\uFFA0\\uFEFF]";

/** The mark of a quotation or of a list item. */
const mark = `(?:>|[-+*](?=${space}|$)|\\d+[.)](?=${space}|$))`;

/** Marks that may stand before a block on its line: quotations, list items and white space, in any depth. */
export const before = `(?:${space}|${mark})*`;

/** The mark before a term's meaning, in a list of definitions. */
export const meaning = `[:~](?=${space}|$)`;

/** A line that is blank to every reader. */
export const blank = /^[ \t]*$/;

const spaces = new RegExp(`${space}+`, "g");

/** Normalises a line for comparing: case, width and white space do not count. Of a long one only the beginning does. */
export function lineKey(line: string): string {
  return line.replace(spaces, "").slice(0, 1000).normalize("NFKC").toLowerCase().replace(spaces, "");
}

/**
 * The start and end of each line, where anything that any reader takes for a line end ends one. `plain`: all readers agree on
 * both.
 */
export type LineCuts = {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly plain: readonly boolean[];
};

/** Characters that any reader may take for the end of a line: one reader takes U+2424. */
export const lineEnds = `${endSigns}\\u2424`;
export const anyLineEnd = new RegExp(`\\r\\n|[${lineEnds}]`, "g");

export function lineCuts(text: string): LineCuts {
  const starts = [0];
  const ends: number[] = [];
  const plain: boolean[] = [];
  let opened = true;
  for (const { index, 0: end } of text.matchAll(anyLineEnd)) {
    const agreed = end === "\n" || end === "\r\n";
    ends.push(index);
    plain.push(opened && agreed);
    starts.push(index + end.length);
    opened = agreed;
  }
  ends.push(text.length);
  plain.push(opened);
  return { starts, ends, plain };
}
