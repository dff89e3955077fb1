import { checkNeeded, isNumber } from "../prompt/argument.ts";
import type { Charter } from "../prompt/charter.ts";
import { controlTokens } from "../prompt/control-token.ts";
import { placesIn } from "../prompt/forgery.ts";
import type { Place } from "../prompt/place.ts";
import { forbiddenFor } from "../prompt/plan.ts";
import type { RefusedPlace } from "./refusal.ts";

/**
 * A line of accepted text that some reader could take for structure: in the prompt it is escaped. A `turn` only looks like
 * the beginning of somebody's turn, and stays as it is.
 */
export type InertLine = {
  readonly line: number;
  readonly what: "heading" | "separator" | "definition" | "line" | "tag" | "fence" | "markup" | "token" | "turn";
};

/** Whoever wrote more of them knows by then. */
const maxLines = 100;

/** The lines of a section's words that stand inert in a prompt, each once; the first hundred. */
export function inertLines(charter: Charter, section: string, text: string): InertLine[] {
  const lines: InertLine[] = [];
  let [line, next] = [1, text.indexOf("\n")];
  for (const { at, what } of toldPlaces(charter, section, text)) {
    for (; next !== -1 && next < at; next = text.indexOf("\n", next + 1)) line++;
    if (lines.at(-1)?.line !== line) lines.push({ line, what });
    if (lines.length === maxLines) break;
  }
  return lines;
}

type ToldPlace = { readonly at: number; readonly what: InertLine["what"] };

function toldPlaces(charter: Charter, section: string, text: string): readonly ToldPlace[] {
  const { places } = placesIn(text, forbiddenFor(charter, section));
  const others: readonly ToldPlace[] = [
    ...controlTokens(text).map(({ at }) => ({ at, what: "token" as const })),
    ...turnPlaces(text).map((at) => ({ at, what: "turn" as const })),
  ];
  return others.length === 0 ? places : [...places, ...others].sort((one, other) => one.at - other.at);
}

/** What speakers and prompts are called in transcripts, at the beginning of a line. */
const turnLine =
  /[ \t]{0,8}(?:#{1,6}[ \t]{1,8}(?:instruction|input|response)|(?:#{1,6}[ \t]{1,8})?(?:human|user|assistant|system))[ \t]{0,8}:/iy;
/** The tags that some write thoughts and turns in. */
const turnTag = /<\/?(?:thinking|reasoning|scratchpad|system|user|assistant|human)>/iy;

function turnPlaces(text: string): number[] {
  const found: number[] = [];
  const look = (at: number, pattern: RegExp) => {
    pattern.lastIndex = at;
    if (pattern.test(text)) found.push(at);
  };
  look(0, turnLine);
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) look(end + 1, turnLine);
  for (let at = text.indexOf("<"); at !== -1; at = text.indexOf("<", at + 1)) look(at, turnTag);
  return found;
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

/** Says in one sentence what becomes of a line, for whoever wrote it. */
export function inertSentence(given: InertLine): string {
  checkNeeded<InertLine>("inertSentence", given, { line: [isNumber, "Give a line of a verdict's `inert`."] });
  const { line, what } = given;
  if (what === "turn") return `Line ${line} looks like the beginning of somebody's turn. It stays as it is.`;
  return `Line ${line} could be read as ${what === "token" ? "a control token" : placeNames[what]}, so it is escaped in the prompt.`;
}
