import { badArgument, checkNeeded, checkOptions, isNumber, kindOf, optional } from "../../prompt/argument.ts";
import { countCharacters, invisible, openingEnd } from "../../prompt/character.ts";
import type { Charter } from "../../prompt/charter.ts";
import { openFence, type Place } from "../../prompt/code.ts";
import { placesIn } from "../../prompt/forgery.ts";
import { forbiddenFor } from "../../prompt/plan.ts";
import { grouped } from "../../prompt/problem.ts";
import { splitCompactLine } from "../../prompt/rendering.ts";
import { controlTokens, isPlainlyControl } from "../../prompt/sound.ts";
import { bareGuard, bringsOwnWords, type Change, type Guard, readingGuard } from "../guard.ts";
import type { RefusedPlace } from "../operation.ts";

/**
 * Guard: refuses text that a prompt cannot carry: broken characters, characters that hide or reorder text, code fences
 * that are not closed.
 */
export const wellFormed = bareGuard("wellFormed", (change) => {
  if (bringsOwnWords(change)) return undefined;
  const faults = placedFaults(change.after);
  if (faults.length === 0) return undefined;
  const because = `“${change.placed.section.name}” would hold ${faults.map(({ fault }) => fault).join(", and ")}.`;
  return { guard: "well-formed", because, places: faults.map(({ place }) => place) };
});

export function textFaults(text: string): string[] {
  return placedFaults(text).map(({ fault }) => fault);
}

type PlacedFault = { readonly fault: string; readonly place: RefusedPlace };

function placedFaults(text: string): PlacedFault[] {
  const faults: PlacedFault[] = [];
  const sign = (at: number, length = 1) => ({ at, end: at + length, line: lineAt(text, at) });
  if (!text.isWellFormed())
    faults.push({ fault: "half a character (a lone surrogate)", place: sign(text.search(/\p{Surrogate}/u)) });
  const control = invisibleIn(text);
  if (control !== undefined) {
    const point = text.codePointAt(control) ?? 0;
    const fault = `the invisible character U+${point.toString(16).toUpperCase().padStart(4, "0")} at ${control}`;
    faults.push({ fault, place: sign(control, point > 0xffff ? 2 : 1) });
  }
  const open = openFence(text);
  if (open !== undefined) {
    const place = lineFrom(text, open);
    faults.push({ fault: `a code fence that is never closed (line ${place.line})`, place });
  }
  return faults;
}

/** Finds the first invisible character, except line ends, tabs and what joins emoji: no other has a use in a prompt. */
function invisibleIn(text: string): number | undefined {
  const hidden = new RegExp(invisible.source, "gu");
  for (const match of text.matchAll(hidden)) {
    if (match[0] === "\r" && text[match.index + 1] === "\n") continue;
    return match.index;
  }
  return undefined;
}

/**
 * Guard: refuses text that would pass for part of the prompt's structure: a heading as high as the section's own, the
 * line that separates layers, a line or tag by which the charter opens or closes a section, and HTML that hides what
 * comes after it. From agents and users it refuses control tokens of chat templates too, in code and quotes as well: a
 * tokenizer sees neither.
 *
 * Text that only some reader might take for structure is accepted, and escaped in the prompt.
 */
export function noForgery(charter: Charter): Guard {
  return readingGuard((change) => {
    if (bringsOwnWords(change)) return undefined;
    const { section } = change.placed;
    const forbidden = forbiddenFor(charter, section.name);
    const foundPlaces: readonly FoundPlace[] = [
      ...placesIn(change.after, forbidden).places.filter(isRefused),
      ...newTokens(change),
    ].sort((one, other) => one.at - other.at);
    if (foundPlaces.length === 0) return undefined;
    const where = foundPlaces
      .slice(0, maxNamedPlaces)
      .map((place) => `${placeName(place)} on line ${lineAt(change.after, place.at)}`);
    const more = foundPlaces.length > maxNamedPlaces ? `, and ${foundPlaces.length - maxNamedPlaces} more` : "";
    const { level } = forbidden;
    const has = (kind: FoundPlace["what"]) => foundPlaces.some(({ what }) => what === kind);
    const rule = level > 0 && has("heading") ? ` Headings in it start at ${"#".repeat(Math.min(level + 1, 6))}.` : "";
    const code =
      has("markup") || has("tag") ? " Write HTML as code, in backticks or a code block, or leave it out." : "";
    const bare = has("token") ? " Write such a token without the signs around its name, or leave it out." : "";
    const because = `“${section.name}” would hold ${where.join(", ")}${more}.${rule}${code}${bare}`;
    const places = foundPlaces.slice(0, maxNamedPlaces).map(({ at }) => lineFrom(change.after, at));
    return { guard: "no-forgery", because, places };
  });
}

