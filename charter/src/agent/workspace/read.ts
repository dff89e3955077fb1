import { isUtf8 } from "node:buffer";
import { closeSync, read, readSync } from "node:fs";
import { promisify } from "node:util";
import { wholeEnd } from "../../sources/disk/decode.ts";
import { defineTool, type Tool, type ToolOutput, toolInput } from "../tool.ts";
import { type FileAccess, openText } from "./file-access.ts";
import { type OpenFile, openFile } from "./open-file.ts";
import { failedOutput, sizeText, withNotes } from "./output.ts";
import type { Workspace } from "./workspace.ts";
import type { WorkspaceLimits } from "./workspace-limits.ts";

const input = toolInput((z) => ({
  path: z.string().describe("Path of the file (from the working directory, or absolute)"),
  offset: z.int().min(0).optional().describe("Line to start at, counted from 1"),
  limit: z.int().min(1).optional().describe("The most lines to read"),
}));

export function readTool(workspace: Workspace, limits: WorkspaceLimits, files?: FileAccess): Tool {
  const { lines, bytes } = limits;
  return defineTool({
    name: "read",
    input,
    summary: "Read file contents",
    description: `Read a text file. Shows at most ${lines} lines or ${sizeText(bytes)}, whichever is less, and says how to go on: use offset and limit for large files. Images and other binary files cannot be shown.`,
    reads: true,
    run: async ({ path, offset = 1, limit = lines }, { signal }) => {
      const place = workspace.locate(path, "read");
      const from = Math.max(1, offset);
      const wanted = { from, lines: Math.min(limit, lines), bytes };
      const shown = (window: LineWindow, size: string) =>
        shownWindow(window, { from, size, bytes, shown: place.shown });
      const open = place.exists ? undefined : await openText(workspace, files, place);
      if (open !== undefined) return shown(linesOfText(open, { ...wanted, count: true }), sizeOf(open));
      const file = openFile(workspace, place);
      try {
        const kind = kindOf(file);
        const size = sizeText(Number(file.stat.size));
        if (kind !== undefined)
          return failedOutput(`“${place.shown}” is ${kind} (${size}) and cannot be shown as text.`);
        const text = await openText(workspace, files, place);
        if (text !== undefined) return shown(linesOfText(text, { ...wanted, count: true }), sizeOf(text));
        const count = file.stat.size <= BigInt(limits.fileBytes);
        return shown(await readLines(file.fd, { ...wanted, count }, signal), size);
      } finally {
        closeSync(file.fd);
      }
    },
  });
}

function sizeOf(text: string): string {
  return sizeText(Buffer.byteLength(text));
}

type WindowContext = { readonly from: number; readonly size: string; readonly bytes: number; readonly shown: string };

function shownWindow(
  { bytes, lineCount, cut, more, total }: LineWindow,
  { from, size, bytes: most, shown }: WindowContext,
): ToolOutput {
  if (total === 0) return "(empty file)";
  if (lineCount === 0 && total !== undefined)
    return failedOutput(`Line ${from} is past the end: “${shown}” has ${total === 1 ? "1 line" : `${total} lines`}.`);
  const last = from + lineCount - 1;
  const whole = cut === undefined ? bytes : bytes.subarray(0, wholeEnd(bytes));
  const marked = from === 1 && whole[0] === 0xef && whole[1] === 0xbb && whole[2] === 0xbf;
  const text = whole.toString("utf8", marked ? 3 : 0);
  const notes = [
    marked && "The file begins with a byte-order mark, which is not shown; edit keeps it.",
    (!isUtf8(whole) || text.includes("\0")) && "Bytes that are no text are shown as “\uFFFD”.",
    cut !== undefined && `Line ${from} has ${sizeText(cut)}; its first ${sizeText(most)} are shown.`,
    more && `Lines ${from}-${last} of ${total ?? `a file of ${size}`}. Use offset=${last + 1} to continue.`,
  ].filter((note) => note !== false);
  return withNotes(text.replaceAll("\0", "\uFFFD"), notes);
}

/** By their first bytes, whatever their names say. */
const images: Readonly<Record<string, (opening: string) => boolean>> = {
  "a PNG image": (opening) => opening.startsWith("\x89PNG\r\n"),
  "a JPEG image": (opening) => opening.startsWith("\xff\xd8\xff"),
  "a GIF image": (opening) => /^GIF8[79]a/.test(opening),
  "a WebP image": (opening) => opening.startsWith("RIFF") && opening.startsWith("WEBP", 8),
};

/** What it is where it is no text: one with a NUL near its beginning is not. */
function kindOf({ fd }: OpenFile): string | undefined {
  const opening = Buffer.alloc(8192);
  const head = opening.subarray(0, readSync(fd, opening, 0, opening.length, 0));
  const image = Object.entries(images).find(([, isOne]) => isOne(head.toString("latin1", 0, 16)));
  return image?.[0] ?? (head.includes(0) ? "a binary file" : undefined);
}

type ReadLinesOptions = {
  /** The first line, counted from 1. */
  readonly from: number;
  readonly lines: number;
  readonly bytes: number;
  /** The file is read to its end, to say how many lines it has. */
  readonly count: boolean;
};

type LineWindow = {
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
async function readLines(fd: number, wanted: ReadLinesOptions, signal: AbortSignal): Promise<LineWindow> {
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
function linesOfText(text: string, wanted: ReadLinesOptions): LineWindow {
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
