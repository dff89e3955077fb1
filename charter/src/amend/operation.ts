import { openingEnd } from "../prompt/character.ts";
import { type Heading, headings, matchesHeading, parseMarker, passages } from "../prompt/passage.ts";
import { splitCompactLine, withCompactLine } from "../prompt/rendering.ts";

/**
 * A change to a section's text: add before or after it, replace the passage under a heading (`marker`), rewrite all of it, reset
 * it to the original, or revert to an earlier revision.
 */
export type Operation =
  | ({ readonly kind: "append" } & NewWords)
  | ({ readonly kind: "prepend" } & NewWords)
  | ({ readonly kind: "replace_section"; readonly marker: string } & NewWords)
  | ({ readonly kind: "rewrite" } & NewWords)
  | { readonly kind: "reset" }
  | { readonly kind: "revert"; readonly to: number };

type NewWords = {
  readonly content: string;
  /** The line that replaces the changed text in the compact edition, where the section has one. */
  readonly compact?: string | undefined;
};

/** The text that an operation is applied to. `revisionText` returns an earlier revision's text, where it is known. */
type OperationContext = {
  readonly text: string;
  readonly original: string;
  /** Number of characters at the start of the original that may not change. */
  readonly opening: number;
  /** Shows that the section has a line for the compact edition. */
  readonly lined: boolean;
  readonly revisionText: (revision: number) => string | undefined;
};

type OperationResult = { readonly after: string } | { readonly refusal: Refusal };

/** Returns the text after an operation. A compact line belongs to the text it came with: new text brings its own, or has none. */
export function applyOperation(operation: Operation, context: OperationContext): OperationResult {
  if (!("content" in operation) || !context.lined) return applyToWords(operation, context);
  const { words } = splitCompactLine(context.text);
  const applied = applyToWords(operation, { ...context, text: words });
  if ("refusal" in applied) return applied;
  if (operation.compact !== undefined) return { after: withCompactLine(applied.after, operation.compact) };
  return applied.after === words ? { after: context.text } : applied;
}

function applyToWords(operation: Operation, context: OperationContext): OperationResult {
  switch (operation.kind) {
    case "append":
      return { after: context.text === "" ? operation.content : `${context.text}\n${operation.content}` };
    case "prepend":
      return { after: prepend(context, operation.content) };
    case "replace_section":
      return replacePassage(context.text, operation.marker, operation.content);
    case "rewrite":
      return { after: operation.content };
    case "reset":
      return { after: context.original };
    case "revert": {
      const after = context.revisionText(operation.to);
      if (after !== undefined) return { after };
      const because = `not-found: There is no revision ${operation.to} to go back to.`;
      return { refusal: { guard: "revision", because } };
    }
  }
}

/**
 * Adds text on a line of its own, right after the protected opening: at the next line end, or, in a last line that has none,
 * after the next white space. No existing text is lost.
 */
function prepend({ text, original, opening }: OperationContext, content: string): string {
  const end = Math.min(openingEnd(original, opening), text.length);
  const newline = lineEnding(text);
  if (text === "") return content;
  if (end === 0) return `${content}${newline}${text}`;
  const lineEnd = text[end - 1] === "\n" ? end - 1 : text.indexOf("\n", end);
  if (lineEnd !== -1) return `${text.slice(0, lineEnd + 1)}${content}${newline}${text.slice(lineEnd + 1)}`;
  const space = /\s/u.exec(text.slice(end));
  if (!space) return `${text}${newline}${content}`;
  const at = end + space.index + 1;
  return `${text.slice(0, at)}${newline}${content}${newline}${text.slice(at)}`;
}

/**
 * Replaces one passage, addressed by its heading. The heading stays unless the new text brings its own; line endings and the
 * blank line before the next passage survive.
 */
function replacePassage(text: string, wanted: string, content: string): OperationResult {
  const all = passages(text);
  const available = all.map(({ heading }) => `“${shownHeading(heading)}” (line ${heading.line})`).join(", ") || "none";
  const heading = parseMarker(wanted);
  if (!heading)
    return refused(
      `not-found: “${wanted}” is no heading. Name one by level and title, as in “## Goals”. There are: ${available}.`,
    );
  const matching = all.filter((passage) => matchesHeading(heading, passage.heading));
  const [only, ...others] = matching;
  if (!only) return refused(`not-found: There is no heading “${shownHeading(heading)}”. There are: ${available}.`);
  if (others.length > 0) {
    const lines = matching.map((passage) => passage.heading.line).join(", ");
    return refused(`ambiguous: “${shownHeading(heading)}” is on lines ${lines}. Make the headings differ first.`);
  }
  const passage = text.slice(only.start, only.end);
  const newline = lineEnding(passage.includes("\n") ? passage : text);
  const words = content
    .trimEnd()
    .replace(/^(?:[ \t]*[\r\n]+)+/, "")
    .replace(/\r\n|\r|\n/g, newline);
  const trailing = passage.slice(passage.trimEnd().length);
  const first = headings(words)[0];
  const brings = first?.start === 0 && first.level <= only.heading.level;
  const next = text.slice(only.end);
  const runsOn = next !== "" && !/^ {0,3}#/.test(next) && !/\n[ \t]*\r?\n/.test(trailing);
  const tail = (trailing === "" && next !== "" ? newline : trailing) + (runsOn ? newline : "");
  if (brings) return { after: text.slice(0, only.start) + words.trimStart() + tail + text.slice(only.end) };
  const headingText = text.slice(only.start, only.heading.end);
  const gap = /^[ \t]*(?:\r?\n[ \t]*)*/.exec(text.slice(only.heading.end, only.end - trailing.length))?.[0] ?? "";
  const under = gap.includes("\n") ? gap.slice(0, gap.lastIndexOf("\n") + 1) : newline;
  const kept = words === "" ? headingText : headingText + under + words;
  return { after: text.slice(0, only.start) + kept + tail + text.slice(only.end) };
}

function refused(because: string): OperationResult {
  return { refusal: { guard: "passage", because } };
}

function shownHeading({ level, title }: Heading): string {
  return `${"#".repeat(level)} ${title}`;
}

/** Returns the line ending a text uses; `\n` when it has none. */
function lineEnding(text: string): "\n" | "\r\n" {
  return /\r\n/.test(text) ? "\r\n" : "\n";
}

/** A guard's objection: its name and the reason. With `holds` the change waits for a person's approval and is not refused. */
export type Refusal = {
  readonly guard: string;
  readonly because: string;
  readonly holds?: true;
  /** The parts of the proposed text that the objection is about, if any. */
  readonly places?: readonly RefusedPlace[];
};

/** A range of the proposed text, in JavaScript string indices, and the line it begins on, from 1. */
export type RefusedPlace = { readonly at: number; readonly end: number; readonly line: number };
