import { characterIndex, countCharacters } from "./character.ts";
import type { Edition } from "./charter.ts";
import { inEdition } from "./compact.ts";
import { fenced, inertTogether } from "./fence.ts";
import { mayForge } from "./forgery.ts";
import { type Cut, canShorten, type PlannedSection, pieceFor, type Rendering, toldPart } from "./plan.ts";
import { notReading, type Part, type Reading, type Trust } from "./reading.ts";
import { checkSize, isSound, isSoundPiece, runTogether, soundTexts } from "./sound.ts";
import { beginsBlank } from "./structure.ts";
import { createPiece, type Piece } from "./tokens.ts";

/** A section's words from what was read for it. The same reading, or the same parts, render once. */
export function render(planned: PlannedSection, reading: Reading, edition: Edition): Rendering {
  const last = planned.newest[edition];
  if (last !== undefined && isSame(last, reading)) return last;
  const earlier = planned.previous[edition];
  const rendering = earlier?.reading === reading ? earlier : renderAnew(planned, reading, edition);
  rendering.reading = reading;
  rendering.only = reading.status === "present" && reading.parts.length === 1 ? reading.parts[0] : undefined;
  planned.previous[edition] = last;
  planned.newest[edition] = rendering;
  return rendering;
}

/** Of the same object, or of the same part objects in the same order: then there is nothing new to say. */
function isSame({ reading: one, only }: Rendering, other: Reading): boolean {
  if (one === other) return true;
  if (other.status !== "present") return false;
  const { parts } = other;
  if (only !== undefined) return parts.length === 1 && parts[0] === only;
  if (one?.status !== "present" || one.parts.length !== parts.length) return false;
  for (let index = 0; index < parts.length; index++) if (one.parts[index] !== parts[index]) return false;
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
  let parted = planned.plainGaps;
  let nested = false;
  let shortens = false;
  for (let index = 0; index < parts.length; index++) {
    const { text, trust, parent, short, apart, fenced: already } = parts[index] as Part;
    if (typeof text !== "string") throw notReading(planned.section.name, parts);
    texts[index] = text;
    length += text.length;
    if (trust !== undefined && already !== true) {
      if (trust !== "own") plain = false;
      if (trust === "foreign") parted = false;
    }
    if (apart === true) parted = false;
    if (parent !== undefined) nested = true;
    if (short !== undefined) shortens = true;
  }
  checkSize(planned, length);
  if (!plain) texts = shownTexts(planned, parts, parted, soundTexts(planned, parts));
  const [first] = parts;
  // What is looked at in every prompt comes first, close together in memory.
  return {
    reading: undefined,
    only: undefined,
    edition,
    cuts,
    text: undefined,
    pieces: undefined,
    separator: "",
    size: 0,
    sizedBy: undefined,
    opens: false,
    ends: false,
    single: parts.length === 1 && first?.kind !== "told" && !canShorten(first as Part),
    planned,
    parts,
    plain,
    parted,
    nested,
    shortens,
    told,
    texts,
    sound: !plain,
  };
}

