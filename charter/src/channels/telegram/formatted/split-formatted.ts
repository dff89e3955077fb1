import { maxMessageLength } from "../split.ts";
import { graphemeAt } from "../split-point.ts";
import { endOf, type FormattedText, isCode, type TextEntity } from "./formatted-text.ts";

/** The most a message of Telegram may hold: beyond them it shows no more. */
export const maxEntities = 100;

type SplitOptions = { readonly max?: number; readonly entities?: number };

/**
 * Splits a formatted text into messages, where a reader would: after a paragraph, a line, a sentence or a word, and not
 * inside code that has room in a message of its own. Nothing is lost but white space at the cuts. What was bold or code is
 * so on both sides.
 */
export function splitFormatted(whole: FormattedText, options: SplitOptions = {}): FormattedText[] {
  const { max = maxMessageLength, entities: most = maxEntities } = options;
  const messages: FormattedText[] = [];
  for (let left = slice(whole, 0, whole.text.length); left.text.trim() !== ""; ) {
    const room = Math.min(max, roomForEntities(left.entities, most) ?? max);
    const end = left.text.length <= room ? left.text.length : cutAt(left, room);
    const { text, entities } = trimmedEnd(slice(left, 0, end));
    if (text !== "") messages.push({ text, entities: entities.slice(0, most) });
    left = slice(left, nextStart(left, end), left.text.length);
  }
  return messages;
}

/** Where the first entity begins that is one too many; none where so many begin at once that no cut helps. */
function roomForEntities(entities: readonly TextEntity[], most: number): number | undefined {
  const over = entities[most]?.offset ?? 0;
  return over > 0 ? over : undefined;
}

/** A part of a text, with what of its entities lies in it. */
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

/** The best place to end a message: after half of it at least, so that a text does not go out in crumbs. */
function cutAt({ text, entities }: FormattedText, room: number): number {
  const words = text.slice(0, room + 1);
  const code = entities.filter(isCode);
  const inCode = (at: number) => code.some((one) => one.offset < at && at < endOf(one));
  const ends = (pattern: RegExp) => Array.from(words.matchAll(pattern), ({ index, 0: found }) => index + found.length);
  const before = code.filter((one) => endOf(one) > room && one.length <= room).map(({ offset }) => offset);
  const choices: readonly (readonly [ends: readonly number[], least: number])[] = [
    [ends(paragraph).filter((at) => !inCode(at)), room / 2],
    [ends(line).filter((at) => !inCode(at)), room / 2],
    [ends(sentence).filter((at) => !inCode(at)), room / 2],
    [before, 1],
    [ends(line), room / 2],
    [ends(word), room / 2],
  ];
  for (const [places, least] of choices) {
    const found = places.findLast((at) => at >= least && at <= room && graphemeAt(text, at) === at);
    if (found !== undefined) return found;
  }
  return graphemeAt(text, room) || codePointAt(text, room) || Math.max(1, room);
}

function codePointAt(text: string, index: number): number {
  return index > 0 && (text.codePointAt(index - 1) ?? 0) > 0xffff ? index - 1 : index;
}

/** White space at the cut goes, but not how far a line is set in: neither in code, nor in a list. */
function nextStart({ text, entities }: FormattedText, end: number): number {
  const inCode = entities.some((one) => one.type === "pre" && one.offset < end && end < endOf(one));
  if (inCode) return text[end] === "\n" ? end + 1 : end;
  const [lines = ""] = /^(?:[^\S\n]*\n)+/.exec(text.slice(end)) ?? [];
  const [spaces = ""] = lines === "" ? (/^[^\S\n]*/.exec(text.slice(end)) ?? []) : [];
  return end + lines.length + graphemeAt(text.slice(end), spaces.length);
}
