import { differences, type Effort, type Hunk } from "../prompt/diff.ts";
import type { SectionText, SentSpan } from "../prompt/receipt.ts";

/** Lines of a section: those of a named part with the blank ones before it, or those around its parts. */
export type PartLines = {
  readonly name: string | null;
  /** The section's line that is the first of them, counted from 0. */
  readonly from: number;
  readonly lines: readonly string[];
};

/** Lines of a part that gave way to others. `at` is the first of them, counted from 0, blank ones before the part aside. */
export type LineChange = {
  readonly at: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
  /** The section's lines that they were, and are. */
  readonly was: number;
  readonly is: number;
};

/** What became of a part of a section. `after` is the part before it, null for the first. */
export type PartChange =
  | { readonly kind: "lines"; readonly was: PartLines; readonly is: PartLines; readonly changes: readonly LineChange[] }
  | { readonly kind: "whole"; readonly is: PartLines }
  | { readonly kind: "new"; readonly is: PartLines; readonly after: string | null }
  | { readonly kind: "gone"; readonly was: PartLines };

/** Past this a difference is told coarser: a long text must not hold up a turn. */
const effort: Effort = { edits: 400, steps: 500_000 };
/** Unchanged lines between two changes that are told again, since to name both changes is longer. */
const nearby = 60;

/**
 * What changed between two versions of a section, part by part: made in the parts of before, in this order, the changes
 * give the words of now, line by line. Null where only the whole section can be told.
 */
export function changesBetween(before: SectionText, now: SectionText): readonly PartChange[] | null {
  const [was, is] = [partsIn(before), partsIn(now)];
  const byPart = was && is ? partChanges(was, is, isForeign(before, now)) : null;
  if (byPart) return byPart;
  // Its lines would stand without the line that says whose they are.
  if ([...before.spans, ...now.spans].some(({ trust }) => trust === "foreign")) return null;
  const [old, whole] = [wholeOf(before), wholeOf(now)];
  return [{ kind: "lines", was: old, is: whole, changes: lineChanges(old, whole) ?? [] }];
}

function wholeOf({ text }: SectionText): PartLines {
  return { name: null, from: 0, lines: text.split("\n") };
}

/**
 * The lines of a section by part, all of them in order. What parts two of them belongs to the second, so that the last
 * part can go without a word on the one before. Undefined where parts share a line, have no names of their own, or where
 * anything else stands between them.
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

/** Null where what stands around the parts changed as well. */
function partChanges(
  was: readonly PartLines[],
  is: readonly PartLines[],
  foreign: (name: string) => boolean,
): PartChange[] | null {
  const around = (all: readonly PartLines[]) =>
    JSON.stringify([0, all.length - 1].map((at) => (all[at]?.name === null ? all[at].lines : null)));
  if (around(was) !== around(is)) return null;
  const [old, now] = [was, is].map(
    (all) => new Map(all.flatMap((one) => (one.name === null ? [] : [[one.name, one]]))),
  );
  const names = differences([...(old as Parts).keys()], [...(now as Parts).keys()], effort);
  const partOf = (parts: Parts | undefined, name: string) => parts?.get(name) as PartLines;
  const named = (kind: Hunk["kind"]) => names.flatMap((hunk) => (hunk.kind === kind ? hunk.lines : []));
  const order = [...(now as Parts).keys()];
  const before = new Map(order.map((name, at) => [name, order[at - 1] ?? null]));
  return [
    ...named("removed").map((name): PartChange => ({ kind: "gone", was: partOf(old, name) })),
    ...named("same").flatMap((name) => changesOf(partOf(old, name), partOf(now, name), foreign(name))),
    ...named("added").map(
      (name): PartChange => ({ kind: "new", is: partOf(now, name), after: before.get(name) ?? null }),
    ),
  ];
}

type Parts = ReadonlyMap<string, PartLines>;

function isForeign(before: SectionText, now: SectionText): (name: string) => boolean {
  const names = [...before.spans, ...now.spans].filter(({ trust }) => trust === "foreign").map(({ part }) => part);
  const foreign = new Set<SentSpan["part"]>(names);
  return (name) => foreign.has(name);
}

/** A stranger's words are told whole, under the line that says whose they are. */
function changesOf(was: PartLines, is: PartLines, foreign: boolean): PartChange[] {
  if (was.lines.length === is.lines.length && was.lines.every((line, at) => line === is.lines[at])) return [];
  const changes = foreign ? undefined : lineChanges(was, is);
  return changes ? [{ kind: "lines", was, is, changes }] : [{ kind: "whole", is }];
}

/** Undefined where it stands otherwise apart from what is before it. */
function lineChanges(was: PartLines, is: PartLines): LineChange[] | undefined {
  const lead = leadOf(was);
  if (lead !== leadOf(is)) return undefined;
  const found: LineChange[] = [];
  let [x, y] = [lead, lead];
  for (const { kind, lines } of differences(was.lines.slice(lead), is.lines.slice(lead), effort)) {
    const last = found.at(-1);
    const goesOn = last !== undefined && last.at + last.removed.length === x - lead;
    if (kind !== "same") {
      const [removed, added] = kind === "removed" ? [lines, []] : [[], lines];
      const change = goesOn
        ? { ...last, removed: [...last.removed, ...removed], added: [...last.added, ...added] }
        : { at: x - lead, removed, added, was: was.from + x, is: is.from + y };
      found.splice(goesOn ? -1 : found.length, 1, change);
    } else if (goesOn && x - lead + lines.length < was.lines.length - lead && lengthOf(lines) <= nearby)
      found.splice(-1, 1, { ...last, removed: [...last.removed, ...lines], added: [...last.added, ...lines] });
    if (kind !== "added") x += lines.length;
    if (kind !== "removed") y += lines.length;
  }
  return found;
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 3, 0);
}

/** How many blank lines stand before a part; none before a section. */
export function leadOf({ name, lines }: PartLines): number {
  if (name === null) return 0;
  const first = lines.findIndex((line) => line !== "");
  return first === -1 ? 0 : first;
}
