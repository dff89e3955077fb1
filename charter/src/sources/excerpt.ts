import { grouped } from "../prompt/problem.ts";

/** The opening of a text, and how much of its file it leaves out. */
export type Excerpt = { readonly text: string; readonly missing: number };

/**
 * A text in at most so many bytes: whole, or cut at the end of a line with a last line that tells its reader so. `more`:
 * bytes that come after the text already. A line that fills half the room by itself is cut after a character.
 */
export function excerpt(text: string, maxBytes: number, more: number): Excerpt {
  const length = Buffer.byteLength(text);
  if (more === 0 && length <= maxBytes) return { text, missing: 0 };
  const total = length + more;
  const opening = firstBytes(text, Math.max(0, maxBytes - Buffer.byteLength(toldLine(total))));
  const line = opening.lastIndexOf("\n");
  const kept = (line > opening.length / 2 ? opening.slice(0, line) : opening).trimEnd();
  const missing = total - Buffer.byteLength(kept);
  return { text: `${kept}${toldLine(missing)}`, missing };
}

function toldLine(missing: number): string {
  return `\n\n(cut here: ${grouped(missing)} more bytes; read the file for the rest)`;
}

/** The whole characters within the first so many bytes. */
function firstBytes(text: string, bytes: number): string {
  const room = Buffer.alloc(bytes);
  return room.toString("utf8", 0, room.write(text));
}
