import type { Charter } from "../prompt/charter.ts";
import { placesIn } from "../prompt/forgery.ts";
import type { Place } from "../prompt/place.ts";
import { forbiddenFor } from "../prompt/plan.ts";
import type { RefusedPlace } from "./refusal.ts";

/** A line of accepted text that some reader could take for structure: in the prompt it is escaped. */
export type InertLine = {
  readonly line: number;
  readonly what: "heading" | "separator" | "definition" | "line" | "tag" | "fence" | "markup";
};

/** Whoever wrote more of them knows by then. */
const maxLines = 100;

/** The lines of a section's words that stand inert in a prompt, each once; the first hundred. */
export function inertLines(charter: Charter, section: string, text: string): InertLine[] {
  const lines: InertLine[] = [];
  let [line, next] = [1, text.indexOf("\n")];
  for (const { at, what } of placesIn(text, forbiddenFor(charter, section)).places) {
    for (; next !== -1 && next < at; next = text.indexOf("\n", next + 1)) line++;
    if (lines.at(-1)?.line !== line) lines.push({ line, what });
    if (lines.length === maxLines) break;
  }
  return lines;
}

/** The number of the line a place is on, from 1. */
export function lineAt(text: string, at: number): number {
  let line = 1;
  for (let end = text.indexOf("\n"); end !== -1 && end < at; end = text.indexOf("\n", end + 1)) line++;
  return line;
}

/** From a place to the end of its line: at least one sign, as far as there is any. */
export function lineFrom(text: string, at: number): RefusedPlace {
  const feed = text.indexOf("\n", at);
  const end = feed === -1 ? text.length : text[feed - 1] === "\r" ? feed - 1 : feed;
  return { at, end: Math.min(text.length, Math.max(end, at + 1)), line: lineAt(text, at) };
}

/** Each kind of place, as it is said to people. */
export const placeNames: Readonly<Record<Place["what"], string>> = {
  heading: "a heading",
  separator: "a separator",
  definition: "the definition of a link or a footnote",
  line: "a line that opens or closes a section",
  tag: "a tag that opens or closes a section",
  fence: "a code fence",
  markup: "HTML that is never closed",
};

/** Says in one sentence that a line is escaped, for whoever wrote it. */
export function inertSentence({ line, what }: InertLine): string {
  return `Line ${line} could be read as ${placeNames[what]}, so it is escaped in the prompt.`;
}
