import { diff } from "charter";

/** A stretch of a line, and whether it differs from the line it stands against. */
export type Piece = { readonly text: string; readonly changed: boolean };

export type LineRow = {
  readonly kind: "same" | "removed" | "added";
  /** Its line in the one text and in the other; a line that came has no number before. */
  readonly before?: number;
  readonly after?: number;
  readonly pieces: readonly Piece[];
};

/** What stands between two changes and is the same in both. */
export type GapRow = { readonly kind: "gap"; readonly rows: readonly LineRow[] };

export type DiffRow = LineRow | GapRow;

export type Changed = { readonly added: number; readonly removed: number };

/** What changed, line by line, with `context` lines around each change; in changed lines the words that differ. */
export function diffRows(before: string, after: string, context = 2): readonly DiffRow[] {
  return withGaps(lineRows(before, after), context);
}

export function changedLines(rows: readonly DiffRow[]): Changed {
  const how = (kind: DiffRow["kind"]) => rows.filter((row) => row.kind === kind).length;
  return { added: how("added"), removed: how("removed") };
}

function lineRows(before: string, after: string): LineRow[] {
  const hunks = diff(before, after);
  const rows: LineRow[] = [];
  let a = 0;
  let b = 0;
  for (let at = 0; at < hunks.length; at++) {
    const { kind, lines } = hunks[at] as (typeof hunks)[number];
    if (kind === "same") {
      for (const line of lines) rows.push({ kind, before: ++a, after: ++b, pieces: plain(line) });
      continue;
    }
    const next = hunks[at + 1];
    const replaced = kind === "removed" && next?.kind === "added" ? next.lines : undefined;
    const pairs =
      replaced?.length === lines.length ? lines.map((line, index) => against(line, replaced[index] ?? "")) : [];
    lines.forEach((line, index) => {
      const pieces = pairs[index]?.[0] ?? plain(line);
      rows.push(kind === "removed" ? { kind, before: ++a, pieces } : { kind, after: ++b, pieces });
    });
    if (!replaced) continue;
    at++;
    replaced.forEach((line, index) => {
      rows.push({ kind: "added", after: ++b, pieces: pairs[index]?.[1] ?? plain(line) });
    });
  }
  return rows;
}

const plain = (text: string): readonly Piece[] => [{ text, changed: false }];

/** Past this many characters a line is compared as a whole. */
const longestLine = 2_000;

/** Two lines word by word. Where they share little, marking words would only be noise: then they differ as a whole. */
function against(before: string, after: string): readonly [readonly Piece[], readonly Piece[]] | undefined {
  if (before.length > longestLine || after.length > longestLine) return undefined;
  const hunks = diff(tokens(before), tokens(after));
  const left: Piece[] = [];
  const right: Piece[] = [];
  let shared = 0;
  for (const { kind, lines } of hunks) {
    const text = lines.join("");
    if (kind !== "added") left.push({ text, changed: kind === "removed" });
    if (kind !== "removed") right.push({ text, changed: kind === "added" });
    if (kind === "same") shared += text.trim().length;
  }
  return shared * 3 >= Math.max(before.length, after.length) ? [left, right] : undefined;
}

/** One to a line: a line has no line feed in it, so none is lost. */
function tokens(line: string): string {
  return (line.match(/\s+|[\p{L}\p{N}\p{M}_]+|./gu) ?? []).join("\n");
}

function withGaps(rows: readonly LineRow[], context: number): DiffRow[] {
  const near = new Uint8Array(rows.length);
  rows.forEach(({ kind }, at) => {
    if (kind !== "same") near.fill(1, Math.max(0, at - context), at + context + 1);
  });
  const out: DiffRow[] = [];
  for (let at = 0; at < rows.length; ) {
    let end = at;
    while (end < rows.length && near[end] === near[at]) end++;
    const stretch = rows.slice(at, end);
    // A gap that hides a single line saves nothing.
    if (near[at] || stretch.length === 1) out.push(...stretch);
    else out.push({ kind: "gap", rows: stretch });
    at = end;
  }
  return out;
}
