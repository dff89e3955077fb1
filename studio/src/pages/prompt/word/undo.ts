import { notIn } from "../document.ts";

/**
 * The words that stand, with one earlier change taken back: what it put in its place gives way to what stood there. Where
 * later changes have touched that, what it brought is taken out as far as it is still there.
 */
export function withoutChange(
  stands: string,
  { before, after }: { readonly before: string; readonly after: string },
): string {
  let first = 0;
  while (first < Math.min(before.length, after.length) && before[first] === after[first]) first++;
  let last = 0;
  const most = Math.min(before.length, after.length) - first;
  while (last < most && before[before.length - 1 - last] === after[after.length - 1 - last]) last++;
  const [put, stood] = [after.slice(first, after.length - last), before.slice(first, before.length - last)];
  if (put !== "" && once(stands, put)) return stands.replace(put, () => stood);
  return notIn(after, before).reduce((text, { start, end }) => {
    const words = after.slice(start, end);
    return words.trim() !== "" && once(text, words) ? text.replace(words, "") : text;
  }, stands);
}

function once(text: string, words: string): boolean {
  const at = text.indexOf(words);
  return at !== -1 && text.indexOf(words, at + 1) === -1;
}
