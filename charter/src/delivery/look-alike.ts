import { skeletonOf } from "../amend/override/normalise.ts";

/** Signs that stand for a letter or digit of ASCII, letters of scripts that have the same shapes, and others' digits. */
const lookAlike =
  /[\u00b2\u00b3\u00b9\u2070-\u209f\u2100-\u214f\u2460-\u24ff\u2776-\u2793\uff01-\uff5e\u{1d400}-\u{1d7ff}\u{1f100}-\u{1f189}]|[\u0250-\u02af\u1d00-\u1dbf\p{sc=Cyrl}\p{sc=Grek}\p{sc=Armn}\p{sc=Cher}\p{sc=Copt}]|(?![0-9])\p{Nd}/gu;
const tag = /[\u{e0020}-\u{e007e}]/gu;
/** What no eye sees, to fill up the place of a longer character. */
const nothing = "\u200b";

/**
 * The ways a model may read a text: with what only looks like a letter or digit of ASCII as that one, and with what is
 * spelled in invisible tag characters. Every character keeps its place in each.
 */
export function lookAlikeReadings(words: string): readonly string[] {
  const seen = words.replace(lookAlike, inPlace);
  if (words.search(tag) === -1) return [seen];
  const hidden = (one: string) => String.fromCodePoint((one.codePointAt(0) as number) - 0xe0000) + nothing;
  return [seen, words.replace(tag, hidden)];
}

const known = new Map<string, string>();

function inPlace(one: string): string {
  const before = known.get(one);
  if (before !== undefined) return before;
  const read = asciiOf(one)?.padEnd(one.length, nothing) ?? one;
  known.set(one, read);
  return read;
}

function asciiOf(one: string): string | undefined {
  const code = one.codePointAt(0) as number;
  const plain =
    code >= 0x2776 && code <= 0x2793 // digits in black and white circles, which compatibility forms leave alone
      ? String(((code - 0x2776) % 10) + 1)
      : code >= 0x1f150 && code <= 0x1f189
        ? String.fromCharCode(97 + ((code - 0x1f150) % 32))
        : /\p{Nd}/u.test(one)
          ? String(digitOf(code))
          : one.normalize("NFKC");
  const bare = plain.replace(/^\((.)\)$|^(.)[.,]$/, "$1$2"); // ⒜ and ⒈ and 🄂
  const folded = /^[\u0020-\u007e]$/.test(bare) ? bare : skeletonOf(bare);
  return /^[\u0020-\u007e]$/.test(folded) ? folded : undefined;
}

/** Unicode keeps the ten digits of each script in a row, from zero on. */
function digitOf(code: number): number {
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return (code - zero) % 10;
}
