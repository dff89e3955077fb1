/**
 * Text in which every character stands for one byte. A file that is edited goes through it as it is, whatever its
 * encoding; where UTF-8 is looked for in UTF-8, a match never begins inside a character.
 */
type ByteText = string;

export function byteText(words: string): ByteText {
  return Buffer.from(words).toString("latin1");
}

export type ReplaceOptions = { readonly oldText: string; readonly newText: string };

type ReplaceResult =
  | { readonly kind: "replaced"; readonly text: ByteText }
  | { readonly kind: "same" }
  /** How often it was found, as far as it was counted, and at which lines, counted from 1: the first few. */
  | { readonly kind: "not-once"; readonly times: number; readonly lines: readonly number[] };

/** So many places are told, and so many counted: where long words overlap with themselves, each costs their length. */
const fewTold = 10;
export const maxCounted = 1000;

const mark = byteText("\uFEFF");

/**
 * Puts new words in the place of old ones that stand exactly once. How lines end does not matter for finding them, and
 * new lines end as those did that they replace; all other bytes stay as they are, a byte-order mark included.
 */
export function replaceOnce(file: ByteText, { oldText, newText }: ReplaceOptions): ReplaceResult {
  const [before, after] = [wordsOf(oldText), wordsOf(newText)];
  if (before === after) return { kind: "same" };
  const plain = file.replaceAll("\r\n", "\n");
  const found = placesOf(plain, before);
  const [at] = found;
  if (at === undefined || found.length > 1) {
    const lines = found.slice(0, fewTold).map((place) => lineAt(plain, place));
    return { kind: "not-once", times: found.length, lines };
  }
  const [start, end] = [indexIn(file, at), indexIn(file, at + before.length)];
  const replaced = file.slice(start, end);
  const words = endsInPairs(replaced.includes("\n") ? replaced : file) ? after.replaceAll("\n", "\r\n") : after;
  const text = file.slice(0, start) + words + file.slice(end);
  return text === file ? { kind: "same" } : { kind: "replaced", text };
}

/** A mark before words is none of them; a mark alone is all that was given. */
function wordsOf(words: string): ByteText {
  const bytes = byteText(words).replaceAll("\r\n", "\n");
  return bytes.startsWith(mark) && bytes !== mark ? bytes.slice(mark.length) : bytes;
}

/** Also those that overlap: which of them is meant nobody can say. */
function placesOf(text: string, words: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(words); at !== -1 && places.length < maxCounted; at = text.indexOf(words, at + 1))
    places.push(at);
  return places;
}

function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < index; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

/** An index in a text whose line ends are one character, as one in the text itself. */
function indexIn(text: string, plain: number): number {
  let pairs = 0;
  for (let at = text.indexOf("\r\n"); at !== -1 && at - pairs < plain; at = text.indexOf("\r\n", at + 2)) pairs++;
  return plain + pairs;
}

/** Do its lines end in a carriage return and a newline, most of them? */
function endsInPairs(text: string): boolean {
  const pairs = text.split("\r\n").length - 1;
  return pairs > (text.split("\n").length - 1) / 2;
}

/** The line from which on a text reads like these words but for the space around lines: it helps to say so. */
export function nearMiss(text: string, words: string): number | undefined {
  const wanted = trimmedLines(words.trim());
  const lines = trimmedLines(text);
  if (wanted.length * lines.length > 10_000_000) return undefined;
  const at = lines.findIndex((_, start) => wanted.every((line, index) => lines[start + index] === line));
  return at === -1 ? undefined : at + 1;
}

function trimmedLines(text: string): string[] {
  return text.split("\n").map((line) => line.trim());
}
