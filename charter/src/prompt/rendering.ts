import { characterIndex, countCharacters } from "./character.ts";
import { inEdition } from "./compact.ts";
import type { Cut } from "./cut.ts";
import type { Edition } from "./edition.ts";
import { fenced } from "./fence.ts";
import { mayForge } from "./forgery.ts";
import { pieceFor, toldPart } from "./form.ts";
import { areParted, gapAfter, isQuotation, trustOfPart } from "./gap.ts";
import { inertTogether } from "./inert.ts";
import type { Part } from "./part.ts";
import type { PlannedSection, Rendering } from "./plan.ts";
import { notReading, type Reading } from "./reading.ts";
import { checkSize, isSound, runTogether, soundTexts } from "./sound.ts";
import { createPiece, type Piece } from "./tokens.ts";

/** A section's words from what was read for it. The same reading, or the same parts, render once. */
export function render(planned: PlannedSection, reading: Reading, edition: Edition): Rendering {
  const { newest, previous } = planned;
  const last = newest[edition];
  if (last !== undefined && isSame(last.reading, reading)) return last.rendering;
  const earlier = previous[edition];
  const rendering =
    earlier !== undefined && earlier.reading === reading ? earlier.rendering : renderAnew(planned, reading, edition);
  previous[edition] = last;
  newest[edition] = { reading, rendering };
  return rendering;
}

/** The same object, or the same part objects in the same order: then there is nothing new to say. */
function isSame(one: Reading, other: Reading): boolean {
  if (one === other) return true;
  if (one.status !== "present" || other.status !== "present" || one.parts.length !== other.parts.length) return false;
  for (let index = 0; index < one.parts.length; index++) if (one.parts[index] !== other.parts[index]) return false;
  return true;
}

const none: readonly Cut[] = Object.freeze([]);

function renderAnew(planned: PlannedSection, reading: Reading, edition: Edition): Rendering {
  const read = readParts(planned, reading);
  if (edition === "full" && !planned.section.limit)
    return compose({ planned, edition, cuts: none, told: undefined }, read);
  const edited = inEdition(planned, read, edition);
  const limited = withinLimit(planned, edited.parts);
  return compose({ planned, edition, cuts: [...edited.cuts, ...limited.cuts], told: edited.told }, limited.parts);
}

function readParts(planned: PlannedSection, reading: Reading): readonly Part[] {
  if (reading.status === "present") return reading.parts;
  const { fallback } = planned.section;
  return reading.status === "empty" && fallback !== undefined
    ? [{ text: fallback, source: "fallback", trust: "own" }]
    : [];
}

/** What a rendering keeps while its parts give way. */
type Frame = Pick<Rendering, "planned" | "edition" | "cuts" | "told">;

/** Parts → what they show, the one way there is. */
export function compose({ planned, edition, cuts, told }: Frame, parts: readonly Part[]): Rendering {
  let texts: string[] = new Array(parts.length);
  let length = 0;
  let plain = planned.trust === "own";
  let nested = false;
  let shortens = false;
  for (let index = 0; index < parts.length; index++) {
    const { text, trust, parent, short, fenced: already } = parts[index] as Part;
    if (typeof text !== "string") throw notReading(planned.section.name, parts);
    texts[index] = text;
    length += text.length;
    if (trust !== undefined && trust !== "own" && already !== true) plain = false;
    if (parent !== undefined) nested = true;
    if (short !== undefined) shortens = true;
  }
  checkSize(planned, length);
  if (!plain) texts = shownTexts(planned, parts, soundTexts(planned, parts));
  const sound = !plain;
  return {
    planned,
    edition,
    parts,
    plain,
    nested,
    shortens,
    cuts,
    told,
    texts,
    sound,
    text: undefined,
    pieces: undefined,
    size: undefined,
  };
}

function shownTexts(planned: PlannedSection, parts: readonly Part[], texts: readonly string[]): string[] {
  const fencedOff = parts.map((part, index) =>
    isQuotation(planned, part)
      ? fenced(texts[index] as string, part.source ?? planned.section.name, planned.forbidden.tags) +
        (index + 1 === parts.length ? planned.quotationEnd : "")
      : (texts[index] as string),
  );
  const own = !parts.some((part) => isUsers(planned, part));
  const shown =
    own || !mayForge(joinTexts(planned, parts, fencedOff), planned.forbidden)
      ? fencedOff
      : inertAmongOthers(planned, parts, fencedOff);
  const last = parts.at(-1);
  return last && planned.wordsEnd !== "" && isUsers(planned, last)
    ? shown.with(-1, shown.at(-1) + planned.wordsEnd)
    : shown;
}

