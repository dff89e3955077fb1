import { useMemo, useState } from "react";
import { count, plural } from "../words.ts";
import type { LineRow } from "./diff-rows.ts";
import { LongText } from "./long-text.tsx";
import { type SideRow, sideRows } from "./side-rows.ts";

/** So many rows at first, and so many more at a time. */
const stretch = 400;
const longLine = 2_000;

/**
 * Two texts side by side, line by line: what went on the left, what came on the right. Where there is no room beside,
 * what came stands under what went. What stayed and is far from any change is folded.
 */
export function SideBySide({
  before,
  after,
  names,
}: {
  readonly before: string;
  readonly after: string;
  readonly names: readonly [before: string, after: string];
}) {
  const rows = useMemo(() => sideRows(before, after), [before, after]);
  const [max, setMost] = useState(stretch);
  return (
    <div className="overflow-hidden rounded-md border border-line bg-card font-mono text-[0.8rem] leading-5">
      <div className="grid border-line border-b bg-raised py-1 font-sans text-soft text-xs sm:grid-cols-2 sm:py-0">
        <Name sign="−">{names[0]}</Name>
        <Name sign="+">{names[1]}</Name>
      </div>
      {before === after && <p className="p-2 font-sans text-sm text-soft">Both texts are the same.</p>}
      {before !== after &&
        // biome-ignore lint/suspicious/noArrayIndexKey: the same two texts have the same rows.
        rows.slice(0, max).map((row, index) => <Row key={index} row={row} />)}
      {before !== after && rows.length > max && (
        <button
          type="button"
          onClick={() => setMost(max + 5 * stretch)}
          className="block w-full bg-raised px-2 py-1 text-left font-sans text-accent text-xs underline"
        >
          Show more: {plural(rows.length - max, "row is", "rows are")} left
        </button>
      )}
    </div>
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

function Row({ row }: { readonly row: SideRow }) {
  const [open, setOpen] = useState(false);
  if (row.kind === "lines") return <Both before={row.before} after={row.after} />;
  // biome-ignore lint/suspicious/noArrayIndexKey: as above.
  if (open) return row.rows.map((line, index) => <Both key={index} before={line} after={line} />);
  return (
    <button
      type="button"
      onClick={() => setOpen(true)}
      className="block w-full bg-raised px-2 text-left font-sans text-soft text-xs leading-6 hover:text-ink"
    >
      ⋯ {count(row.rows.length)} lines the same
    </button>
  );
}

type Pair = { readonly before: LineRow | undefined; readonly after: LineRow | undefined };

function Both({ before, after }: Pair) {
  return (
    <div className="grid grid-cols-1 sm:grid-cols-2">
      <Line row={before} number={before?.before} />
      <Line row={after} number={after?.after} right />
    </div>
  );
}

const looks = {
  same: { line: "", word: "", sign: "", tag: "span" },
  removed: { line: "bg-bad/10", word: "bg-bad/25", sign: "−", tag: "del" },
  added: { line: "bg-good/10", word: "bg-good/25", sign: "+", tag: "ins" },
} as const;

function Line({
  row,
  number,
  right = false,
}: {
  readonly row: LineRow | undefined;
  readonly number: number | undefined;
  readonly right?: boolean;
}) {
  const edge = right ? "sm:border-line sm:border-l" : "";
  if (!row) return <div className={`hidden bg-raised/50 sm:block ${edge}`} />;
  const { line, word, sign, tag: Words } = looks[row.kind];
  const twice = right && row.kind === "same" ? "hidden sm:flex" : "flex";
  const whole = row.pieces.length === 1 ? (row.pieces[0]?.text ?? "") : undefined;
  return (
    <div className={`${twice} min-w-0 pr-2 ${edge} ${line}`}>
      <span aria-hidden="true" className="w-8 shrink-0 select-none pr-1 text-right text-soft text-xs leading-5">
        {number}
      </span>
      <span aria-hidden="true" className="w-4 shrink-0 select-none text-center text-soft">
        {sign}
      </span>
      {whole !== undefined && whole.length > longLine ? (
        <LongText text={whole} max={longLine} className="flex-1" />
      ) : (
        <Words dir="auto" className="block min-w-0 flex-1 whitespace-pre-wrap no-underline [overflow-wrap:anywhere]">
          {row.pieces.map(({ text, changed }, index) =>
            changed ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: as above.
              <mark key={index} className={`rounded-xs text-ink ${word}`}>
                {text}
              </mark>
            ) : (
              text || "\u200b"
            ),
          )}
        </Words>
      )}
    </div>
  );
}
