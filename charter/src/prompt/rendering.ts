import { characterIndex, countCharacters, oneLine } from "./character.ts";
import type { Edition } from "./charter.ts";
import { fenced, inertTogether } from "./fence.ts";
import { mayForge } from "./forgery.ts";
import {
  type Cut,
  canShorten,
  type LeftOutParts,
  type PlannedSection,
  pieceFor,
  type Rendering,
  shortOf,
  toldPart,
} from "./plan.ts";
import { descendantsOf, fromText, notReading, type Part, type Reading, type Trust } from "./reading.ts";
import { checkSize, isSound, isSoundPiece, maxSectionChars, runTogether, soundTexts } from "./sound.ts";
import { beginsBlank } from "./structure.ts";
import { createPiece, type Piece } from "./tokens.ts";

/** Renders a section's words from its reading. The same reading, or the same parts, render once. */
export function render(planned: PlannedSection, reading: Reading, edition: Edition): Rendering {
  const { newest, previous } = planned;
  if (newest !== undefined && isSame(newest, reading, edition)) return newest;
  planned.previous = newest;
  planned.newest =
    previous !== undefined && isSame(previous, reading, edition) ? previous : renderAnew(planned, reading, edition);
  return planned.newest;
}

/**
 * Tells whether a rendering is of the same reading object, or of the same part objects in the same order: then it can be used
 * again.
 */
function isSame({ reading, only, edition }: Rendering, other: Reading, wanted: Edition): boolean {
  if (edition !== wanted) return false;
  if (reading === other) return true;
  if (other.status !== "present") return false;
  const { parts } = other;
  if (only !== undefined) return parts.length === 1 && parts[0] === only;
  if (reading?.status !== "present" || reading.parts.length !== parts.length) return false;
  for (let index = 0; index < parts.length; index++) if (reading.parts[index] !== parts[index]) return false;
  return true;
}

const noCuts: readonly Cut[] = Object.freeze([]);

function renderAnew(planned: PlannedSection, reading: Reading, edition: Edition): Rendering {
  const edited = inEdition(planned, readParts(planned, reading), edition);
  const limited = withinLimit(planned, edited.parts);
  const cuts = limited.cuts.length > 0 ? [...edited.cuts, ...limited.cuts] : edited.cuts;
  const { overlong } = limited;
  const rendering = compose({ planned, edition, cuts, told: edited.told, overlong }, limited.parts);
  rendering.reading = reading;
  rendering.only = reading.status === "present" && reading.parts.length === 1 ? reading.parts[0] : undefined;
  return rendering;
}

function readParts(planned: PlannedSection, reading: Reading): readonly Part[] {
  if (reading.status === "present") return reading.parts;
  const { fallback } = planned.section;
  return reading.status === "empty" && fallback !== undefined
    ? [{ text: fallback, source: "fallback", trust: "own" }]
    : [];
}

/** Fields a rendering keeps while its parts are trimmed. */
type Frame = Pick<Rendering, "planned" | "edition" | "cuts" | "told" | "overlong">;

