/** Words in lines of at most `width` characters, each behind the indent; a word that is longer has a line of its own. */
export function wrapped(text: string, width: number, indent = ""): string[] {
  const room = Math.max(20, width - indent.length);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > room) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].map((one) => indent + one);
}
