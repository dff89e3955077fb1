import type { Spread } from "./rounds.ts";

/** One line of the table. */
export type Row = {
  readonly case: string;
  readonly what: string;
  /** How long one unit took, in milliseconds; or why there is no figure. */
  readonly time?: Spread;
  readonly note?: string;
  /** How much that is of `of`; smaller is better. */
  readonly ratio?: Spread & { readonly of: string };
  /** A figure that is neither: an exponent, a number of errors. */
  readonly figure?: number;
  readonly target?: number;
};

export type Report = {
  readonly title: string;
  readonly about: string;
  readonly rows: readonly Row[];
  readonly wrong: readonly string[];
};

export function reached({ ratio, figure, target }: Row): boolean | undefined {
  const value = ratio?.median ?? figure;
  return target === undefined || value === undefined ? undefined : value <= target;
}

export function printed({ title, about, rows, wrong }: Report): string {
  const cells = rows.map((row) => [
    row.what,
    row.time ? milliseconds(row.time.median) : "",
    row.ratio ? `${short(row.ratio.median)} × ${row.ratio.of}` : row.figure === undefined ? "" : short(row.figure),
    row.ratio ? `${short(row.ratio.p10)}–${short(row.ratio.p90)}` : "",
    row.target === undefined ? "" : `≤ ${row.target}`,
    mark(row),
  ]);
  const lines = [["", "time", "median", "p10–p90", "target", ""], ...cells];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...lines.map((line) => (line[column] as string).length)));
  const table = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return [`\n${title}`, about, "", ...table, ...wrong.map((fault) => `WRONG: ${fault}`)].join("\n");
}

function mark(row: Row): string {
  const held = reached(row);
  const word = held === undefined ? "" : held ? "reached" : "MISSED";
  return [word, row.note].filter(Boolean).join("; ");
}

function short(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString("en");
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(value >= 1 ? 2 : 3);
}

function milliseconds(value: number): string {
  return value >= 1 ? `${short(value)} ms` : `${short(value * 1000)} µs`;
}
