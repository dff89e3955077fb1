/** A row of a table in a file, and the line it begins on. */
export type CsvRow = { readonly line: number; readonly cells: readonly string[] };

/**
 * Reads comma-separated values: cells in double quotes may hold anything, a quote is doubled there. Spreadsheets write
 * semicolons or tabs instead; the first line says which. Empty lines are left out. Nothing, where a quote is not closed.
 */
export function readCsv(text: string): CsvRow[] | undefined {
  const words = text.replace(/^\uFEFF/, "");
  const first = /^[^\r\n]*/.exec(words)?.[0] ?? "";
  const mark = [",", ";", "\t"].find((one) => first.includes(one)) ?? ",";
  const rows: CsvRow[] = [];
  let [line, begins, cell, quoted, wasQuoted] = [1, 1, "", false, false];
  let cells: string[] = [];
  const endCell = () => {
    cells.push(wasQuoted ? cell : cell.trim());
    [cell, wasQuoted] = ["", false];
  };
  const endRow = () => {
    endCell();
    if (cells.some((one) => one !== "")) rows.push({ line: begins, cells });
    [cells, begins] = [[], line];
  };
  for (let at = 0; at < words.length; at++) {
    const one = words[at] as string;
    const isEnd = one === "\n" || (one === "\r" && words[at + 1] !== "\n");
    if (isEnd) line++;
    if (quoted && one === '"' && words[at + 1] === '"') at++;
    else if (quoted && one === '"') {
      quoted = false;
      continue;
    }
    if (quoted) cell += one;
    else if (one === '"' && cell.trim() === "") [cell, quoted, wasQuoted] = ["", true, true];
    else if (one === mark) endCell();
    else if (isEnd) endRow();
    else if (one !== "\r" && !(wasQuoted && one === " ")) cell += one;
  }
  if (quoted) return undefined;
  endRow();
  return rows;
}

/** A line of such a file. */
export function csvLine(cells: readonly string[]): string {
  return cells.map((cell) => (/[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",");
}
