import { countedWith } from "../../delivery/cache-break.ts";
import { countCharacters } from "../../prompt/character.ts";
import { counted } from "../../prompt/problem.ts";
import type { Prompt } from "../../prompt/prompt.ts";
import type { Tokenizer } from "../../prompt/tokens.ts";
import type { Diagnostic } from "../../sources/disk/findings.ts";
import { cutText, leftOut, visible, wrapText } from "./plain-text.ts";

/** Where a table is written: a terminal has colours and an edge, a pipe has neither. */
export type OutputSize = { readonly isTTY?: boolean; readonly columns?: number };

/**
 * Rows under dimmed names, each column as wide as its widest cell. A cell is one line, whatever it holds: nobody's words
 * draw on the operator's terminal. There, the last column ends at the edge.
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

/** Names and their values, one pair a line; at the edge of a terminal a value goes on under itself. */
export function pairs(rows: readonly (readonly [name: string, value: string])[], output: OutputSize): string[] {
  const paint = colours(output);
  const width = Math.max(...rows.map(([name]) => name.length));
  const indent = " ".repeat(width + 2);
  return rows.flatMap(([name, value]) => {
    const [first = "", ...others] = wrapText(oneLine(value), edgeOf(output), indent);
    return [`${paint.dim(name.padEnd(width))}  ${first.slice(indent.length)}`, ...others];
  });
}

/** How wide lines may be. */
export function edgeOf({ isTTY, columns: edge }: OutputSize): number {
  return (isTTY && edge) || Number.POSITIVE_INFINITY;
}

export function oneLine(text: string): string {
  return visible(text.replace(/[\p{Cc}\u2028\u2029]+/gu, " "));
}

function clip(text: string, { isTTY, columns: edge }: OutputSize): string {
  return isTTY && edge && edge > 20 && text.length > edge ? `${text.slice(0, edge - 1)}…` : text;
}

/** A time as people read it: to the second, in UTC. */
export function timeText(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 19)}`;
}

/** The sections of a prompt as a picture: a bar for each one's tokens, its colour by who may change it. */
export function table(
  prompt: Prompt,
  tokenizer: Tokenizer,
  stream: { readonly isTTY?: boolean; readonly columns?: number },
): string {
  const paint = colours(stream);
  const byMutability = { fixed: paint.blue, amendable: paint.green, live: paint.yellow };
  const { total, sections: counts, exact } = prompt.tokens(tokenizer);
  const rows = prompt.sections.map((section, index) => ({ ...section, tokens: counts[index] ?? 0 }));
  const nameWidth = Math.max(7, ...rows.map(({ name }) => name.length));
  const sourceWidth = 22;
  const barWidth = Math.max(8, Math.min(40, (stream.columns ?? 100) - nameWidth - sourceWidth - 31));
  const most = Math.max(1, ...rows.map(({ tokens }) => tokens));
  const lines = [
    paint.dim(
      `${"section".padEnd(nameWidth)}  ${"mutability".padEnd(10)} ${"changes".padEnd(7)} ${"source".padEnd(sourceWidth)} tokens`,
    ),
    ...rows.map(({ name, mutability, stability, source, tokens }) => {
      const bar = tokens === 0 ? "" : "█".repeat(Math.max(1, Math.round((tokens / most) * barWidth)));
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

/** Colours, only where someone looks: on a terminal, and not when NO_COLOR asks for none. */
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

/** The lines of a diff: green came, red went. */
export function painted(lines: readonly string[]): string[] {
  const paint = colours(process.stdout);
  return lines.map((line) =>
    line.startsWith("+") ? paint.green(line) : line.startsWith("-") ? paint.red(line) : line,
  );
}

/** A diagnostic a line: how bad, its word, and what to do; the message names the file. */
export function diagnosticLines(diagnostics: readonly Diagnostic[], output: OutputSize): string[] {
  const paint = colours(output);
  return diagnostics.map(({ severity, code, message }) => {
    const word = severity === "error" ? paint.red(`error ${code}`) : paint.yellow(`warning ${code}`);
    return `${word}: ${oneLine(message)}`;
  });
}

/** The line that ends a list which goes on. */
export function morePages(answer: unknown, input: Readonly<Record<string, unknown>>): string[] {
  const { more } = (answer ?? {}) as { readonly more?: unknown };
  const { limit, offset } = input;
  if (more !== true || typeof limit !== "number" || typeof offset !== "number") return [];
  return [colours(process.stdout).dim(`There is more: --offset ${offset + limit}`)];
}

/** So many bytes, as people say it. */
export function sizeText(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let size = bytes;
  let unit = 0;
  for (; size >= 1000 && unit < units.length - 1; unit++) size /= 1000;
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}

/** One line that tells how far long work is, rewritten in place; `end` takes it away. */
export type Progress = { readonly say: (line: string) => void; readonly end: () => void };

type Stream = { readonly isTTY?: boolean; readonly columns?: number; readonly write: (text: string) => unknown };

/** Shown where someone looks, at most ten times a second. A pipe gets none of it. */
export function progressOn(stream: Stream = process.stderr, now: () => number = Date.now): Progress {
  if (!stream.isTTY) return { say: () => {}, end: () => {} };
  let last = Number.NEGATIVE_INFINITY;
  let shown = false;
  return {
    say: (line) => {
      if (now() - last < 100) return;
      last = now();
      shown = true;
      stream.write(`\r\u001b[2K${line.slice(0, (stream.columns || 80) - 1)}`);
    },
    end: () => {
      if (shown) stream.write("\r\u001b[2K");
      shown = false;
    },
  };
}
