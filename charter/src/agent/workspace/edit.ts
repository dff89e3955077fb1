import { closeSync } from "node:fs";
import { unified } from "../../prompt/diff.ts";
import { defineTool, type Tool, type ToolOutput, toolInput } from "../tool.ts";
import { type FileAccess, openText, writeText } from "./file-access.ts";
import { openFile, readWhole } from "./open-file.ts";
import { createLines, cutLine, failedOutput, sizeText } from "./output.ts";
import { replaceFile } from "./replace-file.ts";
import type { LocatedPath, Workspace } from "./workspace.ts";
import type { WorkspaceLimits } from "./workspace-limits.ts";

const input = toolInput((z) => {
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
    input,
    summary: "Make surgical edits to files (find exact text and replace)",
    description:
      "Edit a file by replacing text. oldText must match exactly, white space included, and stand in the file once: give as much of the lines around it as makes it so. Line endings and a byte-order mark are kept. Gives a diff of what changed.",
    sensitive: true,
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
    const often = times < maxCounted ? `${times} times` : `${times} times or more`;
    return `${nothing}: the text stands ${often} in “${shown}”, at lines ${places}. Give more of the lines around it, so that it stands there once.`;
  }
  const near = nearMiss(file, byteText(oldText));
  const hint = near === undefined ? "Read the file again" : `At line ${near} it differs only in the space around lines`;
  return `${nothing}: the text is not in “${shown}”. ${hint}; every character must match.`;
}

type Change = { readonly before: Buffer; readonly after: Buffer; readonly replacing: ReplaceOptions };

/** More changed lines than this are not compared one by one. */
const maxCompared = 400;

function changeText({ shown }: LocatedPath, { before, after, replacing }: Change, limits: WorkspaceLimits): ToolOutput {
  const [old, now] = [replacing.oldText, replacing.newText].map((text) => text.split("\n").length) as [number, number];
  const done = `Edited “${shown}”`;
  if (old + now > maxCompared) return `${done}: ${old} lines became ${now}.`;
  const [one, other] = shownTexts(before.toString("utf8"), after.toString("utf8"));
  const diff = unified(one, other, shown).replace(/\n$/, "");
  if (diff === "") return `${done}.`;
  const lines = createLines(limits.bytes);
  for (const line of diff.split("\n")) if (!lines.add(cutLine(line, limits))) break;
  return `${done}:\n${lines.lines.join("\n")}`;
}

/** A newline both end in is no line of its own. */
function shownTexts(...texts: readonly [string, string]): [string, string] {
  const [one, other] = texts.map((text) => text.replace(/^\uFEFF/, "").replace(/\r\n/g, "\n")) as [string, string];
  return one.endsWith("\n") && other.endsWith("\n") ? [one.slice(0, -1), other.slice(0, -1)] : [one, other];
}

/**
 * Text in which every character stands for one byte. A file that is edited goes through it as it is, whatever its
 * encoding; where UTF-8 is looked for in UTF-8, a match never begins inside a character.
 */
type ByteText = string;

function byteText(words: string): ByteText {
  return Buffer.from(words).toString("latin1");
}

type ReplaceOptions = { readonly oldText: string; readonly newText: string };

type ReplaceResult =
  | { readonly kind: "replaced"; readonly text: ByteText }
  | { readonly kind: "same" }
  /** How often it was found, as far as it was counted, and at which lines, counted from 1: the first few. */
  | { readonly kind: "not-once"; readonly times: number; readonly lines: readonly number[] };

/** So many places are told, and so many counted: where long words overlap with themselves, each costs their length. */
const fewTold = 10;
const maxCounted = 1000;

const mark = byteText("\uFEFF");

/**
 * Puts new words in the place of old ones that stand exactly once. How lines end does not matter for finding them, and
 * new lines end as those did that they replace; all other bytes stay as they are, a byte-order mark included.
 */
function replaceOnce(file: ByteText, { oldText, newText }: ReplaceOptions): ReplaceResult {
  const [before, after] = [wordsOf(oldText), wordsOf(newText)];
  if (before === after) return { kind: "same" };
  const plain = file.replaceAll("\r\n", "\n");
  const found = placesOf(plain, before);
  const [at] = found;
  if (at === undefined || found.length > 1) {
    const lines = found.slice(0, fewTold).map((place) => lineAt(plain, place));
    return { kind: "not-once", times: found.length, lines };
  }
  const [start, end] = [indexIn(file, at), indexIn(file, at + before.length)];
  const replaced = file.slice(start, end);
  const words = endsInPairs(replaced.includes("\n") ? replaced : file) ? after.replaceAll("\n", "\r\n") : after;
  const text = file.slice(0, start) + words + file.slice(end);
  return text === file ? { kind: "same" } : { kind: "replaced", text };
}

/** A mark before words is none of them; a mark alone is all that was given. */
function wordsOf(words: string): ByteText {
  const bytes = byteText(words).replaceAll("\r\n", "\n");
  return bytes.startsWith(mark) && bytes !== mark ? bytes.slice(mark.length) : bytes;
}

/** Also those that overlap: which of them is meant nobody can say. */
function placesOf(text: string, words: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(words); at !== -1 && places.length < maxCounted; at = text.indexOf(words, at + 1))
    places.push(at);
  return places;
}

function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < index; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

/** An index in a text whose line ends are one character, as one in the text itself. */
function indexIn(text: string, plain: number): number {
  let pairs = 0;
  for (let at = text.indexOf("\r\n"); at !== -1 && at - pairs < plain; at = text.indexOf("\r\n", at + 2)) pairs++;
  return plain + pairs;
}

/** Do its lines end in a carriage return and a newline, most of them? */
function endsInPairs(text: string): boolean {
  const pairs = text.split("\r\n").length - 1;
  return pairs > (text.split("\n").length - 1) / 2;
}

/** The line from which on a text reads like these words but for the space around lines: it helps to say so. */
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
