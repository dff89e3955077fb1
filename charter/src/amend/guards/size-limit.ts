import { checkOptions, isNumber, optional } from "../../prompt/argument.ts";
import { countCharacters } from "../../prompt/character.ts";
import { grouped } from "../../prompt/problem.ts";
import { bringsOwnWords, type Guard } from "../guard.ts";

const limit = optional([isNumber, "Give limits by name: sizeLimit({ bytes: 8000 })."]);

/** The limits of `sizeLimit`, all inclusive. `bytes` are UTF-8 bytes, `chars` are code points. */
export type SizeLimitOptions = { readonly bytes?: number; readonly chars?: number; readonly minChars?: number };

/** Guard: keeps a section's text within a size. A reset is always allowed, even to an original that is larger. */
export function sizeLimit(options: SizeLimitOptions): Guard {
  checkOptions("sizeLimit", options, { bytes: limit, chars: limit, minChars: limit });
  const { bytes, chars, minChars: atLeastChars } = options;
  return (change) => {
    if (bringsOwnWords(change)) return undefined;
    const { after, placed } = change;
    const name = placed.section.name;
    const no = (because: string) => ({ guard: "size-limit", because });
    if (bytes !== undefined && utf8Bytes(after) > bytes)
      return no(`“${name}” would have ${grouped(utf8Bytes(after))} bytes; the limit is ${grouped(bytes)}.`);
    const characters = countCharacters(after);
    if (chars !== undefined && characters > chars)
      return no(`“${name}” would have ${grouped(characters)} characters; the limit is ${grouped(chars)}.`);
    if (atLeastChars !== undefined && characters < atLeastChars)
      return no(`“${name}” would have ${characters} characters; ${atLeastChars} is the least.`);
    return undefined;
  };
}

export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit < 0xdc00 && index + 1 < text.length) {
      bytes += 4;
      index++;
    } else bytes += 3;
  }
  return bytes;
}
