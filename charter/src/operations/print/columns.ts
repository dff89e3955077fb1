import { colours } from "./colour.ts";
import { visible } from "./plain-text.ts";
import { wrapText } from "./wrap.ts";

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