/** Composes parts into what they show; the only way a rendering is made. */
export function compose({ planned, edition, cuts, told, overlong }: Frame, parts: readonly Part[]): Rendering {
  let texts: string[] = new Array(parts.length);
  const mended: Part[] = [];
  let length = 0;
  let plain = planned.trust === "own";
  let parted = planned.plainGaps;
  let nested = false;
  let shortens = false;
  for (let index = 0; index < parts.length; index++) {
    const { text, trust, parent, short, apart, fenced: isFenced } = parts[index] as Part;
    if (typeof text !== "string") throw notReading(planned.section.name, parts);
    texts[index] = text;
    length += text.length;
    if (trust !== undefined && isFenced !== true) {
      if (trust !== "own") plain = false;
      if (trust === "foreign") parted = false;
    }
    if (apart === true) parted = false;
    if (parent !== undefined) nested = true;
    if (short !== undefined) shortens = true;
  }
  checkSize(planned, length);
  if (!plain) texts = shownTexts(planned, parts, parted, soundTexts(planned, parts, mended));
  const [first] = parts;
  // Fields that every prompt looks at come first, close together in memory.
  return {
    reading: undefined,
    only: undefined,
    edition,
    cuts,
    text: undefined,
    pieces: undefined,
    separator: "",
    stood: false,
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
    droppedBy: undefined,
    texts,
    sound: !plain,
    mended,
    overlong,
    repeated: undefined,
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
 * Makes a user's parts inert, each run of them by itself: a fence opened in it is closed before our words come, and its first
 * line is checked as if any words stood above it.
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

/** Returns a section's text with the separator after it. */
export function textOf(given: Rendering, separator: string): string {
  const rendering = before(separator, given);
  while (rendering.text === undefined) {
    const strings: string[] = [];
    addStrings(rendering, strings);
    const text = strings.join("");
    if (isSoundText(rendering, text)) rendering.text = text;
  }
  return rendering.text;
}

/** Returns a rendering as it stands before a separator: text and pieces that were made with another one are forgotten. */
export function before(separator: string, rendering: Rendering): Rendering {
  if (rendering.separator !== separator) {
    rendering.separator = separator;
    rendering.text = undefined;
    rendering.pieces = undefined;
    rendering.sizedBy = undefined;
  }
  return rendering;
}

/** Adds the strings a section's text is made of, so that it can be joined with others: each string is copied once. */
export function addStrings(rendering: Rendering, all: string[]): void {
  const { planned, pieces, separator } = rendering;
  if (rendering.text !== undefined) all.push(rendering.text);
  else if (pieces !== undefined) for (const { text } of pieces) all.push(text);
  else {
    if (!rendering.sound && runTogether(planned)) makeSound(rendering);
    const { closing } = planned.section;
    const opening = planned.opening[rendering.edition];
    if (opening !== "") all.push(opening);
    if (opening !== "" && rendering.texts.length > 0) all.push("\n");
    addTexts(rendering, all);
    if (closing !== undefined) all.push(rendering.texts.length > 0 || opening !== "" ? `\n${closing}` : closing);
    all.push(separator);
  }
}

/**
 * Tells whether a rendering's text is sound, as it was joined, with the separator. If not, its parts are cleaned, and it has to be
 * joined again. Parts that were sound in the previous rendering are not checked again.
 */
export function isSoundText(rendering: Rendering, joined: string): boolean {
  if (rendering.sound) return true;
  const { planned, parts, texts, separator } = rendering;
  const earlier = planned.previous;
  const fresh = earlier?.sound
    ? texts.filter((shown, index) => earlier.parts[index] !== parts[index] || earlier.texts[index] !== shown)
    : texts;
  rendering.sound =
    fresh.length === texts.length ? isSound(joined.slice(0, joined.length - separator.length)) : fresh.every(isSound);
  if (rendering.sound) return true;
  makeSound(rendering);
  return false;
}

function makeSound(rendering: Rendering): void {
  rendering.texts = soundTexts(rendering.planned, rendering.parts, rendering.mended);
  rendering.sound = true;
}

/** Adds the texts of parts and what stands between them. */
function addTexts({ planned, parts, parted, texts }: PartTexts, all: string[]): void {
  for (let index = 0; index < texts.length; index++) {
    all.push(texts[index] as string);
    if (index + 1 < texts.length) all.push(parted ? planned.separator : gapAfter(planned, parts, index));
  }
}

type PartTexts = Pick<Rendering, "planned" | "parts" | "parted" | "texts">;

function joinTexts(rendering: PartTexts): string {
  const all: string[] = [];
  addTexts(rendering, all);
  return all.join("");
}

type LimitedParts = { readonly parts: readonly Part[]; readonly cuts: readonly Cut[]; readonly overlong?: Part };

/** The limit of every section that has none of its own. */
const anyLimit = { chars: maxSectionChars, told: "(cut here: {missing} more characters)" };

/** Applies a section's limit: keeps its first characters, and adds a line that says so. */
function withinLimit(planned: PlannedSection, parts: readonly Part[]): LimitedParts {
  const { sources, name, limit: own } = planned.section;
  const limit = own ?? anyLimit;
  if (!own && (!sources || !isOverlong(parts))) return { parts, cuts: noCuts };
  const total = parts.reduce((sum, part) => sum + (part.source === "fallback" ? 0 : countCharacters(part.text)), 0);
  if (total <= limit.chars) return { parts, cuts: noCuts };
  let left = limit.chars;
  let overlong: Part | undefined;
  const shown = parts.flatMap((part) => {
    if (left <= 0) return [];
    const index = characterIndex(part.text, left);
    left -= countCharacters(part.text.slice(0, index));
    if (left <= 0 && !own) overlong = part;
    return [index < part.text.length ? { ...part, text: part.text.slice(0, index) } : part];
  });
  const missing = total - limit.chars;
  const because = `“${name}” shows at most ${limit.chars} characters.`;
  return {
    parts: [...shown, toldPart(planned, limit.told, limit.chars, missing)],
    cuts: [{ section: name, form: "shorter", kept: limit.chars, missing, unit: "characters", because }],
    ...(overlong ? { overlong } : {}),
  };
}

function isOverlong(parts: readonly Part[]): boolean {
  let length = 0;
  for (const { text } of parts) if (typeof text === "string") length += text.length;
  return length > maxSectionChars;
}

/** Returns the pieces by which a rendering is counted and traced: opening, parts, closing, each with the white space after it. */
export function piecesOf(rendering: Rendering, separator: string): readonly Piece[] {
  before(separator, rendering).pieces ??= makePieces(rendering, separator);
  return rendering.pieces as readonly Piece[];
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

/**
 * Returns the text between two parts: a blank line after a stranger's quotation, since what follows would otherwise belong to it.
 */
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

function isQuotation(planned: PlannedSection, { trust, fenced: isFenced }: Part): boolean {
  return isFenced !== true && (trust ?? planned.trust) === "foreign";
}

/** A section's parts in an edition. */
type EditionParts = { readonly parts: readonly Part[]; readonly cuts: readonly Cut[]; readonly told?: LeftOutParts };

/**
 * Selects the parts for an edition. The compact one takes short forms where the section asks for them, and leaves out parts of
 * the full edition with a line that says so.
 */
function inEdition(planned: PlannedSection, parts: readonly Part[], edition: Edition): EditionParts {
  if (edition === "full") return { parts, cuts: noCuts };
  const { section } = planned;
  let shown: readonly Part[] =
    section.compact === "short" || section.compact === "line"
      ? parts.map((part) => shortOf(planned, part)).filter(({ text }) => text !== "")
      : parts;
  const cuts: Cut[] = [];
  const kept = shortLength(planned.fixed.compact) + shown.reduce((sum, part) => sum + shortLength(part.text), 0);
  const all = countCharacters(planned.fixed.full) + parts.reduce((sum, part) => sum + countCharacters(part.text), 0);
  if (kept < all) cuts.push(compactCut(section.name, kept, all - kept, "characters"));
  const leaving = leavingParts(shown);
  const told = new Map<string, { line: Part; missing: number }>();
  for (const kind of new Set(shown.filter(({ edition: only }) => only === "full").map((part) => part.kind ?? "part"))) {
    const ofKind = shown.filter((part) => (part.kind ?? "part") === kind);
    const gone = new Set(ofKind.filter((part) => leaving.has(part)));
    const rule = planned.rules.find((candidate) => candidate.parts === kind && candidate.to !== "short");
    const words = rule?.told ?? "(left out of the compact edition: {missing})";
    const line = toldPart(planned, words, ofKind.length - gone.size, gone.size);
    told.set(kind, { line, missing: gone.size });
    cuts.push(compactCut(section.name, ofKind.length - gone.size, gone.size, kind));
    const first = shown.findIndex((part) => gone.has(part));
    shown = shown.flatMap((part, index) => (index === first ? [line] : gone.has(part) ? [] : [part]));
  }
  return { parts: shown.filter((part) => !leaving.has(part)), cuts, told };
}

/** Finds the parts the compact edition leaves out, and those that stand under them. */
function leavingParts(parts: readonly Part[]): Set<Part> {
  const leaving = new Set(parts.filter((part) => part.edition === "full"));
  for (const part of leaving) for (const index of descendantsOf(parts, part)) leaving.add(parts[index] as Part);
  return leaving;
}

/** Counts a short form's own characters, without the mark that it is one. */
function shortLength(short: string): number {
  const mark = ["…", shortenedHere].find((end) => short.endsWith(end)) ?? "";
  return countCharacters(short) - countCharacters(mark);
}

function compactCut(section: string, kept: number, missing: number, unit: string): Cut {
  return { section, form: "compact", kept, missing, unit, because: "The compact edition was asked for." };
}

/**
 * The line that stands for an amendable section in the compact edition, where the section has `compact: "line"`. It is the
 * last paragraph of the section's text, under “In short:”, so that whatever guards, shows, keeps and replays the text does so
 * with the line.
 */
type LinedText = { readonly words: string; readonly line: string | undefined };

/** Maximum number of characters of a compact line, and of the sentences that stand where there is none. */
export const maxCompactChars = 240;

/** The mark that tells the model where sentences are missing. */
export const shortenedHere = " (in force whole; shortened here)";

const lineAtEnd = /(?:\r?\n){2}In short:(?:\r?\n){2}([^\r\n]+)$/;

/** Splits a text into its words and its compact line, if it has one. A line with no words before it counts as words. */
export function splitCompactLine(text: string): LinedText {
  const match = lineAtEnd.exec(text.trimEnd());
  const words = match ? text.slice(0, match.index) : text;
  return match && words.trim() !== "" ? { words, line: match[1]?.trim() } : { words: text, line: undefined };
}

/** Joins words and the line that stands for them; an earlier line is replaced. */
export function withCompactLine(text: string, line: string): string {
  return `${splitCompactLine(text).words.trimEnd()}\n\nIn short:\n\n${line.trim()}`;
}

/** Makes the reading of a text with a compact line: the line is for the compact edition only. */
export function linedReading(text: string): Reading {
  const { words, line } = splitCompactLine(text);
  return fromText(words, { short: line ?? firstSentences(words) });
}

/** Keeps whole sentences as long as there is room, but at least one, on one line, and tells the model of the others. */
function firstSentences(words: string): string {
  const whole = oneLine(words);
  if (countCharacters(whole) <= maxCompactChars) return whole;
  let kept = "";
  for (const sentence of sentencesOf(words)) {
    const more = kept === "" ? sentence : `${kept} ${sentence}`;
    if (kept !== "" && countCharacters(more) > maxCompactChars) break;
    kept = more;
  }
  return kept.length + shortenedHere.length < whole.length ? kept + shortenedHere : whole;
}

/** The beginning of a paragraph, a heading, a quotation or an item of a list; any other line goes on with the one before. */
const beginsAnew = /^\s*(?:$|#|>|\||[-*+•]\s|\d+[.)]\s)/;
const isMarker = /^(?:[-*+•]|\d+[.)])$/;

function sentencesOf(words: string): string[] {
  const blocks: string[] = [];
  for (const line of words.split(/\r?\n/))
    if (blocks.length === 0 || beginsAnew.test(line) || blocks.at(-1) === "") blocks.push(line.trim());
    else blocks[blocks.length - 1] += ` ${line.trim()}`;
  const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });
  return blocks.flatMap((block) => {
    const sentences: string[] = [];
    for (const { segment } of segmenter.segment(block)) {
      const last = sentences.at(-1);
      if (last !== undefined && isMarker.test(last)) sentences[sentences.length - 1] = `${last} ${oneLine(segment)}`;
      else if (segment.trim() !== "") sentences.push(oneLine(segment));
    }
    return sentences;
  });
}
