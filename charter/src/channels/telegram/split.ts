/** Maximum length of a Telegram message, in UTF-16 units. */
export const maxMessageLength = 4096;

/**
 * Splits a text into messages of at most `max` UTF-16 units, where a reader would: after a paragraph, a line, a sentence or a
 * word. Nothing is lost but white space at the ends; a code fence that has to be cut is closed and opened again. For channels of
 * your own with a length limit.
 */
export function splitMessage(text: string, max: number = maxMessageLength): string[] {
  const messages: string[] = [];
  let left: Left = { text, open: undefined };
  while (left.text !== "") {
    const { text, open } = left;
    const opening = open ? `${open.opener}\n` : "";
    const { end, fence } = splitPointOf({ text, open, room: max - opening.length, max });
    const words = text.slice(0, end);
    const closing = fence ? `${words.endsWith("\n") ? "" : "\n"}${fence.closer}` : "";
    const message = `${opening}${words}${closing}`.trimEnd();
    if (message.trim() !== "") messages.push(message);
    left = fence ? codeLeft(text, end, fence) : wordsLeft(text.slice(end));
  }
  return messages;
}

type Left = { readonly text: string; readonly open: CodeFence | undefined };

/** Drops white space at the cut, but not the indentation of the next line, nor a space that carries a mark. */
function wordsLeft(text: string): Left {
  const lines = text.replace(/^(?:[^\S\n]*\n)+/, "");
  const spaces = lines === text ? (/^[^\S\n]*/.exec(text)?.[0].length ?? 0) : 0;
  return { text: lines.slice(graphemeAt(lines, spaces)), open: undefined };
}

/** Keeps all of a code block, except its closing line where that was written already. */
function codeLeft(text: string, end: number, fence: CodeFence): Left {
  const inLine = text[end - 1] !== "\n" && !/^\r?\n/.test(text.slice(end, end + 2));
  const code = text[end - 1] === "\n" ? text.slice(end) : text.slice(end).replace(/^\r?\n/, "");
  const [line = ""] = /^[^\n]*/.exec(code) ?? [];
  if (inLine || line.trim() !== fence.closer.trim()) return { text: code, open: fence };
  return wordsLeft(code.slice(line.length));
}

/** Maximum number of entities in a Telegram message: further ones are not shown. */
export const maxEntities = 100;

type SplitOptions = { readonly max?: number; readonly entities?: number };

/**
 * Splits a formatted text into messages, where a reader would: after a paragraph, a line, a sentence or a word, and not inside
 * code that fits into a message of its own. Nothing is lost but white space at the cuts. Formatting continues on both sides.
 */
export function splitFormatted(whole: FormattedText, options: SplitOptions = {}): FormattedText[] {
  const { max = maxMessageLength, entities: limit = maxEntities } = options;
  const messages: FormattedText[] = [];
  for (let left = slice(whole, 0, whole.text.length); left.text.trim() !== ""; ) {
    const room = Math.min(max, roomForEntities(left.entities, limit) ?? max);
    const end = left.text.length <= room ? left.text.length : cutAt(left, room);
    const { text, entities } = trimmedEnd(slice(left, 0, end));
    if (text !== "") messages.push({ text, entities: entities.slice(0, limit) });
    left = slice(left, nextStart(left, end), left.text.length);
  }
  return messages;
}

/** Returns the start of the first entity that exceeds the maximum; undefined where so many begin at once that no cut helps. */
function roomForEntities(entities: readonly TextEntity[], limit: number): number | undefined {
  const end = entities[limit]?.offset ?? 0;
  return end > 0 ? end : undefined;
}

/** Cuts out a part of a text, with its entities. */
function slice({ text, entities }: FormattedText, from: number, to: number): FormattedText {
  const kept = entities.flatMap((one) => {
    const [start, end] = [Math.max(one.offset, from), Math.min(endOf(one), to)];
    return end > start ? [{ ...one, offset: start - from, length: end - start }] : [];
  });
  return { text: text.slice(from, to), entities: kept };
}

