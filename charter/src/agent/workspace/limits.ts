import { firstCharacters } from "../../prompt/character.ts";
import { listed, Problem } from "../../prompt/problem.ts";
import type { ToolOutput } from "../tool.ts";

/** Limits on the amounts that one call of a file tool may show or take. */
export type WorkspaceLimits = {
  /** Maximum number of lines and bytes that a result shows, whichever is reached first. */
  readonly lines: number;
  readonly bytes: number;
  /** Number of characters after which lines of search results are cut. */
  readonly lineChars: number;
  /** Maximum number of results that grep, find and ls show, unless the model asks for another number. */
  readonly matches: number;
  readonly paths: number;
  readonly entries: number;
  /** Maximum size of a file that is edited or searched, in bytes; any is read, in parts. */
  readonly fileBytes: number;
  /**
   * Maximum number of seconds of one command, and of one search. Less than the limit on tools, so that they can still say how far
   * they got.
   */
  readonly commandSeconds: number;
  readonly searchSeconds: number;
};

/** The usual limits. The bytes leave room for the notes on them within the 50,000 characters the runtime gives a result. */
export const usualWorkspaceLimits: WorkspaceLimits = {
  lines: 2000,
  bytes: 48 * 1024,
  lineChars: 500,
  matches: 100,
  paths: 1000,
  entries: 500,
  fileBytes: 10 * 1024 * 1024,
  commandSeconds: 50,
  searchSeconds: 20,
};

/** Maximum number of seconds of a timer: Node fires a longer one at once. */
const maxSeconds = 2_147_483;

export function workspaceLimitsOf(given: Partial<WorkspaceLimits> = {}): WorkspaceLimits {
  const names = Object.keys(usualWorkspaceLimits);
  for (const [name, value] of Object.entries(given)) {
    if (!names.includes(name))
      throw new Problem("bad-limit", `There is no limit “${name}”.`, `The limits are ${listed(names)}.`);
    if (!(typeof value === "number" && Number.isFinite(value) && value > 0))
      throw new Problem("bad-limit", `The limit “${name}” is ${String(value)}.`, "Give a number above 0.");
    if (name.endsWith("Seconds") && value > maxSeconds)
      throw new Problem(
        "bad-limit",
        `The limit “${name}” is ${value}.`,
        `Give ${maxSeconds} seconds (24 days) at most.`,
      );
  }
  return { ...usualWorkspaceLimits, ...given };
}

const [esc, backspace] = ["\\u001b", "\\u0008"];

/** Control sequences, and strings up to their end, which move a cursor, paint, or rename a window. */
const sequences = new RegExp(
  [
    `(?:${esc}\\[|\\u009b)[0-?]*[ -/]*[@-~]`,
    `${esc}\\][^\\u0007${esc}]*(?:\\u0007|${esc}\\\\)`,
    `${esc}[PX^_][^${esc}]*${esc}\\\\`,
    `${esc}[ -/]*[0-~]`,
  ].join("|"),
  "g",
);
/** Letters that were struck over, as in manual pages. */
const struckOver = new RegExp(`[^\\n]${backspace}`, "g");

/**
 * Cleans a text for a model: no terminal's commands in it, and no controls but tabs and line ends. Where a terminal would draw a
 * line anew, there is another line.
 */
export function printable(text: string): string {
  return text
    .replace(sequences, "")
    .replace(/\r\n?/g, "\n")
    .replace(struckOver, "")
    .replace(/\p{Cc}/gu, (control) => (control === "\n" || control === "\t" ? control : ""));
}

/** Makes one line of a result, cut to its limit. */
export function cutLine(line: string, { lineChars }: WorkspaceLimits): string {
  const shown = printable(line).replaceAll("\n", " ");
  const first = firstCharacters(shown, lineChars);
  return first.length === shown.length ? shown : `${first}… (cut)`;
}

/** Writes a size: 812 bytes, 48 KB, 3.2 MB. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  const [size, unit] =
    bytes < 1024 ** 2
      ? [bytes / 1024, "KB"]
      : bytes < 1024 ** 3
        ? [bytes / 1024 ** 2, "MB"]
        : [bytes / 1024 ** 3, "GB"];
  return `${Number(size.toFixed(1))} ${unit}`;
}

/** Joins a result and the notes about it. */
export function withNotes(text: string, notes: readonly string[]): string {
  return notes.length === 0 ? text : `${text.replace(/\n$/, "")}\n\n[${notes.join(" ")}]`;
}

export function failedOutput(text: string): ToolOutput {
  return { text, failed: true };
}

/** Collects the first lines, as many as fit into these bytes. */
export function createLines(bytes: number): { readonly add: (line: string) => boolean; readonly lines: string[] } {
  const lines: string[] = [];
  let size = 0;
  return {
    lines,
    add: (line) => {
      const more = Buffer.byteLength(line) + 1;
      if (size + more > bytes) return false;
      size += more;
      lines.push(line);
      return true;
    },
  };
}
