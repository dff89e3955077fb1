import { lineEnd } from "../../prompt/character.ts";
import { lookAlikeReadings } from "../look-alike.ts";

/** What no eye sees, white space, and what dresses the start of a line in Markdown. */
const apart = "[\\s\\p{Cf}\\p{Cc}\\p{DI}\\p{Mn}]*";
const dressed = "[\\s\\p{Cf}\\p{Cc}\\p{DI}\\p{Mn}>#*_~`+-]*";
const opening = new RegExp(`^(${dressed})\\[${apart}${[..."system"].join(apart)}${apart}\\]`, "iu");

/**
 * Somebody else's words in a session whose instructions opened with the line `[System]`: a line that reads as one is made
 * inert, however it is spelled.
 */
export function withoutForgedSystem(words: string): string {
  const ends = new RegExp(lineEnd.source, "gu");
  const readings = lookAlikeReadings(words);
  if (!readings.some((read) => /\[/.test(read))) return words;
  const starts = [0, ...Array.from(words.matchAll(ends), ({ index, 0: { length } }) => index + length)];
  const places = starts.flatMap((start, index) => {
    const end = starts[index + 1] ?? words.length;
    const found = readings.map((read) => opening.exec(read.slice(start, end))).find((match) => match !== null);
    return found ? [start + (found[1] as string).length] : [];
  });
  let from = 0;
  let inert = "";
  for (const place of places) {
    inert += `${words.slice(from, place)}\\`;
    from = place;
  }
  return inert + words.slice(from);
}