function trimmedEnd(message: FormattedText): FormattedText {
  return slice(message, 0, message.text.trimEnd().length);
}

const paragraph = /\n(?=[ \t]*\n)/g;
const line = /(?=\n)/g;
const sentence = /[.!?…]["'”’»)\]]*(?=\s)|[。！？]["”’」』）]*/gu;
const word = /\S(?=\s)/gu;

/** Finds the best place to end a message: after half of it at least, so that no short pieces are sent. */
function cutAt({ text, entities }: FormattedText, room: number): number {
  const words = text.slice(0, room + 1);
  const code = entities.filter(isCode);
  const inCode = (at: number) => code.some((one) => one.offset < at && at < endOf(one));
  const ends = (pattern: RegExp) => Array.from(words.matchAll(pattern), ({ index, 0: match }) => index + match.length);
  const before = code.filter((one) => endOf(one) > room && one.length <= room).map(({ offset }) => offset);
  const choices: readonly (readonly [ends: readonly number[], least: number])[] = [
    [ends(paragraph).filter((at) => !inCode(at)), room / 2],
    [ends(line).filter((at) => !inCode(at)), room / 2],
    [ends(sentence).filter((at) => !inCode(at)), room / 2],
    [before, 1],
    [ends(line), room / 2],
    [ends(word), room / 2],
  ];
  for (const [places, minEnd] of choices) {
    const end = places.findLast((at) => at >= minEnd && at <= room && graphemeAt(text, at) === at);
    if (end !== undefined) return end;
  }
  return graphemeAt(text, room) || codePointAt(text, room) || Math.max(1, room);
}

function codePointAt(text: string, index: number): number {
  return index > 0 && (text.codePointAt(index - 1) ?? 0) > 0xffff ? index - 1 : index;
}

/** Drops white space at the cut, but not the indentation of a line in code or in a list. */
function nextStart({ text, entities }: FormattedText, end: number): number {
  const inCode = entities.some((one) => one.type === "pre" && one.offset < end && end < endOf(one));
  if (inCode) return text[end] === "\n" ? end + 1 : end;
  const [lines = ""] = /^(?:[^\S\n]*\n)+/.exec(text.slice(end)) ?? [];
  const [spaces = ""] = lines === "" ? (/^[^\S\n]*/.exec(text.slice(end)) ?? []) : [];
  return end + lines.length + graphemeAt(text.slice(end), spaces.length);
}

/** A stretch of a text and its format in Telegram, in UTF-16 units. */
export type TextEntity = {
  readonly type: "bold" | "italic" | "strikethrough" | "code" | "pre" | "blockquote";
  readonly offset: number;
  readonly length: number;
  /** Language of code (`pre`), where its author named one. */
  readonly language?: string;
};

/** A text without marks of its own, and its entities: each lies within the text, and within those it overlaps. */
export type FormattedText = { readonly text: string; readonly entities: readonly TextEntity[] };

/**
 * Prepares entities for Telegram: the outer before the inner, none of them empty. Code contains no other entity and has no other
 * style, so styles leave out the code within them.
 */
export function soundEntities(text: string, entities: readonly TextEntity[]): TextEntity[] {
  const code = entities.filter(isCode).toSorted((one, other) => one.offset - other.offset);
  return (
    entities
      .flatMap((one) => (isCode(one) || one.type === "blockquote" ? [one] : without(one, code)))
      .flatMap((one) => (isCode(one) ? [one] : trimmed(one, text)))
      .filter(({ length }) => length > 0)
      // Reverses the order, because of two with the same length the outer was written last.
      .toReversed()
      .toSorted((one, other) => one.offset - other.offset || other.length - one.length)
  );
}

function isCode({ type }: TextEntity): boolean {
  return type === "code" || type === "pre";
}

