import { visible as visibleIn } from "../../prompt/character.ts";
import type { Cut, Omission } from "../../prompt/plan.ts";
import { counted, grouped } from "../../prompt/problem.ts";

/**
 * Makes untrusted text safe for a terminal: it cannot draw, move the cursor or rename the window, and invisible characters are
 * shown. Line ends stay.
 */
export function plainText(words: string): string {
  return visible(
    words
      .replace(/\r\n?/g, "\n")
      .replaceAll("\t", "    ")
      .replace(/[\p{Cc}\u2028\u2029]/gu, (character) => (character === "\n" ? character : "")),
  );
}

/** A stored text for standard output: its exact bytes in a pipe, made safe on a terminal. */
export function textFor({ isTTY }: { readonly isTTY?: boolean }, words: string): string {
  return isTTY ? plainText(words) : words;
}

/** Makes a text safe for a terminal, on one line. */
export function plainLine(words: string): string {
  return visible(words.replace(/[\s\p{Cc}\u2028\u2029]+/gu, " ").trim());
}

/** Control characters that Charter's own lines and colours use. */
const obeyed = new Set("\u0007\b\t\n\v\f\r\u001b");

/**
 * Replaces invisible characters by their numbers: those that reverse a line, hide in a word, or control a terminal. Those in
 * `kept` stay, by default what our own lines and colours use; line ends and tabs always stay.
 */
export function visible(words: string, kept: ReadonlySet<string> = obeyed): string {
  return visibleIn(words, kept);
}

type Stream = { isTTY?: boolean; write: (chunk: never, ...rest: never[]) => boolean };

/** Shows invisible characters in everything that is written to a terminal from now on. A pipe gets the exact text. */
export function showMarks(stream: Stream): void {
  if (!stream.isTTY) return;
  const write = stream.write.bind(stream) as (...words: unknown[]) => boolean;
  stream.write = ((chunk: unknown, ...rest: unknown[]) =>
    write(typeof chunk === "string" ? visible(chunk) : chunk, ...rest)) as Stream["write"];
}

/** Formats how much of a section is kept and missing: “2 facts kept, 1 missing”. */
export const cutText = ({ kept, missing, unit }: Pick<Cut, "kept" | "missing" | "unit">): string =>
  `${counted(kept, ...namesOf(unit))} kept, ${grouped(missing)} missing`;

/**
 * Singular and plural of a unit. Kinds of parts are given in the singular; characters, and parts without a name, in the plural.
 */
function namesOf(unit: string): [one: string, several: string] {
  if (unit.endsWith("s")) return [unit.slice(0, -1), unit];
  return [unit, unit.endsWith("y") ? `${unit.slice(0, -1)}ies` : `${unit}s`];
}

const reasons = { empty: "empty", unavailable: "could not be read", "not-in-edition": "not in this edition" } as const;

/**
 * Lists the sections that are not in a prompt, and why. A section that was trimmed away is among the cuts, and not repeated here.
 */
export function leftOut(omitted: readonly Omission[]): string[] {
  return omitted.flatMap(({ name, reason }) => (reason === "gave-way" ? [] : [`${name}: ${reasons[reason]}`]));
}

/** Wraps a text to lines of at most `width` columns, each with the indent; a longer word gets a line of its own. */
export function wrapText(text: string, width: number, indent = ""): string[] {
  if (width === Number.POSITIVE_INFINITY) return [indent + text];
  const room = Math.max(20, width - indent.length);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && textWidth(line) + 1 + textWidth(word) > room) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].map((one) => indent + one);
}

/** Wraps a text with its first line outdented by two columns. */
export function wrapHanging(text: string, width: number): string[] {
  const [first = "", ...others] = wrapText(text, width, "    ");
  return [first.slice(2), ...others];
}

const { stripVTControlCharacters } = process.getBuiltinModule("node:util");

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const none = /[\p{Mn}\p{Me}]|[\u200b-\u200f]/u;

/**
 * Columns a character takes. Terminals disagree on emoji made of several characters: each is counted separately, so that the sum
 * is seldom too small.
 */
export function widthOf(character: string): number {
  if (character < "\u0300") return 1;
  if (character === "\ufe0f") return 1;
  return none.test(character) ? 0 : wide.test(character) ? 2 : 1;
}

/** Columns of a one-line text, not counting colours. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of stripVTControlCharacters(text)) width += widthOf(character);
  return width;
}
