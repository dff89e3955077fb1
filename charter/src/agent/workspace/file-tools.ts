import { isUtf8 } from "node:buffer";
import { closeSync, read, readSync } from "node:fs";
import { promisify } from "node:util";
import { unified } from "../../prompt/diff.ts";
import { mended } from "../../prompt/sound.ts";
import { wholeEnd } from "../../sources/disk/decode.ts";
import { defineTool, type Tool, type ToolOutput, toolInput } from "../tool.ts";
import { type OpenFile, openFile, openText, readWhole, replaceFile, writeText } from "./files.ts";
import { createLines, cutLine, failedOutput, sizeText, type WorkspaceLimits, withNotes } from "./limits.ts";
import type { FileAccess, LocatedPath, Workspace } from "./workspace.ts";

const readInput = toolInput((z) => ({
  path: z.string().describe("Path of the file (from the working directory, or absolute)"),
  offset: z.int().min(0).optional().describe("Line to start at, counted from 1"),
  limit: z.int().min(1).optional().describe("The most lines to read"),
}));

export function readTool(workspace: Workspace, limits: WorkspaceLimits, files?: FileAccess): Tool {
  const { lines, bytes } = limits;
  return defineTool({
    name: "read",
    input: readInput,
    summary: "Read file contents",
    description: `Read a text file. Shows at most ${lines} lines or ${sizeText(bytes)}, whichever is less, and says how to go on: use offset and limit for large files. Images and other binary files cannot be shown.`,
    trusted: true,
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
  { from, size, bytes: maxBytes, shown }: WindowContext,
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
    cut !== undefined && `Line ${from} has ${sizeText(cut)}; its first ${sizeText(maxBytes)} are shown.`,
    more && `Lines ${from}-${last} of ${total ?? `a file of ${size}`}. Use offset=${last + 1} to continue.`,
  ].filter((note) => note !== false);
  return withNotes(mended(text), notes);
}

/** Images by their first bytes, whatever their names say. */
const images: Readonly<Record<string, (opening: string) => boolean>> = {
  "a PNG image": (opening) => opening.startsWith("\x89PNG\r\n"),
  "a JPEG image": (opening) => opening.startsWith("\xff\xd8\xff"),
  "a GIF image": (opening) => /^GIF8[79]a/.test(opening),
  "a WebP image": (opening) => opening.startsWith("RIFF") && opening.startsWith("WEBP", 8),
};

/** Names the kind of a file that is no text: an image, or one with a NUL near its beginning. */
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
  /** Reads the file to its end, to count its lines. */
  readonly count: boolean;
};

type LineWindow = {
  readonly bytes: Buffer;
  /** Number of lines in it; the last of them may be a cut one. */
  readonly lineCount: number;
  /** Size of the first line in bytes, where it alone was too long. */
  readonly cut: number | undefined;
  /** Says that there are lines after it. */
  readonly more: boolean;
  /** Number of lines of the file, where its end was reached. */
  readonly total: number | undefined;
};

const chunkSize = 65_536;
const readInto = promisify(read);

/** Reads some lines of an open file of any size, without keeping more of it in memory than is shown. */
async function readLines(fd: number, wanted: ReadLinesOptions, signal: AbortSignal): Promise<LineWindow> {
  const window = createWindow(wanted);
  const chunk = Buffer.allocUnsafe(chunkSize);
  while (!signal.aborted) {
    const { bytesRead } = await readInto(fd, chunk, 0, chunkSize, null);
    if (bytesRead === 0) return window.end();
    const isEnough = window.add(chunk.subarray(0, bytesRead));
    if (isEnough && !wanted.count) return window.result(undefined);
  }
  return window.result(undefined);
}

/** Reads some lines of a text in memory. */
function linesOfText(text: string, wanted: ReadLinesOptions): LineWindow {
  const window = createWindow(wanted);
  window.add(Buffer.from(text));
  return window.end();
}