/**
 * A user's parts made inert, each run of them for itself: a fence opened in it is closed before our words come, and its
 * first line is looked at as if any words stood above it.
 */
function inertAmongOthers(planned: PlannedSection, parts: readonly Part[], texts: readonly string[]): string[] {
  const out = [...texts];
  for (let start = 0; start < parts.length; start++) {
    if (!isUsers(planned, parts[start] as Part)) continue;
    let end = start;
    while (end < parts.length && isUsers(planned, parts[end] as Part)) end++;
    const gaps = parts
      .slice(start, end)
      .map((_, at) => (start + at + 1 < end ? gapAfter(planned, parts, start + at) : ""));
    for (const [at, text] of inertTogether(out.slice(start, end), gaps, planned.forbidden).entries())
      out[start + at] = text;
    start = end;
  }
  return out;
}

function isUsers(planned: PlannedSection, part: Part): boolean {
  return trustOfPart(planned, part) === "user";
}

/** A section's text: opening, parts, closing. */
export function renderedText(rendering: Rendering): string {
  rendering.text ??= makeText(rendering);
  return rendering.text;
}

/** In one join: a string made of two is a rope to V8, and every prompt it goes into would have to walk it. */
function makeText(rendering: Rendering): string {
  const { planned, parts, edition, sound } = rendering;
  if (!sound && runTogether(planned)) makeSound(rendering);
  const opening = planned.opening[edition];
  const { closing } = planned.section;
  const pieces: string[] = [];
  if (opening !== "") pieces.push(opening);
  if (planned.separator === "\n" && areParted(planned, parts)) for (const text of rendering.texts) pieces.push(text);
  else if (parts.length > 0) pieces.push(joinTexts(planned, parts, rendering.texts));
  if (closing !== undefined) pieces.push(closing);
  const text = pieces.length === 1 ? (pieces[0] as string) : pieces.join("\n");
  if (sound || isSound(text)) {
    rendering.sound = true;
    return text;
  }
  makeSound(rendering);
  return makeText(rendering);
}

function makeSound(rendering: Rendering): void {
  rendering.texts = soundTexts(rendering.planned, rendering.parts);
  rendering.sound = true;
}

function joinTexts(planned: PlannedSection, parts: readonly Part[], texts: readonly string[]): string {
  if (texts.length === 1) return texts[0] as string;
  if (areParted(planned, parts)) return texts.join(planned.separator);
  const pieces: string[] = [];
  for (let index = 0; index < texts.length; index++) {
    pieces.push(texts[index] as string);
    if (index + 1 < texts.length) pieces.push(gapAfter(planned, parts, index));
  }
  return pieces.join("");
}

/** A section's own limit: its first characters, and a line that says so. */
function withinLimit(
  planned: PlannedSection,
  parts: readonly Part[],
): { parts: readonly Part[]; cuts: readonly Cut[] } {
  const { limit, name } = planned.section;
  if (!limit) return { parts, cuts: none };
  const total = parts.reduce((sum, part) => sum + (part.source === "fallback" ? 0 : countCharacters(part.text)), 0);
  if (total <= limit.chars) return { parts, cuts: none };
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

/**
 * The pieces a rendering is counted and blamed by: opening, parts, closing, each with the white space after it.
 * `known` offers a part's piece where it is at hand.
 */
export function piecesOf(
  rendering: Rendering,
  separator: string,
  known?: readonly (Piece | undefined)[],
): readonly Piece[] {
  if (rendering.pieces?.separator === separator) return rendering.pieces.list;
  const { planned, parts } = rendering;
  if (!rendering.sound && runTogether(planned)) makeSound(rendering);
  const { closing } = planned.section;
  const opening = planned.opening[rendering.edition];
  const list: Piece[] = [];
  const lastGap = closing === undefined ? separator : "\n";
  if (opening !== "") list.push(createPiece(opening, parts.length > 0 ? "\n" : lastGap));
  for (let index = 0; index < parts.length; index++) {
    const gap = index + 1 < parts.length ? gapAfter(planned, parts, index) : lastGap;
    const shown = rendering.texts[index] as string;
    let piece = known?.[index];
    if (piece === undefined || piece.gap !== gap || piece.shown !== shown)
      piece = pieceFor(planned, parts[index] as Part, shown, gap);
    if (!rendering.sound && !piece.sound) {
      if (!isSound(piece.shown)) {
        makeSound(rendering);
        return piecesOf(rendering, separator);
      }
      piece.sound = true;
    }
    list.push(piece);
  }
  rendering.sound = true;
  if (closing !== undefined || list.length === 0) list.push(createPiece(closing ?? "", separator));
  rendering.pieces = { separator, list };
  return list;
}
