import { anyLineEnd, preview } from "../prompt/character.ts";
import { differences, type Effort, type Hunk } from "../prompt/diff.ts";
import { quoted } from "../prompt/fence.ts";
import { placesIn } from "../prompt/forgery.ts";
import { appendSpan, type SentSpan } from "../prompt/prompt.ts";
import type { SectionText } from "../prompt/receipt.ts";
import type { ForbiddenStructure } from "../prompt/structure.ts";
import { markOpening, stabilityOf, type ToldSection, updateWords } from "./baseline.ts";
import { carriesMark } from "./mark.ts";

/** Text of a message, and its owner. */
type Piece = { readonly text: string; readonly of: Owner };
type Owner = Omit<SentSpan, "length">;

const delivery: Owner = { source: "delivery", revision: null, trust: "own" };

/** A change of a section in a session. */
type SectionChange = ToldSection & {
  readonly mark: string | undefined;
  readonly forbidden: ForbiddenStructure;
};

/** Makes the message that tells of a change: only the changed lines and parts where that is shorter, else the whole text. */
export function toldWords({ mark, forbidden, ...told }: SectionChange): SectionText {
  const { before, now } = told;
  const all = updateWords(told, mark);
  if (!now || !before || stabilityOf(now) === "event" || [before, now].some(({ trust }) => trust === "foreign"))
    return all;
  const opening = markOpening(mark);
  const changed = changeWords(before, now, `${opening}Your prompt has changed in “${told.label}”:`);
  if (!changed || changed.text.length >= all.text.length) return all;
  // Falls back to the whole text where the excerpt is unsafe: a name may carry the mark, though no section's text does, and text
  // that was code among other lines is not code here.
  if (mark !== undefined && carriesMark(changed.text.slice(opening.length), mark)) return all;
  return changed.spans.some(({ trust }) => trust !== "own") && isForged(changed.text, forbidden) ? all : changed;
}

function isForged(text: string, forbidden: ForbiddenStructure): boolean {
  const { places, closing } = placesIn(text, forbidden);
  return places.length > 0 || closing !== "";
}

/**
 * Makes the message that tells which lines and parts of a section changed; null where only the whole section can be told. Every
 * line of the section's own text begins with `| `, and its earlier text is a quoted beginning: nothing a part says can pass for a
 * statement about it.
 */
function changeWords(before: SectionText, now: SectionText, opening: string): SectionText | null {
  const changes = changesBetween(before, now);
  if (!changes.every(isNamed)) return null;
  const [was, is] = [ownersOf(before), ownersOf(now)];
  const pieces = [{ text: opening, of: delivery }, ...changes.flatMap((change) => piecesOf(change, was, is))];
  const spans: SentSpan[] = [];
  for (const { text, of } of pieces) appendSpan(spans, { ...of, length: text.length });
  const { tokens, ...about } = now;
  return { ...about, text: pieces.map(({ text }) => text).join(""), spans, tokens: null, whole: tokens };
}

/** Returns true if a part's name is short enough to be quoted whole: a part is told by its name. */
function isNamed(change: PartChange): boolean {
  const name = "is" in change ? change.is.name : change.was.name;
  return name === null || name.length <= 200;
}

