import { useMemo, useState } from "react";
import { count, plural } from "../words.ts";
import { type DiffRow, diffRows, type LineRow } from "./diff-rows.ts";
import { LongText } from "./long-text.tsx";

const looks: Readonly<
  Record<LineRow["kind"], { readonly line: string; readonly sign: string; readonly word: string }>
> = {
  same: { line: "", sign: " ", word: "" },
  removed: { line: "bg-bad/10", sign: "−", word: "bg-bad/25 rounded-xs" },
  added: { line: "bg-good/10", sign: "+", word: "bg-good/25 rounded-xs" },
};

/** A line longer than this shows its beginning first. */
const longLine = 3_000;

/**
 * What changed between two texts: the changed lines and a little around them. What is the same in between, and what goes
 * on after the first `most` rows, is said and opens on a click.
 */
export function DiffView({
  before,
  after,
  max = 60,
  className = "",
}: {
  readonly before: string;
  readonly after: string;
  readonly max?: number;
  readonly className?: string;
}) {
  const rows = useMemo(() => diffRows(before, after), [before, after]);
  const [all, setAll] = useState(false);
  const shown = all ? rows : rows.slice(0, max);
  return (
    <div className={`overflow-hidden rounded-md border border-line font-mono text-[0.8rem] leading-5 ${className}`}>
      {before === after ? <p className="px-3 py-1.5 font-sans text-soft">Nothing differs.</p> : null}
      {before !== after &&
        // biome-ignore lint/suspicious/noArrayIndexKey: the same two texts have the same rows.
        shown.map((row, index) => <Row key={index} row={row} />)}
      {shown.length < rows.length && (
        <button
          type="button"
          className="w-full bg-raised px-3 py-1 text-left font-sans text-accent underline"
          onClick={() => setAll(true)}
        >
          Show {plural(rows.length - shown.length, "more line")}
        </button>
      )}
    </div>
  );
}

function Row({ row }: { readonly row: DiffRow }) {
  const [open, setOpen] = useState(false);
  if (row.kind !== "gap") return <Line row={row} />;
  // biome-ignore lint/suspicious/noArrayIndexKey: as above.
  if (open) return row.rows.map((line, index) => <Line key={index} row={line} />);
  return (
    <button
      type="button"
      onClick={() => setOpen(true)}
      className="block w-full bg-raised px-3 text-left font-sans text-soft text-xs leading-6 hover:text-ink"
    >
      ⋯ {count(row.rows.length)} lines the same
    </button>
  );
}

function Line({ row }: { readonly row: LineRow }) {
  const { line, sign, word } = looks[row.kind];
  const Words = ({ same: "span", removed: "del", added: "ins" } as const)[row.kind];
  const only = row.pieces.length === 1 ? row.pieces[0]?.text : undefined;
  return (
    <div className={`flex gap-2 px-2 ${line}`}>
      <span aria-hidden="true" className="w-3 shrink-0 select-none text-center text-soft">
        {sign}
      </span>
      <Words dir="auto" className="block min-w-0 flex-1 whitespace-pre-wrap no-underline [overflow-wrap:anywhere]">
        {only !== undefined && only.length > longLine ? (
          <LongText text={only} max={longLine} />
        ) : (
          row.pieces.map(({ text, changed }, index) =>
            changed ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: as above.
              <mark key={index} className={`text-ink ${word}`}>
                {text}
              </mark>
            ) : (
              text || "\u200b"
            ),
          )
        )}
      </Words>
    </div>
  );
}
