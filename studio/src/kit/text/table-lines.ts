/** How a column of a table is set; where it says nothing, as the words run. */
export type Align = "left" | "center" | "right" | undefined;

export type TableLines = {
  readonly aligns: readonly Align[];
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** How many lines it takes. */
  readonly length: number;
};

/** A table that is wider than this is left as it was written. */
const maxColumns = 100;

/**
 * The table whose first line is `lines[at]`: a row, then a row of dashes with as many columns. A row with fewer cells is
 * filled up with empty ones; one with more keeps the rest in its last cell, as it was written: nothing is lost.
 */
export function tableAt(lines: readonly string[], at: number): TableLines | undefined {
  const [first, second] = [lines[at], lines[at + 1]];
  if (!first?.includes("|") || second === undefined || !/^[\s|:-]*$/.test(second) || !second.includes("-")) return;
  const head = cellsOf(first, maxColumns + 1);
  const aligns = cellsOf(second, maxColumns + 1).map(alignOf);
  if (head.length > maxColumns || aligns.length !== head.length || aligns.includes(null)) return;
  let end = at + 2;
  while (end < lines.length && (lines[end] as string).includes("|")) end++;
  const rows = lines.slice(at + 2, end).map((line) => {
    const cells = cellsOf(line, head.length);
    return head.map((_, column) => cells[column] ?? "");
  });
  return { aligns: aligns as readonly Align[], head, rows, length: end - at };
}

/** The cells of one line, at most `max`. A bar behind a backslash is a bar of its cell. */
function cellsOf(line: string, max: number): readonly string[] {
  const row = line.trim();
  const cells: string[] = [];
  let from = row.startsWith("|") ? 1 : 0;
  const end = row.endsWith("|") && !isEscaped(row, row.length - 1) && row.length > from ? row.length - 1 : row.length;
  for (let bar = from; cells.length < max - 1; bar++) {
    bar = row.indexOf("|", bar);
    if (bar === -1 || bar >= end) break;
    if (isEscaped(row, bar)) continue;
    cells.push(row.slice(from, bar));
    from = bar + 1;
  }
  cells.push(row.slice(from, Math.max(from, end)));
  return cells.map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function isEscaped(row: string, bar: number): boolean {
  return row[bar - 1] === "\\";
}

/** Null: no cell of a row of dashes. */
function alignOf(cell: string): Align | null {
  if (!/^:?-+:?$/.test(cell)) return null;
  if (!cell.endsWith(":")) return cell.startsWith(":") ? "left" : undefined;
  return cell.startsWith(":") ? "center" : "right";
}
