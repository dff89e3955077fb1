import type { OutputSize } from "../../operations/print/columns.ts";
import { plainText, textWidth, widthOf } from "../../operations/print/plain-text.ts";

/** Part of a stream that a screen needs. */
export type Output = {
  readonly write: (text: string) => unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

/** Colours; plain text if there are none. */
export type Paint = {
  readonly [Colour in "red" | "green" | "yellow" | "cyan" | "dim" | "bold"]: (text: string) => string;
};

/**
 * Output of a conversation. On a terminal a draft is shown as it comes and can be taken back. In a pipe standard output has the
 * answers alone, and everything else goes to standard error.
 */
export type Screen = {
  readonly live: boolean;
  readonly paint: Paint;
  /** Columns of a line; in a pipe unlimited. */
  readonly width: number;
  /** Prints lines that stay. While a draft is shown they wait until it is settled. */
  readonly note: (lines: readonly string[]) => void;
  /** Shows what is going on, until anything else is shown. */
  readonly status: (text: string) => void;
  readonly draft: (words: string) => void;
  /** Removes a draft that was not an answer, and returns it. */
  readonly dropDraft: () => string;
  readonly answer: (words: string) => void;
};

type ScreenOptions = {
  readonly out: Output;
  readonly err: Output;
  readonly paint: Paint;
  /** Beginning of an answer on a terminal. */
  readonly opening: string;
};

export function createScreen(showing: ScreenOptions): Screen {
  return showing.out.isTTY ? onTerminal(showing) : inPipe(showing);
}

function inPipe({ out, err, paint }: ScreenOptions): Screen {
  return {
    live: false,
    paint,
    width: Number.POSITIVE_INFINITY,
    note: (lines) => {
      for (const line of lines) err.write(`${line}\n`);
    },
    status: () => {},
    draft: () => {},
    dropDraft: () => "",
    answer: (words) => {
      out.write(words.endsWith("\n") ? words : `${words}\n`);
    },
  };
}

function onTerminal({ out, paint, opening }: ScreenOptions): Screen {
  let status = false;
  let draft = "";
  let flow: Flow | undefined;
  const waiting: string[] = [];
  const columns = () => out.columns ?? 80;

  const wipe = (below: number): boolean => {
    if (below >= (out.rows ?? 24)) return false;
    out.write(`${below > 0 ? `\u001b[${below}A` : ""}\r\u001b[J`);
    return true;
  };
  const clearStatus = () => {
    if (status) wipe(0);
    status = false;
  };
  const speak = (shown: string) => {
    const begins = flow === undefined;
    flow ??= createFlow(columns, textWidth(opening));
    out.write((begins ? opening : "") + flow.write(shown));
  };
  const note = (lines: readonly string[]) => {
    if (lines.length === 0) return;
    if (draft !== "") {
      waiting.push(...lines);
      return;
    }
    clearStatus();
    for (const line of lines) out.write(`${line}\n`);
  };
  const outcome = () => note(waiting.splice(0));
  const takeBack = () => {
    clearStatus();
    const [words, below] = [draft, flow?.rowsBelow() ?? 0];
    draft = "";
    flow = undefined;
    if (words !== "" && !wipe(below)) out.write(`\n${paint.yellow("(The text above was a draft, not an answer.)")}\n`);
    outcome();
    return words;
  };
  return {
    live: true,
    paint,
    get width() {
      return columns();
    },
    note,
    dropDraft: takeBack,
    status: (text) => {
      if (draft !== "") return;
      clearStatus();
      status = true;
      out.write(paint.dim(text));
    },
    draft: (words) => {
      const safeText = plainText(words);
      if (safeText === "") return;
      clearStatus();
      speak(safeText);
      draft += safeText;
    },
    answer: (words) => {
      const safeText = plainText(words);
      if (draft !== safeText) {
        takeBack();
        speak(safeText);
      }
      draft = "";
      flow = undefined;
      out.write(safeText.endsWith("\n") ? "" : "\n");
      outcome();
    },
  };
}

/** Text on its way to a terminal, as it comes. */
type Flow = {
  /** Returns what to write for this text. */
  readonly write: (words: string) => string;
  /** Returns how many rows the cursor is below its first. */
  readonly rowsBelow: () => number;
};

/**
 * Wraps text between words as it arrives, and moves a word to the next row when it turns out not to fit. Rows are broken here and
 * not by the terminal: if both count a character differently a row is a little short, but their number is known, so that exactly
 * the rows that were written can be removed again.
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
    // A word longer than a row is broken by the terminal, so that an address can be copied whole.
    if (alone) return isPlain(moved + character) ? add(character) : `\n${add(character)}`;
    const wiped = moved === "" ? "" : `\u001b[${from + 1}G\u001b[K`;
    return `${wiped}\n${[...moved, character].map(add).join("")}`;
  };
  return { write: (words) => Array.from(words, next).join(""), rowsBelow: () => row };
}

/** Recognises characters that every terminal counts alike. */
function isPlain(words: string): boolean {
  return /^[\x21-\x7e]+$/.test(words);
}

/** Size of a screen, for tables. */
export function output({ live, width }: Screen): OutputSize {
  return live ? { isTTY: true, columns: width } : {};
}
