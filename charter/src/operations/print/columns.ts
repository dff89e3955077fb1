import { countedWith } from "../../delivery/cache-break.ts";
import { countCharacters } from "../../prompt/character.ts";
import { counted } from "../../prompt/problem.ts";
import type { Prompt } from "../../prompt/prompt.ts";
import type { Tokenizer } from "../../prompt/tokens.ts";
import type { Diagnostic } from "../../sources/disk/findings.ts";
import { cutText, leftOut, visible, wrapText } from "./plain-text.ts";

/** Size of the output: a terminal has colours and a width, a pipe has neither. */
export type OutputSize = { readonly isTTY?: boolean; readonly columns?: number };

/**
 * Formats rows under dimmed names, each column as wide as its widest cell. A cell is always one line, so that no quoted text can
 * draw on the operator's terminal, where the last column ends at the edge.
 */
export function columns(names: readonly string[], rows: readonly (readonly string[])[], output: OutputSize): string[] {
  const paint = colours(output);
  const [head = [], ...body] = [names, ...rows].map((row) => row.map(oneLine));
  const widths = head.map((_, at) => Math.max(...[head, ...body].map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) => {
    const text = row.map((cell, at) => cell.padEnd(widths[at] as number)).join("  ");
    return clip(text.trimEnd(), output);
  };
  return [paint.dim(line(head)), ...body.map(line)];
}

/** Formats names and values, one pair a line; on a terminal, long values continue below their first line. */
export function pairs(rows: readonly (readonly [name: string, value: string])[], output: OutputSize): string[] {
  const paint = colours(output);
  const width = Math.max(...rows.map(([name]) => name.length));
  const indent = " ".repeat(width + 2);
  return rows.flatMap(([name, value]) => {
    const [first = "", ...others] = wrapText(oneLine(value), edgeOf(output), indent);
    return [`${paint.dim(name.padEnd(width))}  ${first.slice(indent.length)}`, ...others];
  });
}

/** Maximum line width, in columns. */
export function edgeOf({ isTTY, columns }: OutputSize): number {
  return (isTTY && columns) || Number.POSITIVE_INFINITY;
}

export function oneLine(text: string): string {
  return visible(text.replace(/[\p{Cc}\u2028\u2029]+/gu, " "));
}

function clip(text: string, { isTTY, columns }: OutputSize): string {
  return isTTY && columns && columns > 20 && text.length > columns ? `${text.slice(0, columns - 1)}…` : text;
}

/** Formats a time in UTC, to the second. */
export function timeText(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 19)}`;
}

/** Draws the sections of a prompt: a bar for each one's tokens, coloured by who may change it. */
export function table(
  prompt: Prompt,
  tokenizer: Tokenizer,
  stream: { readonly isTTY?: boolean; readonly columns?: number },
): string {
  const paint = colours(stream);
  const byMutability = { fixed: paint.blue, amendable: paint.green, live: paint.yellow };
  const { total, sections, exact } = prompt.tokens(tokenizer);
  const rows = prompt.sections.map((section, index) => ({ ...section, tokens: sections[index] ?? 0 }));
  const nameWidth = Math.max(7, ...rows.map(({ name }) => name.length));
  const sourceWidth = 22;
  const barWidth = Math.max(8, Math.min(40, (stream.columns ?? 100) - nameWidth - sourceWidth - 31));
  const maxTokens = Math.max(1, ...rows.map(({ tokens }) => tokens));
  const lines = [
    paint.dim(
      `${"section".padEnd(nameWidth)}  ${"mutability".padEnd(10)} ${"changes".padEnd(7)} ${"source".padEnd(sourceWidth)} tokens`,
    ),
    ...rows.map(({ name, mutability, stability, source, tokens }) => {
      const bar = tokens === 0 ? "" : "█".repeat(Math.max(1, Math.round((tokens / maxTokens) * barWidth)));
      const from = source.length > sourceWidth ? `${source.slice(0, sourceWidth - 1)}…` : source.padEnd(sourceWidth);
      return `${name.padEnd(nameWidth)}  ${mutability.padEnd(10)} ${stability.padEnd(7)} ${from} ${String(tokens).padStart(6)} ${byMutability[mutability](bar)}`;
    }),
    `${paint.bold(counted(total, "token"))} ${paint.dim(`(${countedWith({ name: tokenizer.name, exact })}), ${counted(countCharacters(prompt.text), "character")}, edition ${prompt.edition}`)}`,
    ...prompt.cuts.map((cut) => paint.yellow(`cut      ${cut.section}: ${cut.form}, ${cutText(cut)}. ${cut.because}`)),
    ...leftOut(prompt.omitted).map((words) => paint.dim(`omitted  ${words}`)),
    ...prompt.notices.map(({ code, message }) => paint.red(`notice   ${code}: ${message}`)),
  ];
  return `${lines.join("\n")}\n`;
}

/** Colours for a terminal; plain text in a pipe or with NO_COLOR. */
export function colours(stream: { readonly isTTY?: boolean }) {
  const on = stream.isTTY === true && !process.env.NO_COLOR;
  const paint = (code: number) => (text: string) => (on ? `\u001b[${code}m${text}\u001b[0m` : text);
  return {
    red: paint(31),
    green: paint(32),
    yellow: paint(33),
    blue: paint(34),
    cyan: paint(36),
    dim: paint(2),
    bold: paint(1),
  };
}

/** Colours the lines of a diff: added green, removed red. */
export function painted(lines: readonly string[]): string[] {
  const paint = colours(process.stdout);
  return lines.map((line) =>
    line.startsWith("+") ? paint.green(line) : line.startsWith("-") ? paint.red(line) : line,
  );
}

/** Formats diagnostics, one a line: severity, code and what to do; the message names the file. */
export function diagnosticLines(diagnostics: readonly Diagnostic[], output: OutputSize): string[] {
  const paint = colours(output);
  return diagnostics.map(({ severity, code, message }) => {
    const word = severity === "error" ? paint.red(`error ${code}`) : paint.yellow(`warning ${code}`);
    return `${word}: ${oneLine(message)}`;
  });
}

/** Last line of a list that goes on: how to read the next page. */
export function morePages(answer: unknown, input: Readonly<Record<string, unknown>>): string[] {
  const { more } = (answer ?? {}) as { readonly more?: unknown };
  const { limit, offset } = input;
  if (more !== true || typeof limit !== "number" || typeof offset !== "number") return [];
  return [colours(process.stdout).dim(`There is more: --offset ${offset + limit}`)];
}

/** Formats a number of bytes for people. */
export function sizeText(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let size = bytes;
  let unit = 0;
  for (; size >= 1000 && unit < units.length - 1; unit++) size /= 1000;
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}

/** A line about the progress of long work, rewritten in place; `end` clears it. */
export type Progress = { readonly say: (line: string) => void; readonly end: () => void };

type Stream = { readonly isTTY?: boolean; readonly columns?: number; readonly write: (text: string) => unknown };

/** Shows progress on a terminal, at most ten times a second; a pipe gets none of it. */
export function progressOn(stream: Stream = process.stderr, now: () => number = Date.now): Progress {
  if (!stream.isTTY) return { say: () => {}, end: () => {} };
  let last = Number.NEGATIVE_INFINITY;
  let isShown = false;
  return {
    say: (line) => {
      if (now() - last < 100) return;
      last = now();
      isShown = true;
      stream.write(`\r\u001b[2K${line.slice(0, (stream.columns || 80) - 1)}`);
    },
    end: () => {
      if (isShown) stream.write("\r\u001b[2K");
      isShown = false;
    },
  };
}