function piecesOf(change: PartChange, was: OwnerAt, is: OwnerAt): Piece[] {
  switch (change.kind) {
    case "gone":
      return [ownPiece(`\n${labelOf(change.was)} is gone.`)];
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
  return [ownPiece(`\n${labelOf(part)} ${says}\n`), ...barredLines(part.lines, part.from, owner)];
}

function linePieces(part: PartLines, change: LineChange, was: OwnerAt, is: OwnerAt): Piece[] {
  const { at, removed, added } = change;
  const addedLines = added.length === 0 ? [] : barredLines(added, change.is, is);
  const of = part.name === null ? "" : `of ${labelOf(part)}, `;
  if (removed.length === 0) {
    const [place, beside] = at === 0 ? ["before", 0] : ["after", at - 1];
    return [
      beginning(`${of}${place} line ${beside + 1} (`),
      { text: excerpt(part.lines[leadOf(part) + beside] as string), of: was(change.was - at + beside) },
      ownPiece(`) ${added.length === 1 ? "comes" : "come"}:\n`),
      ...addedLines,
    ];
  }
  const last = removed.length - 1;
  return [
    beginning(last === 0 ? `${of}line ${at + 1} (` : `${of}lines ${at + 1}–${at + last + 1} (`),
    { text: excerpt(removed[0] as string), of: was(change.was) },
    ...(last === 0 ? [] : [ownPiece(" … "), { text: excerpt(removed[last] as string), of: was(change.was + last) }]),
    ownPiece(
      `) ${added.length === 0 ? (last === 0 ? "is gone." : "are gone.") : last === 0 ? "now reads:\n" : "now read:\n"}`,
    ),
    ...addedLines,
  ];
}

function beginning(text: string): Piece {
  return ownPiece(`\n${text.charAt(0).toUpperCase()}${text.slice(1)}`);
}

function ownPiece(text: string): Piece {
  return { text, of: delivery };
}

function labelOf({ name }: PartLines): string {
  return quoted(name as string);
}

/** Quotes the beginning of a line: enough to recognise it. */
function excerpt(line: string): string {
  return quoted(preview(line, 40));
}

/** Starts each line with `| `, also after every other character that a reader may take for a line end. */
function barredLines(lines: readonly string[], from: number, owner: OwnerAt): Piece[] {
  return lines.map((line, at) => {
    const text = at === lines.length - 1 ? line : `${line}\n`;
    const barred = text.replaceAll(anyLineEnd, (end, index) => (index + end.length < text.length ? `${end}| ` : end));
    return { text: `| ${barred}`, of: owner(from + at) };
  });
}

function lengthOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { text }) => sum + text.length, 0);
}

/** Returns the owner of a line of a section. */
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

/** Lines of a section: those of a named part with the blank ones before it, or those around its parts. */
type PartLines = {
  readonly name: string | null;
  /** Index of the first of them in the section, from 0. */
  readonly from: number;
  readonly lines: readonly string[];
};

/** A change of some lines of a part. `at` is the index of the first, from 0, without the blank lines before the part. */
type LineChange = {
  readonly at: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
  /** Indices of the first changed line in the section, before and after. */
  readonly was: number;
  readonly is: number;
};

/** A change of a part of a section. `after` is the part before it, null for the first. */
type PartChange =
  | { readonly kind: "lines"; readonly was: PartLines; readonly is: PartLines; readonly changes: readonly LineChange[] }
  | { readonly kind: "whole"; readonly is: PartLines }
  | { readonly kind: "new"; readonly is: PartLines; readonly after: string | null }
  | { readonly kind: "gone"; readonly was: PartLines };

/** Maximum effort of a comparison. Beyond it a change is told more coarsely: a long text must not hold up a turn. */
const effort: Effort = { edits: 400, steps: 500_000 };
/** Maximum number of characters between two changes that are told as one: naming both separately would be longer. */
const maxJoinedChars = 60;

/**
 * Compares two versions of a section part by part: the changes, made in this order in the parts of `before`, give the text of
 * `now` line by line.
 */
function changesBetween(before: SectionText, now: SectionText): readonly PartChange[] {
  const [was, is] = [partsIn(before), partsIn(now)];
  const byPart = was && is ? partChanges(was, is) : null;
  if (byPart) return byPart;
  const [old, whole] = [wholeOf(before), wholeOf(now)];
  return [{ kind: "lines", was: old, is: whole, changes: lineChanges(old, whole) ?? [] }];
}

function wholeOf({ text }: SectionText): PartLines {
  return { name: null, from: 0, lines: text.split("\n") };
}

/**
 * Splits a section into the lines of its parts, in order. Blank lines between two parts belong to the second, so that the last
 * part can go without a change in the one before. Undefined where parts share a line, have no names of their own, or have
 * anything else between them.
 */