type FoundPlace = Pick<Place, "what" | "at"> | { readonly what: "token"; readonly at: number; readonly token: string };

function placeName(place: FoundPlace): string {
  return "token" in place ? `the control token “${place.token}” of a chat template` : placeNames[place.what];
}

/**
 * Returns the control tokens that a change adds. Those of an operator and those already in the text are broken in the prompt, so
 * that neither keeps anyone from changing the words around them.
 */
function newTokens({ actor, before, after }: Change): FoundPlace[] {
  const tokens = actor === "operator" ? [] : controlTokens(after).filter(isPlainlyControl);
  if (tokens.length === 0) return [];
  const known = new Set(controlTokens(before).map(({ token }) => token));
  return tokens.filter(({ token }) => !known.has(token)).map((one) => ({ what: "token", ...one }));
}

/** Excludes open fences, which `well-formed` refuses in any charter. */
function isRefused({ what, certainty }: Place): boolean {
  return certainty === "sure" || (certainty === "hides" && what !== "fence");
}

/** Maximum number of places that an objection names: an author of thousands knows by then. */
const maxNamedPlaces = 20;

/**
 * A line of accepted text that some reader could take for structure: in the prompt it is escaped. A `turn` only looks like the
 * beginning of somebody's turn, and stays as it is.
 */
export type InertLine = {
  readonly line: number;
  readonly what: "heading" | "separator" | "definition" | "line" | "tag" | "fence" | "markup" | "token" | "turn";
};

/** Maximum number of lines in a verdict: an author of more knows by then. */
const maxInertLines = 100;

/** Returns the lines of a section's text that are escaped in a prompt, each once; the first hundred. */
export function inertLines(charter: Charter, section: string, text: string): InertLine[] {
  const lines: InertLine[] = [];
  let [line, next] = [1, text.indexOf("\n")];
  for (const { at, what } of inertPlaces(charter, section, text)) {
    for (; next !== -1 && next < at; next = text.indexOf("\n", next + 1)) line++;
    if (lines.at(-1)?.line !== line) lines.push({ line, what });
    if (lines.length === maxInertLines) break;
  }
  return lines;
}

type InertPlace = { readonly at: number; readonly what: InertLine["what"] };

function inertPlaces(charter: Charter, section: string, text: string): readonly InertPlace[] {
  const { places } = placesIn(text, forbiddenFor(charter, section));
  const others: readonly InertPlace[] = [
    ...controlTokens(text).map(({ at }) => ({ at, what: "token" as const })),
    ...turnPlaces(text).map((at) => ({ at, what: "turn" as const })),
  ];
  return others.length === 0 ? places : [...places, ...others].sort((one, other) => one.at - other.at);
}

/** The labels of speakers and prompts in transcripts, at the beginning of a line. */
const turnLine =
  /[ \t]{0,8}(?:#{1,6}[ \t]{1,8}(?:instruction|input|response)|(?:#{1,6}[ \t]{1,8})?(?:human|user|assistant|system))[ \t]{0,8}:/iy;
/** Tags in which some models write thoughts and turns. */
const turnTag = /<\/?(?:thinking|reasoning|scratchpad|system|user|assistant|human)>/iy;

function turnPlaces(text: string): number[] {
  const starts: number[] = [];
  const testAt = (at: number, pattern: RegExp) => {
    pattern.lastIndex = at;
    if (pattern.test(text)) starts.push(at);
  };
  testAt(0, turnLine);
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) testAt(end + 1, turnLine);
  for (let at = text.indexOf("<"); at !== -1; at = text.indexOf("<", at + 1)) testAt(at, turnTag);
  return starts;
}

