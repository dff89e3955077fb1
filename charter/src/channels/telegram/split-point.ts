import { type CodeFence, fenceAfter, fenceUnits } from "./code-fence.ts";

/** Where a message ends, and the code fence that is open there. */
type SplitPoint = { readonly end: number; readonly fence: CodeFence | undefined };

/** What a message holds: the first of `text`, which is inside the fence `open`, in `room` of its `most` units. */
type SplitPointOptions = {
  readonly text: string;
  readonly open: CodeFence | undefined;
  readonly room: number;
  readonly max: number;
};

/** What ends there, from what reads best to what reads worst. */
const kinds = ["paragraph", "line", "sentence", "before code", "code line", "word", "code word"] as const;
type Kind = (typeof kinds)[number];

type Line = { readonly start: number; readonly end: number; readonly before?: CodeFence; readonly after?: CodeFence };

/** The best place to end a message: after half of it at least, so that a text does not go out in crumbs. */
export function splitPointOf(cutting: SplitPointOptions): SplitPoint {
  const { text, room } = cutting;
  const lines = linesWithin(cutting);
  const last = lines.at(-1);
  const whole = { end: text.length, fence: last?.after };
  if (last?.end === text.length && fits(whole, room)) return whole;
  const ends = endsIn(cutting, lines);
  for (const kind of kinds) {
    const enough = kind === "before code" ? 1 : room / 2;
    const found = ends.findLast(
      (one) => one.kind === kind && one.end >= enough && fits(one, room) && graphemeAt(text, one.end) === one.end,
    );
    if (found) return found;
  }
  return anywhere(cutting, lines);
}

function fits({ end, fence }: SplitPoint, room: number): boolean {
  return end + (fence ? fence.closer.length + 1 : 0) <= room;
}

function linesWithin({ text, open, room, max: most }: SplitPointOptions): Line[] {
  const lines: Line[] = [];
  let before = open;
  for (let start = 0; start <= Math.min(room, text.length); ) {
    const { end, next } = lineFrom(text, start);
    const after = fenceAfter(text.slice(start, end), before, fenceUnits(most));
    lines.push({ start, end, ...(before ? { before } : {}), ...(after ? { after } : {}) });
    before = after;
    start = next;
  }
  return lines;
}

function lineFrom(text: string, start: number): { readonly end: number; readonly next: number } {
  const newline = text.indexOf("\n", start);
  if (newline === -1) return { end: text.length, next: text.length + 1 };
  return { end: newline > start && text[newline - 1] === "\r" ? newline - 1 : newline, next: newline + 1 };
}

function endsIn(
  { text, room, max: most }: SplitPointOptions,
  lines: readonly Line[],
): (SplitPoint & { readonly kind: Kind })[] {
  const ends: (SplitPoint & { readonly kind: Kind })[] = [];
  for (const [index, line] of lines.entries()) {
    const { start, end, before, after: fence } = line;
    // A line that opens or closes a block is not cut, and nothing ends with one that opens, unless there is no other way.
    if (before === fence)
      for (const at of wordEnds(text.slice(start, end), room - start)) {
        // Part of a line may look like a fence where the whole does not.
        const there = fenceAfter(text.slice(start, start + at.end), before, fenceUnits(most));
        ends.push({ end: start + at.end, fence: there, kind: there ? "code word" : at.kind });
      }
    if (end === text.length || (fence && !before)) continue;
    const paragraph = /^\r?\n[^\S\n]*(?:\n|$)/.test(text.slice(end, end + room));
    ends.push({ end, fence, kind: fence ? "code line" : paragraph ? "paragraph" : "line" });
    const next = lines[index + 1];
    if (!fence && next?.after && blockFits(text, next, most)) ends.push({ end, fence, kind: "before code" });
  }
  return ends;
}

const sentenceEnd = /[.!?…]["'”’»)\]*_]*(?=\s)|[。！？]["”’」』）]*/gu;
const wordEnd = /\S(?=\s)/gu;
/** What begins the next message must not look like a fence there. */
const likeFence = /^[\s>]*(?:```|~~~)/;

function wordEnds(line: string, room: number): { readonly end: number; readonly kind: "sentence" | "word" }[] {
  const words = line.slice(0, room + 1);
  const ends = (pattern: RegExp, kind: "sentence" | "word") =>
    [...words.matchAll(pattern)].map((found) => ({ end: found.index + found[0].length, kind }));
  return [...ends(sentenceEnd, "sentence"), ...ends(wordEnd, "word")].filter(
    ({ end }) => !likeFence.test(line.slice(end, end + 200)),
  );
}

/** Whether the block that a line opens has room in a message of its own. */
function blockFits(text: string, { start, after }: Line, most: number): boolean {
  let fence = after;
  for (let { next } = lineFrom(text, start); next <= Math.min(text.length, start + most); ) {
    const line = lineFrom(text, next);
    fence = fenceAfter(text.slice(next, line.end), fence, fenceUnits(most));
    if (!fence) return line.end - start <= most;
    next = line.next;
  }
  return false;
}

/** Inside a word: between two characters as people see them; where one is longer than a message, between code points. */
function anywhere({ text, room, max: most }: SplitPointOptions, lines: readonly Line[]): SplitPoint {
  const cutAt = (end: number): SplitPoint => {
    const line = lines.findLast(({ start }) => start < end);
    const words = line ? text.slice(line.start, Math.min(end, line.end)) : "";
    return { end, fence: fenceAfter(words, line?.before, fenceUnits(most)) };
  };
  for (const boundary of [graphemeAt, codePointAt])
    for (let end = boundary(text, Math.min(room, text.length)); end > 0; end = boundary(text, end - 1)) {
      const cut = cutAt(end);
      if (fits(cut, room)) return cut;
    }
  return { end: text.length, fence: undefined };
}

let segmenter: Intl.Segmenter | undefined;

/** Where the character begins that `index` falls into. */
export function graphemeAt(text: string, index: number): number {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text.slice(0, index + 2)).containing(index)?.index ?? index;
}

function codePointAt(text: string, index: number): number {
  return index > 0 && (text.codePointAt(index - 1) ?? 0) > 0xffff ? index - 1 : index;
}