export function endOf({ offset, length }: TextEntity): number {
  return offset + length;
}

function without(style: TextEntity, code: readonly TextEntity[]): TextEntity[] {
  const pieces: TextEntity[] = [];
  let from = style.offset;
  for (const one of code) {
    if (endOf(one) <= from || one.offset >= endOf(style)) continue;
    pieces.push({ ...style, offset: from, length: Math.max(0, one.offset - from) });
    from = endOf(one);
  }
  return [...pieces, { ...style, offset: from, length: Math.max(0, endOf(style) - from) }];
}

function trimmed(one: TextEntity, text: string): TextEntity[] {
  const words = text.slice(one.offset, endOf(one));
  const before = words.length - words.trimStart().length;
  return words.trim() === "" ? [] : [{ ...one, offset: one.offset + before, length: words.trim().length }];
}

/** The end of a message, and the code fence that is open there. */
type SplitPoint = { readonly end: number; readonly fence: CodeFence | undefined };

/**
 * The text to be cut: a message takes the beginning of `text`, which is inside the fence `open`, in `room` of its `max` units.
 */
type SplitPointOptions = {
  readonly text: string;
  readonly open: CodeFence | undefined;
  readonly room: number;
  readonly max: number;
};

/** Kinds of places to end a message, the best for a reader first. */
const kinds = ["paragraph", "line", "sentence", "before code", "code line", "word", "code word"] as const;
type Kind = (typeof kinds)[number];

type Line = { readonly start: number; readonly end: number; readonly before?: CodeFence; readonly after?: CodeFence };

/** Finds the best place to end a message: after half of it at least, so that no short pieces are sent. */
function splitPointOf(cutting: SplitPointOptions): SplitPoint {
  const { text, room } = cutting;
  const lines = linesWithin(cutting);
  const last = lines.at(-1);
  const whole = { end: text.length, fence: last?.after };
  if (last?.end === text.length && fits(whole, room)) return whole;
  const ends = endsIn(cutting, lines);
  for (const kind of kinds) {
    const enough = kind === "before code" ? 1 : room / 2;
    const splitPoint = ends.findLast(
      (one) => one.kind === kind && one.end >= enough && fits(one, room) && graphemeAt(text, one.end) === one.end,
    );
    if (splitPoint) return splitPoint;
  }
  return anywhere(cutting, lines);
}

function fits({ end, fence }: SplitPoint, room: number): boolean {
  return end + (fence ? fence.closer.length + 1 : 0) <= room;
}

