import { textWidth } from "./width.ts";

/** Words in lines of at most `width` columns, each behind the indent; a word that is longer has a line of its own. */
export function wrapText(text: string, width: number, indent = ""): string[] {
  if (width === Number.POSITIVE_INFINITY) return [indent + text];
  const room = Math.max(20, width - indent.length);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && textWidth(line) + 1 + textWidth(word) > room) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].map((one) => indent + one);
}

/** The same where the first line stands a little to the left of the others. */
export function wrapHanging(text: string, width: number): string[] {
  const [first = "", ...others] = wrapText(text, width, "    ");
  return [first.slice(2), ...others];
}