function createWindow({ from, lines, bytes }: ReadLinesOptions) {
  const kept: Buffer[] = [];
  let size = 0;
  let taken = 0;
  /** The line that is being read, counted from 1, and the part of it read so far. */
  let line = 1;
  let length = 0;
  let pieces: Buffer[] = [];
  let cut: number | undefined;
  let full = false;
  let more = false;

  /** Takes a piece of a line. A line too many is not kept; the first one is, as far as it fits. */
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
    /** Takes a chunk; returns true when no more of the file is needed, except to count its lines. */
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

const editInput = toolInput((z) => {
  const words = z.string().refine((text) => text.isWellFormed(), "it holds half a character");
  return {
    path: z.string().describe("Path of the file (from the working directory, or absolute)"),
    oldText: words.min(1).describe("The exact text to replace; it must stand in the file once"),
    newText: words.describe("The text to put in its place"),
  };
});

export function editTool(workspace: Workspace, limits: WorkspaceLimits, files?: FileAccess): Tool {
  return defineTool({
    name: "edit",
    input: editInput,
    summary: "Make surgical edits to files (find exact text and replace)",
    description:
      "Edit a file by replacing text. oldText must match exactly, white space included, and stand in the file once: give as much of the lines around it as makes it so. Line endings and a byte-order mark are kept. Gives a diff of what changed.",
    trusted: true,
    place: workspace.root,
    run: async ({ path, ...replacing }) => {
      const place = workspace.locate(path, "write");
      const open = await openText(workspace, files, place);
      if (open !== undefined) {
        const edited = editBytes(place, Buffer.from(open), replacing, limits);
        if ("fault" in edited) return failedOutput(edited.fault);
        await writeText(workspace, files, place, edited.after.toString("utf8"));
        return changeText(place, { ...edited, replacing }, limits);
      }
      const file = openFile(workspace, place);
      try {
        const edited = editBytes(place, readWhole(file, limits.fileBytes), replacing, limits);
        if ("fault" in edited) return failedOutput(edited.fault);
        replaceFile(workspace, place, edited.after, file.stat);
        return changeText(place, { ...edited, replacing }, limits);
      } finally {
        closeSync(file.fd);
      }
    },
  });
}

type EditedBytes = { readonly before: Buffer; readonly after: Buffer } | { readonly fault: string };

function editBytes(
  place: LocatedPath,
  bytes: Buffer | undefined,
  replacing: ReplaceOptions,
  { fileBytes }: WorkspaceLimits,
): EditedBytes {
  if (!bytes || bytes.length > fileBytes)
    return { fault: `“${place.shown}” has more than ${sizeText(fileBytes)}: too large to edit.` };
  if (bytes.includes(0)) return { fault: `“${place.shown}” is a binary file: it cannot be edited as text.` };
  const before = bytes.toString("latin1");
  const after = replaceOnce(before, replacing);
  if (after.kind !== "replaced") return { fault: refusal(place, before, replacing, after) };
  return { before: bytes, after: Buffer.from(after.text, "latin1") };
}

type NotReplaced = Exclude<ReturnType<typeof replaceOnce>, { kind: "replaced" }>;

function refusal({ shown }: LocatedPath, file: string, { oldText }: ReplaceOptions, result: NotReplaced): string {
  const nothing = "Nothing was changed";
  if (result.kind === "same") return `${nothing}: the new text is the old one.`;
  const { times, lines } = result;
  if (times > 0) {
    const places = lines.join(", ") + (lines.length < times ? " and more" : "");
    const often = times < maxCountedPlaces ? `${times} times` : `${times} times or more`;
    return `${nothing}: the text stands ${often} in “${shown}”, at lines ${places}. Give more of the lines around it, so that it stands there once.`;
  }
  const near = nearMiss(file, byteText(oldText));
  const hint = near === undefined ? "Read the file again" : `At line ${near} it differs only in the space around lines`;
  return `${nothing}: the text is not in “${shown}”. ${hint}; every character must match.`;
}

type Change = { readonly before: Buffer; readonly after: Buffer; readonly replacing: ReplaceOptions };

/** Maximum number of changed lines that are compared one by one. */
const maxComparedLines = 400;

function changeText({ shown }: LocatedPath, { before, after, replacing }: Change, limits: WorkspaceLimits): ToolOutput {
  const [old, now] = [replacing.oldText, replacing.newText].map((text) => text.split("\n").length) as [number, number];
  const done = `Edited “${shown}”`;
  if (old + now > maxComparedLines) return `${done}: ${old} lines became ${now}.`;
  const [one, other] = shownTexts(before.toString("utf8"), after.toString("utf8"));
  const diff = unified(one, other, shown).replace(/\n$/, "");
  if (diff === "") return `${done}.`;
  const lines = createLines(limits.bytes);
  for (const line of diff.split("\n")) if (!lines.add(cutLine(line, limits))) break;
  return `${done}:\n${lines.lines.join("\n")}`;
}

/** Prepares two texts for a diff: a newline that both end in is no line of its own. */
function shownTexts(...texts: readonly [string, string]): [string, string] {
  const [one, other] = texts.map((text) => text.replace(/^\uFEFF/, "").replace(/\r\n/g, "\n")) as [string, string];
  return one.endsWith("\n") && other.endsWith("\n") ? [one.slice(0, -1), other.slice(0, -1)] : [one, other];
}

/**
 * Text in which every character stands for one byte. A file that is edited goes through it unchanged, whatever its encoding; and
 * UTF-8 that is searched in UTF-8 never matches inside a character.
 */
type ByteText = string;

function byteText(words: string): ByteText {
  return Buffer.from(words).toString("latin1");
}

type ReplaceOptions = { readonly oldText: string; readonly newText: string };

type ReplaceResult =
  | { readonly kind: "replaced"; readonly text: ByteText }
  | { readonly kind: "same" }
  /** Number of matches, as far as they were counted, and the lines of the first few, counted from 1. */
  | { readonly kind: "not-once"; readonly times: number; readonly lines: readonly number[] };

/**
 * Limits on the places that are named, and on those that are counted: each match of long words that overlap themselves costs
 * their length.
 */
const maxNamedPlaces = 10;
const maxCountedPlaces = 1000;

const mark = byteText("\uFEFF");

/**
 * Replaces words that stand exactly once. Line ends do not matter for finding them, and new lines end as the replaced ones did;
 * all other bytes stay as they are, a byte-order mark included.
 */
function replaceOnce(file: ByteText, { oldText, newText }: ReplaceOptions): ReplaceResult {
  const [before, after] = [wordsOf(oldText), wordsOf(newText)];
  if (before === after) return { kind: "same" };
  const plain = file.replaceAll("\r\n", "\n");
  const places = placesOf(plain, before);
  const [at] = places;
  if (at === undefined || places.length > 1) {
    const lines = places.slice(0, maxNamedPlaces).map((place) => lineAt(plain, place));
    return { kind: "not-once", times: places.length, lines };
  }
  const [start, end] = [indexIn(file, at), indexIn(file, at + before.length)];
  const replaced = file.slice(start, end);
  const words = endsInPairs(replaced.includes("\n") ? replaced : file) ? after.replaceAll("\n", "\r\n") : after;
  const text = file.slice(0, start) + words + file.slice(end);
  return text === file ? { kind: "same" } : { kind: "replaced", text };
}

/** Drops a byte-order mark before words; a mark alone is kept. */
function wordsOf(words: string): ByteText {
  const bytes = byteText(words).replaceAll("\r\n", "\n");
  return bytes.startsWith(mark) && bytes !== mark ? bytes.slice(mark.length) : bytes;
}

/** Finds all matches, overlapping ones too: nobody can say which of them is meant. */
function placesOf(text: string, words: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(words); at !== -1 && places.length < maxCountedPlaces; at = text.indexOf(words, at + 1))
    places.push(at);
  return places;
}