/** Returns the number of the line that contains `at`, from 1. */
export function lineAt(text: string, at: number): number {
  let line = 1;
  for (let end = text.indexOf("\n"); end !== -1 && end < at; end = text.indexOf("\n", end + 1)) line++;
  return line;
}

/** Returns the range from a place to the end of its line, at least one character long unless the text ends there. */
function lineFrom(text: string, at: number): RefusedPlace {
  const feed = text.indexOf("\n", at);
  const end = feed === -1 ? text.length : text[feed - 1] === "\r" ? feed - 1 : feed;
  return { at, end: Math.min(text.length, Math.max(end, at + 1)), line: lineAt(text, at) };
}

/** Names of the kinds of place, in messages. */
const placeNames: Readonly<Record<Place["what"], string>> = {
  heading: "a heading",
  separator: "a separator",
  definition: "the definition of a link or a footnote",
  line: "a line that opens or closes a section",
  tag: "a tag that opens or closes a section",
  fence: "a code fence",
  markup: "HTML that is never closed",
};

/** Says in one sentence what happens to a line, for its author. */
export function inertSentence(given: InertLine): string {
  checkNeeded<InertLine>("inertSentence", given, { line: [isNumber, "Give a line of a verdict's `inert`."] });
  const { line, what } = given;
  if (what === "turn") return `Line ${line} looks like the beginning of somebody's turn. It stays as it is.`;
  return `Line ${line} could be read as ${what === "token" ? "a control token" : placeNames[what]}, so it is escaped in the prompt.`;
}

/**
 * Guard: keeps the first `chars` characters of the original exactly as they are, up to the end of a visible character.
 * A compact line begins with them too, unless it is the original's own: in the compact edition it is all there is.
 */
export function protectedOpening(chars: number): Guard {
  if (!isNumber(chars))
    throw badArgument(
      `The number that protectedOpening was given is ${kindOf(chars)}.`,
      "Give protectedOpening(200), in characters.",
    );
  return ({ placed: { section }, original, after }) => {
    const opening = original.slice(0, openingEnd(original, chars));
    const no = (because: string) => ({ guard: "protected-opening", because });
    if (!after.startsWith(opening)) return no(`The first ${chars} characters of “${section.name}” may not change.`);
    const line = section.compact === "line" ? splitCompactLine(after).line : undefined;
    if (line === undefined || line.startsWith(opening) || line === splitCompactLine(original).line) return undefined;
    return no(
      `The compact line of “${section.name}” would leave out its first ${chars} characters, which may not change.`,
    );
  };
}

const limit = optional([isNumber, "Give limits by name: sizeLimit({ bytes: 8000 })."]);

/** The limits of `sizeLimit`, all inclusive. `bytes` are UTF-8 bytes, `chars` are code points. */
export type SizeLimitOptions = { readonly bytes?: number; readonly chars?: number; readonly minChars?: number };

/** Guard: keeps a section's text within a size. A reset is always allowed, even to an original that is larger. */
export function sizeLimit(options: SizeLimitOptions): Guard {
  checkOptions("sizeLimit", options, { bytes: limit, chars: limit, minChars: limit });
  const { bytes, chars, minChars } = options;
  return (change) => {
    if (bringsOwnWords(change)) return undefined;
    const { after, placed } = change;
    const name = placed.section.name;
    const no = (because: string) => ({ guard: "size-limit", because });
    if (bytes !== undefined && utf8Bytes(after) > bytes)
      return no(`“${name}” would have ${grouped(utf8Bytes(after))} bytes; the limit is ${grouped(bytes)}.`);
    const characters = countCharacters(after);
    if (chars !== undefined && characters > chars)
      return no(`“${name}” would have ${grouped(characters)} characters; the limit is ${grouped(chars)}.`);
    if (minChars !== undefined && characters < minChars)
      return no(`“${name}” would have ${characters} characters; ${minChars} is the least.`);
    return undefined;
  };
}

export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit < 0xdc00 && index + 1 < text.length) {
      bytes += 4;
      index++;
    } else bytes += 3;
  }
  return bytes;
}
