import { countCharacters, oneLine } from "./character.ts";
import type { Edition } from "./charter.ts";
import { type Cut, type LeftOutParts, type PlannedSection, shortOf, toldPart } from "./plan.ts";
import { descendantsOf, fromText, type Part, type Reading } from "./reading.ts";

/** A section's parts in an edition. */
type EditionParts = { readonly parts: readonly Part[]; readonly cuts: readonly Cut[]; readonly told?: LeftOutParts };

/** The compact edition: short forms where the section asks for them, parts of the full edition left out and told. */
export function inEdition(planned: PlannedSection, parts: readonly Part[], edition: Edition): EditionParts {
  if (edition === "full") return { parts, cuts: [] };
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

/** The parts the compact edition leaves out, and those that stand under them. */
function leavingParts(parts: readonly Part[]): Set<Part> {
  const leaving = new Set(parts.filter((part) => part.edition === "full"));
  for (const part of leaving) for (const index of descendantsOf(parts, part)) leaving.add(parts[index] as Part);
  return leaving;
}

/** A short form's own characters; what tells that it is one is none of the section's. */
function shortLength(short: string): number {
  const told = ["…", shortenedHere].find((end) => short.endsWith(end)) ?? "";
  return countCharacters(short) - countCharacters(told);
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

/** The most characters of a compact line, and of the sentences that stand where there is none. */
export const maxCompactChars = 240;

/** What the model is told where sentences are missing. */
export const shortenedHere = " (in force whole; shortened here)";

const lineAtEnd = /(?:\r?\n){2}In short:(?:\r?\n){2}([^\r\n]+)$/;

/** A text apart: its words, and its compact line if it has one. A line with no words before it is words. */
export function splitCompactLine(text: string): LinedText {
  const found = lineAtEnd.exec(text.trimEnd());
  const words = found ? text.slice(0, found.index) : text;
  return found && words.trim() !== "" ? { words, line: found[1]?.trim() } : { words: text, line: undefined };
}

/** Words, and the line that stands for them; another line they had before goes. */
export function withCompactLine(text: string, line: string): string {
  return `${splitCompactLine(text).words.trimEnd()}\n\nIn short:\n\n${line.trim()}`;
}

/** The reading of a text with a compact line: the line is for the compact edition only. */
export function linedReading(text: string): Reading {
  const { words, line } = splitCompactLine(text);
  return fromText(words, { short: line ?? firstSentences(words) });
}

/** As many whole sentences as there is room for, and at least one, on one line; the model is told of the others. */
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

/** A line that begins a paragraph, a heading, a quotation or an item of a list; any other goes on with the one before. */
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
