const max = 300;

/** The first words of a text, on one line; none of its characters is halved. */
export function opening(text: string): string {
  const line = [...text.slice(0, 2 * max)].slice(0, max).join("").replaceAll(/\s+/g, " ").trim();
  return line.length < text.trim().length && text.length > max ? `${line}…` : line;
}
