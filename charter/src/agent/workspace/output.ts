import { firstCharacters } from "../../prompt/character.ts";
import type { ToolOutput } from "../tool.ts";
import type { WorkspaceLimits } from "./workspace-limits.ts";

const [esc, backspace] = ["\\u001b", "\\u0008"];

/** What moves a cursor, paints or renames a window: control sequences, and strings up to their end. */
const sequences = new RegExp(
  [
    `(?:${esc}\\[|\\u009b)[0-?]*[ -/]*[@-~]`,
    `${esc}\\][^\\u0007${esc}]*(?:\\u0007|${esc}\\\\)`,
    `${esc}[PX^_][^${esc}]*${esc}\\\\`,
    `${esc}[ -/]*[0-~]`,
  ].join("|"),
  "g",
);
/** A letter that was struck over, as in manual pages. */
const struckOver = new RegExp(`[^\\n]${backspace}`, "g");

/**
 * Words for a model: no terminal's commands in them, and no controls but tabs and line ends. Where a terminal would draw
 * a line anew, there is another line.
 */
export function printable(text: string): string {
  return text
    .replace(sequences, "")
    .replace(/\r\n?/g, "\n")
    .replace(struckOver, "")
    .replace(/\p{Cc}/gu, (control) => (control === "\n" || control === "\t" ? control : ""));
}

/** One line of a result. */
export function cutLine(line: string, { lineChars }: WorkspaceLimits): string {
  const shown = printable(line).replaceAll("\n", " ");
  const first = firstCharacters(shown, lineChars);
  return first.length === shown.length ? shown : `${first}… (cut)`;
}

/** 812 bytes, 48 KB, 3.2 MB. */
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

/** A result, and what there is to say about it. */
export function withNotes(text: string, notes: readonly string[]): string {
  return notes.length === 0 ? text : `${text.replace(/\n$/, "")}\n\n[${notes.join(" ")}]`;
}

export function failedOutput(text: string): ToolOutput {
  return { text, failed: true };
}

/** As many of the first lines as fit into so many bytes. */
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
