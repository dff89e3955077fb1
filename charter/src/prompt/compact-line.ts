import { countCharacters, oneLine } from "./character.ts";
import { fromText, type Reading } from "./reading.ts";

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
