import { isObject, isText } from "./argument.ts";
import type { Attachment } from "./step-result.ts";

/** Counts the tokens of a text. `exact` is false for an estimate. `loadTokenizer` in `charter/tokenizer` loads one. */
export type Tokenizer = {
  readonly name: string;
  readonly exact: boolean;
  readonly count: (text: string) => number;
  /** Estimates the tokens of an attachment, by the rule of the model that is asked. */
  readonly attachment?: (attachment: Attachment) => number;
};

/** A stretch of a prompt, with its counts. */
export type Piece = {
  /** The text shown, without the white space that follows it. */
  readonly shown: string;
  readonly gap: string;
  readonly text: string;
  /** Says that the text was checked for characters no prompt may carry. */
  sound: boolean;
  tokens: number;
  countedBy: Tokenizer | undefined;
  chars: number;
  /** Says that tokens can be counted separately before it (`opens`), and after it (`ends`). */
  readonly opens: boolean;
  readonly ends: boolean;
  /** A further piece of the same part, with other words or another gap. */
  readonly other: Piece | undefined;
};

/**
 * The beginning of a text that tokenizers join with the newline before it: `/`, or white space that runs into a line end. Cut
 * anywhere else right after a newline, token counts add up exactly: no pre-token of o200k or cl100k reaches across.
 */
const clings = /^(?:\/|[\s\u0085]*(?:[\r\n]|$))/;

export function createPiece(shown: string, gap: string, other?: Piece): Piece {
  const text = gap === "" ? shown : shown + gap;
  return {
    shown,
    gap,
    text,
    sound: false,
    tokens: -1,
    countedBy: undefined,
    chars: -1,
    opens: !clings.test(text),
    ends: text.charCodeAt(text.length - 1) === 10,
    other,
  };
}

export function countPiece(piece: Piece, tokenizer: Tokenizer): number {
  if (piece.countedBy !== tokenizer) {
    piece.tokens = tokenizer.count(piece.text);
    piece.countedBy = tokenizer;
  }
  return piece.tokens;
}

/**
 * Counts the tokens of pieces that stand one after the other: exactly those of their joined text, counting anew only what was
 * never counted. `each` receives every piece's share; the shares add up to the total.
 */
export function countPieces(pieces: readonly Piece[], tokenizer: Tokenizer, each?: (share: number) => void): number {
  let total = 0;
  for (let index = 0; index < pieces.length; index++) {
    let piece = pieces[index] as Piece;
    let next = pieces[index + 1];
    let share = countPiece(piece, tokenizer);
    total += share;
    each?.(share);
    if (next === undefined || (piece.ends && next.opens)) continue;
    let run = piece.text;
    let counted = share;
    while (next !== undefined && !(piece.ends && next.opens)) {
      run += next.text;
      const whole = tokenizer.count(run);
      share = whole - counted;
      counted = whole;
      total += share;
      each?.(share);
      index++;
      piece = next;
      next = pieces[index + 1];
    }
  }
  return total;
}

/**
 * Makes vectors of texts, so that notes are found by meaning. Give a new model a new name: vectors of different names are not
 * compared.
 */
export type Embedder = {
  readonly name: string;
  /** Returns one vector for each text, all of the same length. */
  readonly embed: (
    texts: readonly string[],
    about: { readonly signal: AbortSignal },
  ) => Promise<readonly ArrayLike<number>[]>;
};

export function isEmbedder(value: unknown): value is Embedder {
  return isObject(value) && isText((value as Embedder).name) && typeof (value as Embedder).embed === "function";
}
