import { diff } from "charter";
import { type ReactNode, useMemo, useState } from "react";
import { count, plural } from "../words.ts";
import { LongText } from "./long-text.tsx";

const looks = {
  same: { line: "", sign: "", word: "", tag: "span" },
  removed: { line: "bg-bad/10", sign: "−", word: "bg-bad/25", tag: "del" },
  added: { line: "bg-good/10", sign: "+", word: "bg-good/25", tag: "ins" },
} as const;

/** A line longer than this shows its beginning first. */
const longLine = 2_000;

/** Rows of two texts side by side: so many at first, and so many more at a time. */
const stretch = 400;

const frame = "overflow-hidden rounded-md border border-line font-mono text-[0.8rem] leading-5";

type DiffViewProps = {
  readonly before: string;
  readonly after: string;
  readonly max?: number;
  readonly className?: string;
};

/**
 * What changed between two texts: the changed lines and a little around them. What is the same in between, and what goes
 * on after the first `max` rows, is said and opens on a click.
 */
export function DiffView({ before, after, max = 60, className = "" }: DiffViewProps) {
  const rows = useMemo(() => diffRows(before, after), [before, after]);
  const [all, setAll] = useState(false);
  const shown = all ? rows : rows.slice(0, max);
  const line = (row: LineRow) => (
    <div className={`flex gap-2 px-2 ${looks[row.kind].line}`}>
      <Sign of={row} />
      <Words of={row} />
    </div>
  );
  if (before === after)
    return (
      <div className={`${frame} ${className}`}>
        <p className="px-3 py-1.5 font-sans text-soft">Nothing differs.</p>
      </div>
    );
  return (
    <div className={`${frame} ${className}`}>
      {shown.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same two texts have the same rows.
        <Folded key={index} row={row} line={line} />
      ))}
      {shown.length < rows.length && (
        <More onClick={() => setAll(true)}>Show {plural(rows.length - shown.length, "more line")}</More>
      )}
    </div>
  );
}

type SideBySideProps = {
  readonly before: string;
  readonly after: string;
  readonly names: readonly [before: string, after: string];
};

/**
 * Two texts side by side, line by line: what went on the left, what came on the right. Where there is no room beside,
 * what came stands under what went. What stayed and is far from any change is folded.
 */
export function SideBySide({ before, after, names }: SideBySideProps) {
  const rows = useMemo(() => sideRows(before, after), [before, after]);
  const [max, setMost] = useState(stretch);
  return (
    <div className={`${frame} bg-card`}>
      <div className="grid border-line border-b bg-raised py-1 font-sans text-soft text-xs sm:grid-cols-2 sm:py-0">
        <Name sign="−">{names[0]}</Name>
        <Name sign="+">{names[1]}</Name>
      </div>
      {before === after && <p className="p-2 font-sans text-sm text-soft">Both texts are the same.</p>}
      {before !== after &&
        rows.slice(0, max).map((row, index) =>
          row.kind === "gap" ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same two texts have the same rows.
            <Folded key={index} row={row} line={(line) => <Both before={line} after={line} />} />
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above.
            <Both key={index} before={row.before} after={row.after} />
          ),
        )}
      {before !== after && rows.length > max && (
        <More onClick={() => setMost(max + 5 * stretch)}>
          Show more: {plural(rows.length - max, "row is", "rows are")} left
        </More>
      )}
    </div>
  );
}

/** A line; or what is the same between two changes, which opens. */
function Folded({ row, line }: { readonly row: DiffRow; readonly line: (row: LineRow) => ReactNode }) {
  const [open, setOpen] = useState(false);
  if (row.kind !== "gap") return line(row);
  // biome-ignore lint/suspicious/noArrayIndexKey: as above.
  if (open) return row.rows.map((one, index) => <div key={index}>{line(one)}</div>);
  return (
    <button
      type="button"
      onClick={() => setOpen(true)}
      className="block w-full bg-raised px-3 text-left font-sans text-soft text-xs leading-6 hover:text-ink"
    >
      … {count(row.rows.length)} lines the same
    </button>
  );
}

