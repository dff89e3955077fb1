import { read } from "node:fs";
import { promisify } from "node:util";

type ReadLinesOptions = {
  /** The first line, counted from 1. */
  readonly from: number;
  readonly lines: number;
  readonly bytes: number;
  /** The file is read to its end, to say how many lines it has. */
  readonly count: boolean;
};

export type LineWindow = {
  readonly bytes: Buffer;
  /** So many lines are in it; the last of them may be a cut one. */
  readonly lineCount: number;
  /** The first line alone was too long: so many bytes it has in all. */
  readonly cut: number | undefined;
  /** There are lines after it. */
  readonly more: boolean;
  /** Lines in all, where the end was reached. */
  readonly total: number | undefined;
};

const chunkSize = 65_536;
const readInto = promisify(read);

/** Some lines of an open file of any size: no more of it is kept in memory than is shown. */
export async function readLines(fd: number, wanted: ReadLinesOptions, signal: AbortSignal): Promise<LineWindow> {
  const window = createWindow(wanted);
  const chunk = Buffer.allocUnsafe(chunkSize);
  while (!signal.aborted) {
    const { bytesRead } = await readInto(fd, chunk, 0, chunkSize, null);
    if (bytesRead === 0) return window.end();
    const enough = window.add(chunk.subarray(0, bytesRead));
    if (enough && !wanted.count) return window.result(undefined);
  }
  return window.result(undefined);
}

/** The same of a text that is there already. */
export function linesOfText(text: string, wanted: ReadLinesOptions): LineWindow {
  const window = createWindow(wanted);
  window.add(Buffer.from(text));
  return window.end();
}

function createWindow({ from, lines, bytes }: ReadLinesOptions) {
  const kept: Buffer[] = [];
  let size = 0;
  let taken = 0;
  /** The line that is being read, counted from 1, and what came of it so far. */
  let line = 1;
  let length = 0;
  let pieces: Buffer[] = [];
  let cut: number | undefined;
  let full = false;
  let more = false;

  /** A line too many is not kept; the first one is, as far as it goes. */
  const piece = (part: Buffer): void => {
    const room = bytes - size - length;
    length += part.length;
    if (full) more = true;
    else if (part.length <= room) pieces.push(Buffer.from(part));
    else if (taken > 0) {
      full = true;
      more = true;
      pieces = [];
    } else if (room > 0) pieces.push(Buffer.from(part.subarray(0, room)));
  };
  const finish = (): void => {
    if (line >= from && !full) {
      if (length > bytes) cut = length;
      kept.push(...pieces);
      size += Math.min(length, bytes);
      taken++;
      full = taken === lines || cut !== undefined;
    }
    pieces = [];
    length = 0;
    line++;
  };
  const result = (total: number | undefined): LineWindow => ({
    bytes: Buffer.concat(kept),
    lineCount: taken,
    cut,
    more,
    total,
  });
  return {
    /** True when no more of the file is needed, but to count its lines. */
    add: (chunk: Buffer): boolean => {
      for (let at = 0; at < chunk.length; ) {
        const end = chunk.indexOf(10, at);
        const next = end === -1 ? chunk.length : end + 1;
        if (line >= from) piece(chunk.subarray(at, next));
        else length += next - at;
        if (end !== -1) finish();
        at = next;
      }
      return more;
    },
    end: (): LineWindow => {
      if (length > 0) finish();
      return result(line - 1);
    },
    result,
  };
}
