/** How much of a text is shown at first, and where that ends: at a line's end, if one is near. */
export function opening(text: string, max: number): string {
  if (text.length <= max) return text;
  const line = text.lastIndexOf("\n", max);
  const end = line >= max / 2 ? line : max;
  return text.slice(0, isHigh(text, end - 1) ? end - 1 : end);
}

/**
 * A text in stretches a browser can lay out one by one. They end where a line does, which then ends the stretch as well;
 * a line that is longer than a stretch is parted, so that no words are lost: joined by what parted them, they are the text.
 */
export function blocks(text: string, size: number): readonly { readonly text: string; readonly line: boolean }[] {
  const found: { text: string; line: boolean }[] = [];
  for (let at = 0; at <= text.length; ) {
    const left = text.length - at;
    const line = left <= size ? text.length : text.lastIndexOf("\n", at + size);
    const whole = line >= at;
    const cut = at + size;
    const end = whole ? line : isHigh(text, cut - 1) ? cut - 1 : cut;
    found.push({ text: text.slice(at, end), line: whole });
    at = whole ? end + 1 : end;
  }
  return found;
}

/** Half of a character stands here, and the other half after it. */
function isHigh(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit <= 0xdbff;
}
