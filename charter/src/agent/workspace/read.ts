import { isUtf8 } from "node:buffer";
import { closeSync, readSync } from "node:fs";
import { z } from "zod";
import { wholeEnd } from "../../sources/disk/decode.ts";
import { defineTool, type Tool, type ToolOutput } from "../tool.ts";
import { type FileAccess, openText } from "./file-access.ts";
import { type LineWindow, linesOfText, readLines } from "./line-window.ts";
import { type OpenFile, openFile } from "./open-file.ts";
import { failedOutput, sizeText, withNotes } from "./output.ts";
import type { Workspace } from "./workspace.ts";
import type { WorkspaceLimits } from "./workspace-limits.ts";

const input = z.object({
  path: z.string().describe("Path of the file (from the working directory, or absolute)"),
  offset: z.int().min(0).optional().describe("Line to start at, counted from 1"),
  limit: z.int().min(1).optional().describe("The most lines to read"),
});

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