export function partsIn({ text, spans }: SectionText): readonly PartLines[] | undefined {
  const lines = text.split("\n");
  const starts: { readonly name: string | null; readonly from: number }[] = [];
  let offset = 0;
  let line = 0;
  let blank = 0;
  for (const { part: name = null, length } of spans) {
    const piece = text.slice(offset, offset + length);
    const last = starts.at(-1);
    if (name !== null || last === undefined || last.name !== null) {
      if (offset > 0 && text[offset - 1] !== "\n") return undefined;
      starts.push({ name, from: line - blank });
    }
    const ends = piece.length - piece.replace(/\n+$/, "").length;
    blank = Math.max(0, ends - 1);
    line += piece.split("\n").length - 1;
    offset += length;
  }
  const names = starts.flatMap(({ name }) => name ?? []);
  const between = starts.slice(1, -1).some(({ name }) => name === null);
  if (names.length === 0 || between || new Set(names).size < names.length) return undefined;
  const parts = starts.map(({ name, from }, at) => ({ name, from, lines: lines.slice(from, starts[at + 1]?.from) }));
  return parts.every((part) => part.lines.length > 0) ? parts : undefined;
}

/** Compares the parts of two versions; null where the lines around the parts changed as well. */
function partChanges(was: readonly PartLines[], is: readonly PartLines[]): PartChange[] | null {
  const outerLines = (all: readonly PartLines[]) =>
    JSON.stringify([0, all.length - 1].map((at) => (all[at]?.name === null ? all[at].lines : null)));
  if (outerLines(was) !== outerLines(is)) return null;
  const [old, now] = [was, is].map(
    (all) => new Map(all.flatMap((one) => (one.name === null ? [] : [[one.name, one]]))),
  );
  const names = differences([...(old as Parts).keys()], [...(now as Parts).keys()], effort);
  const partOf = (parts: Parts | undefined, name: string) => parts?.get(name) as PartLines;
  const namesOf = (kind: Hunk["kind"]) => names.flatMap((hunk) => (hunk.kind === kind ? hunk.lines : []));
  const order = [...(now as Parts).keys()];
  const before = new Map(order.map((name, at) => [name, order[at - 1] ?? null]));
  return [
    ...namesOf("removed").map((name): PartChange => ({ kind: "gone", was: partOf(old, name) })),
    ...namesOf("same").flatMap((name) => changesOf(partOf(old, name), partOf(now, name))),
    ...namesOf("added").map(
      (name): PartChange => ({ kind: "new", is: partOf(now, name), after: before.get(name) ?? null }),
    ),
  ];
}

type Parts = ReadonlyMap<string, PartLines>;

/** Compares one part; where its lines cannot be told one by one, it is told whole. */
function changesOf(was: PartLines, is: PartLines): PartChange[] {
  if (was.lines.length === is.lines.length && was.lines.every((line, at) => line === is.lines[at])) return [];
  const changes = lineChanges(was, is);
  return changes ? [{ kind: "lines", was, is, changes }] : [{ kind: "whole", is }];
}

/** Compares the lines of a part; undefined where the blank lines before it changed. */
function lineChanges(was: PartLines, is: PartLines): LineChange[] | undefined {
  const lead = leadOf(was);
  if (lead !== leadOf(is)) return undefined;
  const changes: LineChange[] = [];
  let [x, y] = [lead, lead];
  for (const { kind, lines } of differences(was.lines.slice(lead), is.lines.slice(lead), effort)) {
    const last = changes.at(-1);
    const goesOn = last !== undefined && last.at + last.removed.length === x - lead;
    if (kind !== "same") {
      const [removed, added] = kind === "removed" ? [lines, []] : [[], lines];
      const change = goesOn
        ? { ...last, removed: [...last.removed, ...removed], added: [...last.added, ...added] }
        : { at: x - lead, removed, added, was: was.from + x, is: is.from + y };
      changes.splice(goesOn ? -1 : changes.length, 1, change);
    } else if (goesOn && x - lead + lines.length < was.lines.length - lead && charactersIn(lines) <= maxJoinedChars)
      changes.splice(-1, 1, { ...last, removed: [...last.removed, ...lines], added: [...last.added, ...lines] });
    if (kind !== "added") x += lines.length;
    if (kind !== "removed") y += lines.length;
  }
  return changes;
}

function charactersIn(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 3, 0);
}

/** Counts the blank lines before a part; a whole section has none. */
function leadOf({ name, lines }: PartLines): number {
  if (name === null) return 0;
  const first = lines.findIndex((line) => line !== "");
  return first === -1 ? 0 : first;
}
