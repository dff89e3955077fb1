/** Maximum length of a Telegram message, in UTF-16 units. */
export const maxMessageLength = 4096;

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

let segmenter: Intl.Segmenter | undefined;

/** Returns the start of the character that contains `index`. */
function graphemeAt(text: string, index: number): number {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text.slice(0, index + 2)).containing(index)?.index ?? index;
}
