import { characterIndex, countCharacters } from "./character.ts";
import { inEdition } from "./compact.ts";
import type { Cut } from "./cut.ts";
import type { Edition } from "./edition.ts";
import { fenced } from "./fence.ts";
import { type Inert, mayForge } from "./forgery.ts";
import { pieceFor, toldPart } from "./form.ts";
import type { Part } from "./part.ts";
import type { Planned, Rendering } from "./plan.ts";
import { Problem } from "./problem.ts";
import type { Reading } from "./reading.ts";
import { createPiece, type Piece } from "./tokens.ts";

/** No model reads more; a source that gives more is a mistake worth naming. */
export const largestSection = 2_000_000;

/** A section's words from what was read for it. The same reading, or the same parts, render once. */
export function render(planned: Planned, reading: Reading, edition: Edition, inert: Inert): Rendering {
  const newest = planned.newest[edition];
  if (newest !== undefined && isSame(newest.reading, reading)) return newest.rendering;
  let rendering = planned.renderings[edition].get(reading);
  if (!rendering) {
    const edited = inEdition(planned, readParts(planned, reading), edition);
    const limited = withinLimit(planned, edited.parts);
    const cuts = edited.cuts.length + limited.cuts.length === 0 ? none : [...edited.cuts, ...limited.cuts];
    rendering = compose({ planned, edition, inert, cuts, told: edited.told }, limited.parts);
    planned.renderings[edition].set(reading, rendering);
  }
  planned.newest[edition] = { reading, rendering };
  return rendering;
}

const none: readonly Cut[] = Object.freeze([]);

/** The same object, or the same part objects in the same order: then there is nothing new to say. */
function isSame(one: Reading, other: Reading): boolean {
  if (one === other) return true;
  if (one.status !== "present" || other.status !== "present" || one.parts.length !== other.parts.length) return false;
  for (let index = 0; index < one.parts.length; index++) if (one.parts[index] !== other.parts[index]) return false;
  return true;
}

function readParts(planned: Planned, reading: Reading): readonly Part[] {
  if (reading.status === "present") return reading.parts;
  const { fallback } = planned.section;
  return reading.status === "empty" && fallback !== undefined
    ? [{ text: fallback, source: "fallback", trust: "own" }]
    : [];
}

/** What a rendering keeps while its parts give way. */
export type Frame = Pick<Rendering, "planned" | "edition" | "inert" | "cuts" | "told">;

/** Parts → text, the one way there is. */
export function compose({ planned, edition, inert, cuts, told }: Frame, parts: readonly Part[]): Rendering {
  const raw = carriedTexts(planned, parts);
  const texts = shownTexts(planned, parts, raw, inert);
  const body = joinTexts(planned, parts, texts);
  const opening = planned.opening[edition];
  const { closing } = planned.section;
  let text = opening === "" ? body : texts.length === 0 ? opening : `${opening}\n${body}`;
  if (closing !== undefined) text = text === "" ? closing : `${text}\n${closing}`;
  const nested = parts.some(isUnder);
  return { planned, edition, inert, parts, texts, text, nested, cuts, told };
}

function isUnder({ under }: Part): boolean {
  return under !== undefined;
}

/**
 * What the parts say, looked at as one text: that is quick, and nearly always there is nothing to find.
 * U+FEFF and U+0085 are stripped: tokenizers disagree on them, and no reader sees them.
 */
function carriedTexts(planned: Planned, parts: readonly Part[]): string[] {
  const texts: string[] = new Array(parts.length);
  let length = 0;
  for (let index = 0; index < parts.length; index++) {
    const { text } = parts[index] as Part;
    texts[index] = text;
    length += text.length;
  }
  if (length > largestSection) throw tooLarge(planned, length);
  const all = texts.length === 1 ? (texts[0] as string) : texts.join("");
  if (!all.isWellFormed() || all.includes("\0")) checkParts(planned, parts);
  if (!all.includes("\u0085") && !all.includes("\uFEFF")) return texts;
  return texts.map((text) => text.replace(/[\uFEFF\u0085]/g, ""));
}

function checkParts(planned: Planned, parts: readonly Part[]): void {
  const culprit = parts.find(({ text }) => !text.isWellFormed() || text.includes("\0"));
  if (culprit) throw malformed(planned, culprit);
}

function tooLarge({ section }: Planned, length: number): Problem {
  return new Problem(
    "section-too-large",
    `The section “${section.name}” has ${length} characters; ${largestSection} is the most.`,
    "Give its source a limit, or keep the text out of the prompt and let a tool fetch it.",
  );
}

