import { anyLineEnd, preview } from "../prompt/character.ts";
import { quoted } from "../prompt/fence.ts";
import { placesIn } from "../prompt/forgery.ts";
import type { SectionText, SentSpan } from "../prompt/receipt.ts";
import type { ForbiddenStructure } from "../prompt/structure.ts";
import { changesBetween, type LineChange, leadOf, type PartChange, type PartLines } from "./change.ts";
import { carriesMark } from "./mark.ts";
import { markOpening, stabilityOf, updateWords } from "./slot.ts";

/** Words of a message, and whose they are. */
type Piece = { readonly text: string; readonly of: Owner };
type Owner = Omit<SentSpan, "length">;

const delivery: Owner = { source: "delivery", revision: null, trust: "own" };

/** A change of a section in a session: what was last said of it, and what holds now (null: nothing). */
type SectionChange = {
  readonly section: string;
  readonly before: SectionText | null | undefined;
  readonly now: SectionText | null;
  readonly mark: string | undefined;
  readonly forbidden: ForbiddenStructure;
};

/** The message that tells of a change: of the lines and parts that changed where that is shorter, else of all its words. */
export function toldWords({ section, before, now, mark, forbidden }: SectionChange): SectionText {
  const all = updateWords(section, now, mark);
  if (!now || !before || stabilityOf(now) === "event") return all;
  const opening = markOpening(mark);
  const changed = changeWords(before, now, opening);
  if (!changed || changed.text.length >= all.text.length) return all;
  // A name may carry the mark, though no section's words do; and what was code among other lines is not so here.
  if (mark !== undefined && carriesMark(changed.text.slice(opening.length), mark)) return all;
  return changed.spans.some(({ trust }) => trust !== "own") && isForged(changed.text, forbidden) ? all : changed;
}

function isForged(text: string, forbidden: ForbiddenStructure): boolean {
  const { places, closing } = placesIn(text, forbidden);
  return places.length > 0 || closing !== "";
}

/**
 * The message that tells which lines and parts of a section changed; null where only the whole section can be told. Every
 * line of the section's own words begins with `| `, and what they were before is a quoted beginning: nothing a part says
 * can pass for what is said of it.
 */
function changeWords(before: SectionText, now: SectionText, opening: string): SectionText | null {
  const changes = changesBetween(before, now);
  if (!changes?.every(isNamed)) return null;
  const [was, is] = [ownersOf(before), ownersOf(now)];
  const pieces = [
    { text: `${opening}Your prompt has changed in “${now.name}”:`, of: delivery },
    ...changes.flatMap((change) => piecesOf(change, was, is)),
  ];
  const spans: SentSpan[] = [];
  for (const { text, of } of pieces) {
    const last = spans.at(-1);
    if (last && isSameOwner(last, of)) spans[spans.length - 1] = { ...last, length: last.length + text.length };
    else spans.push({ ...of, length: text.length });
  }
  const { tokens, ...about } = now;
  return { ...about, text: pieces.map(({ text }) => text).join(""), spans, tokens: null, whole: tokens };
}

function isSameOwner(one: Owner, other: Owner): boolean {
  const { source, revision, trust, part } = other;
  return one.source === source && one.revision === revision && one.trust === trust && one.part === part;
}

/** A part is told by its name: one that would have to be cut is not. */
function isNamed(change: PartChange): boolean {
  const name = "is" in change ? change.is.name : change.was.name;
  return name === null || name.length <= 200;
}

function piecesOf(change: PartChange, was: OwnerAt, is: OwnerAt): Piece[] {
  switch (change.kind) {
    case "gone":
      return [said(`\n${labelOf(change.was)} is gone.`)];
    case "whole":
      return wholePieces(change.is, is, "now reads:");
    case "new": {
      const where = change.after === null ? "before the others" : `after ${quoted(change.after)}`;
      return wholePieces(change.is, is, `is new, ${where}:`);
    }
    case "lines": {
      const lines = change.changes.flatMap((one) => linePieces(change.was, one, was, is));
      const whole = change.is.name === null ? [] : wholePieces(change.is, is, "now reads:");
      return whole.length > 0 && lengthOf(whole) <= lengthOf(lines) ? whole : lines;
    }
  }
}

function wholePieces(part: PartLines, owner: OwnerAt, says: string): Piece[] {
  return [said(`\n${labelOf(part)} ${says}\n`), ...toldLines(part.lines, part.from, owner)];
}

function linePieces(part: PartLines, change: LineChange, was: OwnerAt, is: OwnerAt): Piece[] {
  const { at, removed, added } = change;
  const told = added.length === 0 ? [] : toldLines(added, change.is, is);
  const of = part.name === null ? "" : `of ${labelOf(part)}, `;
  if (removed.length === 0) {
    const [place, beside] = at === 0 ? ["before", 0] : ["after", at - 1];
    return [
      beginning(`${of}${place} line ${beside + 1} (`),
      { text: excerpt(part.lines[leadOf(part) + beside] as string), of: was(change.was - at + beside) },
      said(`) ${added.length === 1 ? "comes" : "come"}:\n`),
      ...told,
    ];
  }
  const last = removed.length - 1;
  return [
    beginning(last === 0 ? `${of}line ${at + 1} (` : `${of}lines ${at + 1}–${at + last + 1} (`),
    { text: excerpt(removed[0] as string), of: was(change.was) },
    ...(last === 0 ? [] : [said(" … "), { text: excerpt(removed[last] as string), of: was(change.was + last) }]),
    said(
      `) ${added.length === 0 ? (last === 0 ? "is gone." : "are gone.") : last === 0 ? "now reads:\n" : "now read:\n"}`,
    ),
    ...told,
  ];
}

function beginning(text: string): Piece {
  return said(`\n${text.charAt(0).toUpperCase()}${text.slice(1)}`);
}

function said(text: string): Piece {
  return { text, of: delivery };
}

function labelOf({ name }: PartLines): string {
  return quoted(name as string);
}

/** What a line begins with: enough to know it by. */
function excerpt(line: string): string {
  return quoted(preview(line, 40));
}

/** Each behind its `| `, whatever else in it a reader takes for the end of a line. */
function toldLines(lines: readonly string[], from: number, owner: OwnerAt): Piece[] {
  return lines.map((line, at) => {
    const text = at === lines.length - 1 ? line : `${line}\n`;
    const barred = text.replaceAll(anyLineEnd, (end, index) => (index + end.length < text.length ? `${end}| ` : end));
    return { text: `| ${barred}`, of: owner(from + at) };
  });
}

function lengthOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { text }) => sum + text.length, 0);
}

/** Whose a line of a section is. */
type OwnerAt = (line: number) => Owner;

function ownersOf({ text, spans }: SectionText): OwnerAt {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  const ends: number[] = [];
  for (const { length } of spans) ends.push((ends.at(-1) ?? 0) + length);
  let at = 0;
  return (line) => {
    const start = starts[line] ?? text.length;
    while (at > 0 && (ends[at - 1] as number) > start) at--;
    while (at < ends.length - 1 && (ends[at] as number) <= start) at++;
    const { length: _, ...owner } = spans[at] ?? { ...delivery, length: 0 };
    return owner;
  };
}
