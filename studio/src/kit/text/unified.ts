/** A unified diff as the two texts it is of, as far as it shows them; what it leaves out between is one line of dots. */
export function textsOf(unified: string): { readonly before: string; readonly after: string } {
  const before: string[] = [];
  const after: string[] = [];
  const [, , ...lines] = unified.endsWith("\n") ? unified.slice(0, -1).split("\n") : unified.split("\n");
  lines.forEach((line, index) => {
    const words = line.slice(1);
    if (line.startsWith("-")) before.push(words);
    else if (line.startsWith("+")) after.push(words);
    else if (!line.startsWith("@")) both(line.startsWith(" ") ? words : line);
    else if (index > 0) both("⋯");
  });
  function both(words: string) {
    before.push(words);
    after.push(words);
  }
  return { before: before.join("\n"), after: after.join("\n") };
}
