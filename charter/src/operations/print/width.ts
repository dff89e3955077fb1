const { stripVTControlCharacters } = process.getBuiltinModule("node:util");

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const none = /[\p{Mn}\p{Me}]|[\u200b-\u200f]/u;

/**
 * How many columns a character takes. Terminals disagree on emoji made of several: each is counted here as if it stood
 * alone, so that the sum is seldom too small.
 */
export function widthOf(character: string): number {
  if (character < "\u0300") return 1;
  if (character === "\ufe0f") return 1;
  return none.test(character) ? 0 : wide.test(character) ? 2 : 1;
}

/** The columns of a text on one line, whatever its colours. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of stripVTControlCharacters(text)) width += widthOf(character);
  return width;
}
