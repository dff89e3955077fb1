import { printable, sizeText } from "./output.ts";
import type { WorkspaceLimits } from "./workspace-limits.ts";

type Tail = {
  readonly add: (chunk: Buffer) => void;
  /** The last lines that fit, and what is to be said about the rest. */
  readonly text: () => { readonly text: string; readonly note?: string };
};

/** The end of what a command prints: it may print for ever, and takes no more memory for it. */
export function createTail({ lines: maxLines, bytes: maxBytes }: Pick<WorkspaceLimits, "lines" | "bytes">): Tail {
  // What a terminal would not show is taken out at the end, so more than the limit is kept until then.
  const keep = 4 * maxBytes;
  const chunks: Buffer[] = [];
  let kept = 0;
  let total = 0;
  let ends = 0;
  let last = 0;
  const count = (chunk: Buffer): void => {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (byte === 10 ? last !== 13 : byte === 13) ends++;
      last = byte;
    }
  };
  return {
    add: (chunk) => {
      count(chunk);
      total += chunk.length;
      kept += chunk.length;
      chunks.push(chunk);
      while (kept - (chunks[0]?.length ?? 0) >= keep) kept -= chunks.shift()?.length ?? 0;
    },
    text: () => {
      const shown = printable(soundText(Buffer.concat(chunks), total > kept));
      const lines = shown.replace(/\n$/, "").split("\n");
      const all = total === 0 ? 0 : ends + (last === 10 || last === 13 ? 0 : 1);
      const { from, cut } = tailFrom(lines, maxLines, maxBytes);
      const text = cut ?? lines.slice(from).join("\n");
      if (cut === undefined && from === 0 && total === kept) return { text };
      const first = all - (lines.length - from) + 1;
      const which = cut === undefined ? `Lines ${first}-${all} of ${all}` : `The end of line ${all} of ${all}`;
      return { text, note: `${which}; ${sizeText(total)} were printed in all, and what came before is gone.` };
    },
  };
}

/** From which line on they fit; a last line that is too long alone is cut at its beginning. */
function tailFrom(lines: readonly string[], mostLines: number, mostBytes: number): { from: number; cut?: string } {
  let bytes = 0;
  let from = lines.length;
  while (from > 0 && lines.length - from < mostLines) {
    bytes += Buffer.byteLength(lines[from - 1] as string) + 1;
    if (bytes - 1 > mostBytes) break;
    from--;
  }
  if (from < lines.length) return { from };
  const whole = Buffer.from(lines.at(-1) ?? "");
  return { from: lines.length - 1, cut: soundText(whole.subarray(Math.max(0, whole.length - mostBytes)), true) };
}

/** What is no UTF-8 is replaced; half a character at a cut is not there at all. */
function soundText(bytes: Buffer, cut: boolean): string {
  let start = 0;
  while (cut && start < 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.toString("utf8", start);
}