function More({ onClick, children }: { readonly onClick: () => void; readonly children: ReactNode }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="block w-full bg-raised px-3 py-1 text-left font-sans text-accent text-xs underline"
    >
      {children}
    </button>
  );
}

/** What stands under each other has a sign; what stands beside each other does not need one. */
function Name({ sign, children }: { readonly sign: string; readonly children: string }) {
  return (
    <span className="px-2 [overflow-wrap:anywhere] sm:py-1 sm:not-first:border-line sm:not-first:border-l">
      <span className="sm:hidden">{sign} </span>
      {children}
    </span>
  );
}

function Both({ before, after }: { readonly before: LineRow | undefined; readonly after: LineRow | undefined }) {
  return (
    <div className="grid grid-cols-1 sm:grid-cols-2">
      <Side row={before} number={before?.before} />
      <Side row={after} number={after?.after} right />
    </div>
  );
}

type SideProps = { readonly row: LineRow | undefined; readonly number: number | undefined; readonly right?: boolean };

function Side({ row, number, right = false }: SideProps) {
  const edge = right ? "sm:border-line sm:border-l" : "";
  if (!row) return <div className={`hidden bg-raised/50 sm:block ${edge}`} />;
  const twice = right && row.kind === "same" ? "hidden sm:flex" : "flex";
  return (
    <div className={`${twice} min-w-0 pr-2 ${edge} ${looks[row.kind].line}`}>
      <span aria-hidden="true" className="w-8 shrink-0 select-none pr-1 text-right text-soft text-xs leading-5">
        {number}
      </span>
      <Sign of={row} />
      <Words of={row} />
    </div>
  );
}

function Sign({ of: { kind } }: { readonly of: LineRow }) {
  return (
    <span aria-hidden="true" className="w-4 shrink-0 select-none text-center text-soft">
      {looks[kind].sign}
    </span>
  );
}

/** The words of a line, and of a changed one those that differ. */
function Words({ of: { kind, pieces } }: { readonly of: LineRow }) {
  const { tag: Tag, word } = looks[kind];
  const only = pieces.length === 1 ? pieces[0]?.text : undefined;
  return (
    <Tag dir="auto" className="block min-w-0 flex-1 whitespace-pre-wrap no-underline [overflow-wrap:anywhere]">
      {only !== undefined && only.length > longLine ? (
        <LongText text={only} max={longLine} />
      ) : (
        pieces.map(({ text, changed }, index) =>
          changed ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same line has the same pieces.
            <mark key={index} className={`rounded-xs text-ink ${word}`}>
              {text}
            </mark>
          ) : (
            text || "\u200b"
          ),
        )
      )}
    </Tag>
  );
}

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

/** What changed, line by line, with `context` lines around each change; in changed lines the words that differ. */
export function diffRows(before: string, after: string, context = 2): readonly DiffRow[] {
  return withGaps(lineRows(before, after), context);
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

/** A unified diff as the two texts it is of, as far as it shows them; what it leaves out between is one line of dots. */
export function textsOf(unified: string): { readonly before: string; readonly after: string } {
  const before: string[] = [];
  const after: string[] = [];
  const [, , ...lines] = unified.endsWith("\n") ? unified.slice(0, -1).split("\n") : unified.split("\n");
  lines.forEach((line, index) => {
    const words = line.slice(1);
    if (line.startsWith("-")) before.push(words);
    else if (line.startsWith("+")) after.push(words);
    else if (!line.startsWith("@")) both(line.startsWith(" ") ? words : line);
    else if (index > 0) both("⋯");
  });
  function both(words: string) {
    before.push(words);
    after.push(words);
  }
  return { before: before.join("\n"), after: after.join("\n") };
}