function linesWithin({ text, open, room, max }: SplitPointOptions): Line[] {
  const lines: Line[] = [];
  let before = open;
  for (let start = 0; start <= Math.min(room, text.length); ) {
    const { end, next } = lineFrom(text, start);
    const after = fenceAfter(text.slice(start, end), before, fenceUnits(max));
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
  { text, room, max }: SplitPointOptions,
  lines: readonly Line[],
): (SplitPoint & { readonly kind: Kind })[] {
  const ends: (SplitPoint & { readonly kind: Kind })[] = [];
  for (const [index, line] of lines.entries()) {
    const { start, end, before, after: fence } = line;
    // Avoids cutting a line that opens or closes a block, and ending a message with an opening line, unless nothing else fits.
    if (before === fence)
      for (const at of wordEnds(text.slice(start, end), room - start)) {
        // Part of a line may look like a fence where the whole does not.
        const openFence = fenceAfter(text.slice(start, start + at.end), before, fenceUnits(max));
        ends.push({ end: start + at.end, fence: openFence, kind: openFence ? "code word" : at.kind });
      }
    if (end === text.length || (fence && !before)) continue;
    const paragraph = /^\r?\n[^\S\n]*(?:\n|$)/.test(text.slice(end, end + room));
    ends.push({ end, fence, kind: fence ? "code line" : paragraph ? "paragraph" : "line" });
    const next = lines[index + 1];
    if (!fence && next?.after && blockFits(text, next, max)) ends.push({ end, fence, kind: "before code" });
  }
  return ends;
}

const sentenceEnd = /[.!?…]["'”’»)\]*_]*(?=\s)|[。！？]["”’」』）]*/gu;
const wordEnd = /\S(?=\s)/gu;
/** Pattern of a text that would look like a fence at the start of the next message. */
const likeFence = /^[\s>]*(?:```|~~~)/;

function wordEnds(line: string, room: number): { readonly end: number; readonly kind: "sentence" | "word" }[] {
  const words = line.slice(0, room + 1);
  const ends = (pattern: RegExp, kind: "sentence" | "word") =>
    [...words.matchAll(pattern)].map((match) => ({ end: match.index + match[0].length, kind }));
  return [...ends(sentenceEnd, "sentence"), ...ends(wordEnd, "word")].filter(
    ({ end }) => !likeFence.test(line.slice(end, end + 200)),
  );
}

/** Returns true if the block that a line opens fits into a message of its own. */
function blockFits(text: string, { start, after }: Line, max: number): boolean {
  let fence = after;
  for (let { next } = lineFrom(text, start); next <= Math.min(text.length, start + max); ) {
    const line = lineFrom(text, next);
    fence = fenceAfter(text.slice(next, line.end), fence, fenceUnits(max));
    if (!fence) return line.end - start <= max;
    next = line.next;
  }
  return false;
}

/** Cuts inside a word: between two characters as people see them; where one is longer than a message, between code points. */
function anywhere({ text, room, max }: SplitPointOptions, lines: readonly Line[]): SplitPoint {
  const cutAt = (end: number): SplitPoint => {
    const line = lines.findLast(({ start }) => start < end);
    const words = line ? text.slice(line.start, Math.min(end, line.end)) : "";
    return { end, fence: fenceAfter(words, line?.before, fenceUnits(max)) };
  };
  for (const boundary of [graphemeAt, codePointAt])
    for (let end = boundary(text, Math.min(room, text.length)); end > 0; end = boundary(text, end - 1)) {
      const cut = cutAt(end);
      if (fits(cut, room)) return cut;
    }
  return { end: text.length, fence: undefined };
}

let segmenter: Intl.Segmenter | undefined;

/** Returns the start of the character that contains `index`. */
function graphemeAt(text: string, index: number): number {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text.slice(0, index + 2)).containing(index)?.index ?? index;
}

/** An open code fence: the line that opens it again, and the shortest one that closes it. */
type CodeFence = { readonly opener: string; readonly closer: string };

/** Pattern of a fence. White space (a list's, say) and the marks of a quotation may precede it. */
const fenceLine = /^((?:[ \t]*>)*[ \t]*)(`{3,}|~{3,})([^\n]*)$/;

/**
 * Returns the fence that is open after a line. A mark longer than `max` counts as text, since closing it and opening it again
 * would leave no room; and where the line is longer, the words after the mark are left out when it is opened again.
 */
export function fenceAfter(line: string, open: CodeFence | undefined, max: number): CodeFence | undefined {
  const [, indent = "", mark = "", rest = ""] = fenceLine.exec(line) ?? [];
  if (mark === "" || indent.length + mark.length > max) return open;
  if (!open) {
    // Rejects marks with text between them on one line: they are no block.
    if (mark.startsWith("`") && rest.includes("`")) return undefined;
    return { opener: line.length <= max ? line.trimEnd() : indent + mark, closer: indent + mark };
  }
  const before = open.closer.trimStart().replace(/^[>\s]+/, "");
  return mark.startsWith(before) && rest.trim() === "" ? undefined : open;
}

/** Returns the longest fence for a message of this length: with one at either end, most of it is still for text. */
function fenceUnits(max: number): number {
  return Math.floor(max / 8);
}
