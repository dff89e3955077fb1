import type { SyntaxNode } from "@lezer/common";
import { renderInline } from "./inline.ts";
import { childrenOf, newWriter, type TextWriter } from "./text-writer.ts";

/** A table as lines of the same width: Telegram has none, and shows code in letters of one width. */
export function tableText(writer: TextWriter, table: SyntaxNode): string {
  const rows = childrenOf(table)
    .filter(({ name }) => name === "TableHeader" || name === "TableRow")
    .map((row) => cellsOf(writer, row));
  const count = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, at) => Math.max(...rows.map((row) => widthOf(row[at] ?? ""))));
  const lineOf = (cells: readonly string[]) =>
    widths
      .map((width, at) => (cells[at] ?? "") + " ".repeat(width - widthOf(cells[at] ?? "")))
      .join(" | ")
      .trimEnd();
  const [head = [], ...rest] = rows;
  return [lineOf(head), widths.map((width) => "-".repeat(width)).join("-|-"), ...rest.map(lineOf)].join("\n");
}

/** A cell without words is no node: it is known by the bars around it. */
function cellsOf(writer: TextWriter, row: SyntaxNode): string[] {
  const cells: string[] = [];
  let cell: string | undefined;
  for (const [at, node] of childrenOf(row).entries()) {
    if (node.name === "TableCell") cell = cellText(writer, node);
    else if (at > 0) {
      cells.push(cell ?? "");
      cell = undefined;
    }
  }
  return cell === undefined ? cells : [...cells, cell];
}

function widthOf(cell: string): number {
  return Array.from(cell).length;
}

function cellText({ source }: TextWriter, cell: SyntaxNode): string {
  const inner = newWriter(source);
  renderInline(inner, cell, cell.from, cell.to);
  return inner.text.trim();
}
