import { type Inline, inline } from "./inline.ts";
import { type Align, tableAt } from "./table-lines.ts";

/** A piece of an answer: the Markdown that answers are written in. */
export type Block =
  | { readonly kind: "paragraph" | "heading"; readonly of: readonly Inline[] }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "rule" }
  | { readonly kind: "quote"; readonly of: readonly Block[] }
  | { readonly kind: "list"; readonly start: number | undefined; readonly items: readonly Item[] }
  | { readonly kind: "table"; readonly aligns: readonly Align[]; readonly head: Row; readonly rows: readonly Row[] };

/** The cells of a table's row. */
type Row = readonly (readonly Inline[])[];

/** `start` of a list is its first number, where it has numbers. `depth`: how far an item is set in. */
export type Item = { readonly depth: number; readonly of: readonly Inline[] };

/** Quotes within quotes, and items within items, so many; what is deeper stays as it is. */
const deepest = 8;

const fenceLine = /^\s*(`{3,}|~{3,})/;
const headingLine = /^(#{1,6})\s+(.*)$/s;
const ruleLine = /^ {0,3}(?:-[ \t]*){3,}$|^ {0,3}(?:\*[ \t]*){3,}$|^ {0,3}(?:_[ \t]*){3,}$/;
const itemLine = /^(\s*)(?:[-*+]|(\d{1,9})[.)])\s+/;

/** Code, headings, lists, quotes, tables, paragraphs. The rest stays as it is: every word of the text is in some block. */
export function markdown(text: string, depth = 0): readonly Block[] {
  const lines = text.split(/\r\n|\r|\n/);
  const blocks: Block[] = [];
  let at = 0;
  const take = (holds: (line: string) => boolean): string[] => {
    const from = at;
    while (at < lines.length && holds(lines[at] as string)) at++;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at] as string;
    const fence = fenceLine.exec(line)?.[1];
    const heading = headingLine.exec(line);
    const table = tableAt(lines, at);
    if (line.trim() === "") at++;
    else if (fence !== undefined) {
      at++;
      blocks.push({ kind: "code", text: take((one) => !one.trim().startsWith(fence)).join("\n") });
      at++;
    } else if (heading) {
      at++;
      blocks.push({ kind: "heading", of: inline(heading[2] as string) });
    } else if (line.length < 200 && ruleLine.test(line)) {
      at++;
      blocks.push({ kind: "rule" });
    } else if (line.startsWith(">") && depth < deepest) {
      const quoted = take((one) => one.startsWith(">")).map((one) => one.replace(/^>\s?/, ""));
      blocks.push({ kind: "quote", of: markdown(quoted.join("\n"), depth + 1) });
    } else if (itemLine.test(line)) {
      blocks.push(list(take((one) => itemLine.test(one) || /^\s+\S/.test(one))));
    } else if (table) {
      at += table.length;
      const { aligns, head, rows } = table;
      blocks.push({ kind: "table", aligns, head: head.map(inline), rows: rows.map((row) => row.map(inline)) });
    } else {
      // A line that is nothing else is words, whatever it looks like: each is taken, or there would be no end.
      at++;
      blocks.push({
        kind: "paragraph",
        of: inline([line, ...take((one) => goesOn(one) && !tableAt(lines, at))].join("\n")),
      });
    }
  }
  return blocks;
}

function goesOn(line: string): boolean {
  return line.trim() !== "" && !/^(?:#{1,6}\s|>|\s*(?:`{3}|~{3}))/.test(line) && !itemLine.test(line);
}

/** A line that is set in and has no mark of its own goes on with the item before it. */
function list(lines: readonly string[]): Block {
  const items: { depth: number; words: string[] }[] = [];
  for (const line of lines) {
    const mark = itemLine.exec(line);
    if (mark) items.push({ depth: depthOf(mark[1] as string), words: [line.slice(mark[0].length)] });
    else items.at(-1)?.words.push(line.trim());
  }
  const first = itemLine.exec(lines[0] as string)?.[2];
  return {
    kind: "list",
    start: first === undefined ? undefined : Number(first),
    items: items.map(({ depth, words }) => ({ depth, of: inline(words.join("\n")) })),
  };
}

function depthOf(space: string): number {
  return Math.min(deepest, Math.floor(space.replaceAll("\t", "    ").length / 2));
}
