import { widthOf } from "../../operations/print/width.ts";

/** Words on their way to a terminal, as they come. */
export type Flow = {
  /** What to write for these words. */
  readonly write: (words: string) => string;
  /** How far below its first row the cursor is now. */
  readonly rowsBelow: () => number;
};

/**
 * Breaks rows between words, and takes a word that has begun to the next row when it turns out not to fit. The rows are
 * broken here and not by the terminal: where the two count a character differently a row is a little short, but how many
 * there are is known, and what is wiped later is never a row more than was written.
 */
export function createFlow(columns: () => number, start: number): Flow {
  let row = 0;
  let column = start;
  let word = "";
  let wordAt = start;

  const breakRow = () => {
    row++;
    column = 0;
    word = "";
    wordAt = 0;
  };
  const add = (character: string) => {
    const width = widthOf(character);
    column += width;
    // Scripts without spaces break anywhere.
    word = width === 2 ? "" : word + character;
    if (width === 2) wordAt = column;
    return character;
  };
  const next = (character: string): string => {
    if (character === "\n") {
      breakRow();
      return "\n";
    }
    const fits = column + widthOf(character) <= columns();
    if (character === " ") {
      word = "";
      if (fits) column++;
      wordAt = column;
      return fits ? " " : "";
    }
    if (fits) return add(character);
    const [moved, from, alone] = [widthOf(character) === 2 ? "" : word, wordAt, wordAt === 0 && word !== ""];
    breakRow();
    // A word longer than a row is broken where the row ends, by the terminal: so an address can be copied whole.
    if (alone) return isPlain(moved + character) ? add(character) : `\n${add(character)}`;
    const wiped = moved === "" ? "" : `\u001b[${from + 1}G\u001b[K`;
    return `${wiped}\n${[...moved, character].map(add).join("")}`;
  };
  return { write: (words) => Array.from(words, next).join(""), rowsBelow: () => row };
}

/** Characters every terminal counts the same. */
function isPlain(words: string): boolean {
  return /^[\x21-\x7e]+$/.test(words);
}