function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < index; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

/** Converts an index in a text with one-character line ends to one in the text itself. */
function indexIn(text: string, plain: number): number {
  let pairs = 0;
  for (let at = text.indexOf("\r\n"); at !== -1 && at - pairs < plain; at = text.indexOf("\r\n", at + 2)) pairs++;
  return plain + pairs;
}

/** Tells whether most lines end in a carriage return and a newline. */
function endsInPairs(text: string): boolean {
  const pairs = text.split("\r\n").length - 1;
  return pairs > (text.split("\n").length - 1) / 2;
}

/** Finds the line from which a text reads like these words except for the space around lines: a hint for the next attempt. */
function nearMiss(text: string, words: string): number | undefined {
  const wanted = trimmedLines(words.trim());
  const lines = trimmedLines(text);
  if (wanted.length * lines.length > 10_000_000) return undefined;
  const at = lines.findIndex((_, start) => wanted.every((line, index) => lines[start + index] === line));
  return at === -1 ? undefined : at + 1;
}

function trimmedLines(text: string): string[] {
  return text.split("\n").map((line) => line.trim());
}

const writeInput = toolInput((z) => ({
  path: z.string().describe("Path of the file (from the working directory, or absolute)"),
  content: z
    .string()
    .refine((words) => words.isWellFormed(), "it holds half a character")
    .describe("The whole content of the file"),
}));

/** Makes the write tool. A file is written whole or not at all: readers see the old one until the new one is complete. */
export function writeTool(workspace: Workspace, files?: FileAccess): Tool {
  return defineTool({
    name: "write",
    input: writeInput,
    summary: "Create or overwrite files",
    description:
      "Write a file: it is created if it is not there and replaced if it is. Missing directories above it are made.",
    trusted: true,
    place: workspace.root,
    run: async ({ path, content }) => {
      const place = workspace.locate(path, "write");
      const bytes = Buffer.from(content);
      if (!(await writeText(workspace, files, place, content))) replaceFile(workspace, place, bytes);
      return `${place.exists ? "Replaced" : "Created"} “${place.shown}” (${sizeText(bytes.length)}).`;
    },
  });
}