function joinTexts(planned: Planned, parts: readonly Part[], texts: readonly string[]): string {
  if (texts.length === 1) return texts[0] as string;
  if (!parts.some((part) => part.apart)) return texts.join(planned.separator);
  const pieces: string[] = [];
  for (let index = 0; index < texts.length; index++) {
    pieces.push(texts[index] as string);
    if (index + 1 < texts.length) pieces.push(gapAfter(planned, parts, index));
  }
  return pieces.join("");
}

function gapAfter(planned: Planned, parts: readonly Part[], index: number): string {
  return parts[index + 1]?.apart ? "\n\n" : planned.separator;
}

function shownTexts(planned: Planned, parts: readonly Part[], texts: string[], inert: Inert): string[] {
  if (planned.trust === "own" && parts.every(isOwn)) return texts;
  const fencedOff = fencedTexts(planned, parts, texts);
  if (!needsInert(planned, parts) || !mayForge(joinTexts(planned, parts, fencedOff))) return fencedOff;
  const gaps = parts.map((_, index) => (index + 1 < parts.length ? gapAfter(planned, parts, index) : ""));
  const mended = inert(fencedOff, gaps, planned.forbidden);
  return parts.map((part, index) => (isUsers(planned, part) ? mended : fencedOff)[index] as string);
}

function isOwn({ trust, fenced: already }: Part): boolean {
  return trust === undefined || trust === "own" || already === true;
}

function isUsers(planned: Planned, part: Part): boolean {
  return (part.trust ?? planned.trust) === "user";
}

/** Does a section hold words of a user's or an agent's, in a place where they could forge something? */
function needsInert(planned: Planned, parts: readonly Part[]): boolean {
  const { level, rules } = planned.forbidden;
  return (level > 0 || rules) && parts.some((part) => isUsers(planned, part));
}

function fencedTexts(planned: Planned, parts: readonly Part[], texts: readonly string[]): string[] {
  return parts.map((part, index) =>
    (part.trust ?? planned.trust) === "foreign" && !part.fenced
      ? fenced(texts[index] as string, part.source ?? planned.section.name)
      : (texts[index] as string),
  );
}

function malformed(planned: Planned, { text, source }: Part): Problem {
  const what = text.includes("\0") ? "a NUL character" : "half a character (a lone surrogate)";
  return new Problem(
    "malformed-text",
    `The section “${planned.section.name}” was given ${what} by ${source ?? "its source"}.`,
    "Mend the text where it comes from; Charter never repairs words silently.",
  );
}

/** A section's own limit: its first characters, and a line that says so. */
function withinLimit(planned: Planned, parts: readonly Part[]): { parts: readonly Part[]; cuts: Cut[] } {
  const { limit, name } = planned.section;
  if (!limit) return { parts, cuts: [] };
  const total = parts.reduce((sum, part) => sum + (part.source === "fallback" ? 0 : countCharacters(part.text)), 0);
  if (total <= limit.chars) return { parts, cuts: [] };
  let left = limit.chars;
  const shown = parts.flatMap((part) => {
    if (left <= 0) return [];
    const index = characterIndex(part.text, left);
    left -= countCharacters(part.text.slice(0, index));
    return [index < part.text.length ? { ...part, text: part.text.slice(0, index) } : part];
  });
  const missing = total - limit.chars;
  const because = `“${name}” shows at most ${limit.chars} characters.`;
  return {
    parts: [...shown, toldPart(planned, limit.told, limit.chars, missing)],
    cuts: [{ section: name, form: "shorter", kept: limit.chars, missing, unit: "characters", because }],
  };
}

/** The pieces a rendering is counted and blamed by: opening, parts, closing, each with the white space after it. */
export function piecesOf(rendering: Rendering, separator: string): readonly Piece[] {
  if (rendering.pieces?.separator === separator) return rendering.pieces.list;
  const { planned, parts, texts } = rendering;
  const { closing } = planned.section;
  const opening = planned.opening[rendering.edition];
  const list: Piece[] = [];
  const lastGap = closing === undefined ? separator : "\n";
  if (opening !== "") list.push(createPiece(opening, parts.length > 0 ? "\n" : lastGap));
  for (let index = 0; index < parts.length; index++)
    list.push(
      pieceFor(
        planned,
        parts[index] as Part,
        texts[index] as string,
        index + 1 < parts.length ? gapAfter(planned, parts, index) : lastGap,
      ),
    );
  if (closing !== undefined) list.push(createPiece(closing, separator));
  rendering.pieces = { separator, list };
  return list;
}
