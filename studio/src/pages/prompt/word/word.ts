/** A stretch of the text. */
export type Stretch = { readonly start: number; readonly end: number };

const wordSign = /[\p{L}\p{M}\p{N}_'’-]/u;
const longest = 80;

/** The word at a place, or the one sign there; nothing where there is only white space. Very long ones are cut. */
export function wordAt(text: string, offset: number): Stretch | undefined {
  const at = isLow(text, offset) ? offset - 1 : offset;
  const sign = signAt(text, at);
  if (sign === "" || /\s/u.test(sign)) return undefined;
  if (!wordSign.test(sign)) return { start: at, end: at + sign.length };
  let [start, end] = [at, at + sign.length];
  while (start > 0 && at - start < longest) {
    const before = signAt(text, isLow(text, start - 1) ? start - 2 : start - 1);
    if (!wordSign.test(before)) break;
    start -= before.length;
  }
  while (end < text.length && end - at < longest) {
    const after = signAt(text, end);
    if (!wordSign.test(after)) break;
    end += after.length;
  }
  return { start, end };
}

/** The nearest word after (or before) a stretch, inside these bounds. */
export function nextWord(text: string, from: Stretch, step: 1 | -1, bounds: Stretch): Stretch | undefined {
  for (let at = step === 1 ? from.end : from.start - 1; at >= bounds.start && at < bounds.end; at += step) {
    const word = wordAt(text, at);
    if (word && wordSign.test(signAt(text, word.start))) return word;
  }
  return undefined;
}

function signAt(text: string, at: number): string {
  const point = text.codePointAt(at);
  return point === undefined ? "" : String.fromCodePoint(point);
}

function isLow(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return at > 0 && unit >= 0xdc00 && unit < 0xe000;
}
