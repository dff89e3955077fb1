/** Colours, only where someone looks: on a terminal, and not when NO_COLOR asks for none. */
export function colours(stream: { readonly isTTY?: boolean }) {
  const on = stream.isTTY === true && !process.env.NO_COLOR;
  const paint = (code: number) => (text: string) => (on ? `\u001b[${code}m${text}\u001b[0m` : text);
  return {
    red: paint(31),
    green: paint(32),
    yellow: paint(33),
    blue: paint(34),
    cyan: paint(36),
    dim: paint(2),
    bold: paint(1),
  };
}

/** The lines of a diff: green came, red went. */
export function painted(lines: readonly string[]): string[] {
  const paint = colours(process.stdout);
  return lines.map((line) =>
    line.startsWith("+") ? paint.green(line) : line.startsWith("-") ? paint.red(line) : line,
  );
}
