/**
 * A value as JSON in which nothing hides: characters that cannot be seen, or that turn the letters after them around, are
 * written out (\u202e). It says the same; whoever says yes to it has seen what it says.
 */
export function plainJson(value: unknown): string {
  return visible(JSON.stringify(value, null, 2) ?? "");
}

/** A text in which nothing hides, in the same way. */
export function visible(text: string): string {
  return text.replace(hidden, written);
}

/** What joins the parts of one emoji is seen as that emoji. */
const hidden = /(?<!\p{Extended_Pictographic}\u{fe0f}?)\u{200d}|(?!\u{200d})\p{Cf}|[\u{85}\u{2028}\u{2029}]/gu;

function written(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
