import { endSigns } from "./character.ts";

/** Whatever any reader may take for white space or not see at all. */
export const space =
  "[\\s\\u0000-\\u0020\\u0085\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180E\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u206F\\u3164\\uFE00-\\uFE0F\\uFFA0\\uFEFF]";

/** The mark of a quotation or of a list item. */
const mark = `(?:>|[-+*](?=${space}|$)|\\d+[.)](?=${space}|$))`;

/** What may stand before a block on its line: any of those, in any depth. */
export const before = `(?:${space}|${mark})*`;

/** The mark before what a term means, in a list of definitions. */
export const meaning = `[:~](?=${space}|$)`;

/** A line that is blank to every reader. */
export const blank = /^[ \t]*$/;

const spaces = new RegExp(`${space}+`, "g");

/** A line as it is compared: any case, any width, any white space or none. Of a long one, the beginning. */
export function lineKey(line: string): string {
  return line.replace(spaces, "").slice(0, 1000).normalize("NFKC").toLowerCase().replace(spaces, "");
}

/** A text's lines by the widest idea of a line end. `plain`: it begins and ends where all readers agree. */
export type LineCuts = {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly plain: readonly boolean[];
};

/** Whatever any reader may take for the end of a line: to one, U+2424 is. */
export const lineEnds = `${endSigns}\\u2424`;
export const anyLineEnd = new RegExp(`\\r\\n|[${lineEnds}]`, "g");

export function lineCuts(text: string): LineCuts {
  const starts = [0];
  const ends: number[] = [];
  const plain: boolean[] = [];
  let opened = true;
  for (const { index, 0: end } of text.matchAll(anyLineEnd)) {
    const agreed = end === "\n" || end === "\r\n";
    ends.push(index);
    plain.push(opened && agreed);
    starts.push(index + end.length);
    opened = agreed;
  }
  ends.push(text.length);
  plain.push(opened);
  return { starts, ends, plain };
}