function shownTexts(
  planned: PlannedSection,
  parts: readonly Part[],
  parted: boolean,
  texts: readonly string[],
): string[] {
  const fencedOff = parts.map((part, index) =>
    isQuotation(planned, part)
      ? fenced(texts[index] as string, part.source ?? planned.section.name, planned.forbidden.tags) +
        (index + 1 === parts.length ? planned.quotationEnd : "")
      : (texts[index] as string),
  );
  const own = !parts.some((part) => isUsers(planned, part));
  const shown =
    own || !mayForge(joinTexts({ planned, parts, parted, texts: fencedOff }), planned.forbidden)
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

function makeText(rendering: Rendering): string {
  const { planned, edition, texts, sound } = rendering;
  if (!sound && runTogether(planned)) makeSound(rendering);
  const opening = planned.opening[edition];
  const { closing } = planned.section;
  const before = opening === "" ? "" : `${opening}\n`;
  const text =
    texts.length === 0
      ? closing === undefined
        ? opening
        : before + closing
      : joinTexts(rendering, before, closing === undefined ? "" : `\n${closing}`);
  if (rendering.sound || isSoundText(rendering, text)) {
    rendering.sound = true;
    return text;
  }
  makeSound(rendering);
  return makeText(rendering);
}

/** What was sound in the rendering before is so now: only new parts are looked at. */
function isSoundText({ planned, edition, parts, texts }: Rendering, text: string): boolean {
  const earlier = planned.previous[edition];
  if (!earlier?.sound) return isSound(text);
  const fresh = texts.filter((shown, index) => earlier.parts[index] !== parts[index] || earlier.texts[index] !== shown);
  return fresh.length === texts.length ? isSound(text) : fresh.every(isSound);
}

function makeSound(rendering: Rendering): void {
  rendering.texts = soundTexts(rendering.planned, rendering.parts);
  rendering.sound = true;
}

/** In one join: a string made of two is a rope to V8, and every prompt it goes into would have to walk it. */
function joinTexts(
  { planned, parts, parted, texts }: Pick<Rendering, "planned" | "parts" | "parted" | "texts">,
  before = "",
  after = "",
): string {
  if (texts.length === 1 && before === "" && after === "") return texts[0] as string;
  const pieces: string[] = [];
  for (let index = 0; index < texts.length; index++) {
    pieces.push(texts[index] as string);
    if (!parted && index + 1 < texts.length) pieces.push(gapAfter(planned, parts, index));
  }
  pieces[0] = before + pieces[0];
  pieces[pieces.length - 1] += after;
  return pieces.join(parted ? planned.separator : "");
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

/** The pieces a rendering is counted and blamed by: opening, parts, closing, each with the white space after it. */
export function piecesOf(rendering: Rendering, separator: string): readonly Piece[] {
  if (rendering.pieces === undefined || rendering.separator !== separator) {
    rendering.pieces = makePieces(rendering, separator);
    rendering.separator = separator;
    rendering.sizedBy = undefined;
  }
  return rendering.pieces;
}

export function makePieces(rendering: Rendering, separator: string): readonly Piece[] {
  const { planned, parts, parted } = rendering;
  if (!rendering.sound && runTogether(planned)) makeSound(rendering);
  const { closing } = planned.section;
  const opening = planned.opening[rendering.edition];
  const list: Piece[] = [];
  const lastGap = closing === undefined ? separator : "\n";
  if (opening !== "") list.push(createPiece(opening, parts.length > 0 ? "\n" : lastGap));
  for (let index = 0; index < parts.length; index++) {
    const gap = index + 1 === parts.length ? lastGap : parted ? planned.separator : gapAfter(planned, parts, index);
    const piece = pieceFor(planned, parts[index] as Part, rendering.texts[index] as string, gap);
    if (!rendering.sound && !isSoundPiece(piece)) {
      makeSound(rendering);
      return makePieces(rendering, separator);
    }
    list.push(piece);
  }
  rendering.sound = true;
  if (closing !== undefined || list.length === 0) list.push(createPiece(closing ?? "", separator));
  return list;
}

/** What stands between two parts: a blank line after a stranger's quotation, else what follows would belong to it. */
function gapAfter(planned: PlannedSection, parts: readonly Part[], index: number): string {
  const part = parts[index] as Part;
  const next = parts[index + 1] as Part;
  if (next.apart) return "\n\n";
  if (isQuotation(planned, part)) return beginsBlank(planned.separator) ? planned.separator : "\n\n";
  if (planned.separator.includes("\n") || trustOfPart(planned, part) === trustOfPart(planned, next))
    return planned.separator;
  return trustOfPart(planned, part) === "own" ? planned.separator : "\n";
}

function trustOfPart(planned: PlannedSection, { trust }: Part): Trust {
  return trust ?? planned.trust;
}

function isQuotation(planned: PlannedSection, { trust, fenced: already }: Part): boolean {
  return already !== true && (trust ?? planned.trust) === "foreign";
}
