type Cell = string | number;

/** A table as a file that spreadsheets open. What they would run as a formula is words to them. */
export function csvOf(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [head, ...rows].map((row) => `${row.map(cellOf).join(",")}\r\n`).join("");
}

function cellOf(cell: Cell): string {
  if (typeof cell === "number") return String(cell);
  const harmless = /^[\s]*[=+\-@\t\r|%]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
