import { type DiffRow, diffRows, type GapRow, type LineRow } from "./diff-rows.ts";

/** What stands beside each other: the same line twice, one that went beside the one that came, or either alone. */
export type SideRow =
  | { readonly kind: "lines"; readonly before: LineRow | undefined; readonly after: LineRow | undefined }
  | GapRow;

/** Two texts as rows of two: lines that went stand beside those that came in their place. */
export function sideRows(before: string, after: string): readonly SideRow[] {
  const rows: SideRow[] = [];
  const changed = { removed: [] as LineRow[], added: [] as LineRow[] };
  const settle = () => {
    const { removed, added } = changed;
    for (let at = 0; at < Math.max(removed.length, added.length); at++)
      rows.push({ kind: "lines", before: removed[at], after: added[at] });
    changed.removed = [];
    changed.added = [];
  };
  for (const row of diffRows(before, after, 3) as readonly DiffRow[]) {
    if (row.kind === "removed" || row.kind === "added") {
      changed[row.kind].push(row);
      continue;
    }
    settle();
    rows.push(row.kind === "gap" ? row : { kind: "lines", before: row, after: row });
  }
  settle();
  return rows;
}
