/** A word as it is written, in small letters, and as it is compared. */
export type Word = { readonly written: string; readonly folded: string };

/** Scripts that put no spaces between words: each pair of neighbouring letters counts as one. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;

/** The words of a text, in their order. */
export function wordsOf(text: string): Word[] {
  const small = text.normalize("NFKC").toLowerCase().normalize("NFC");
  return [...small.matchAll(/[\p{L}\p{N}\p{M}]+/gu)].flatMap(([run]) => piecesOf(run));
}

function piecesOf(run: string): Word[] {
  const out: Word[] = [];
  let from = 0;
  const spaced = (stretch: string) => {
    const bare = folded(stretch).replace(/[^\p{L}\p{N}]+/gu, "");
    if (bare !== "") out.push({ written: stretch, folded: bare });
  };
  for (const found of run.matchAll(unspaced)) {
    spaced(run.slice(from, found.index));
    for (const pair of pairs(found[0])) out.push(pair);
    from = found.index + found[0].length;
  }
  spaced(run.slice(from));
  return out;
}

function pairs(stretch: string): Word[] {
  const letters = [...folded(stretch)].filter((letter) => /[\p{L}\p{N}]/u.test(letter));
  const words = letters.length < 2 ? letters : letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
  return words.map((word) => ({ written: word, folded: word }));
}

/** As letters are compared: no case, no accents, one form. */
export function folded(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().normalize("NFKC");
}
