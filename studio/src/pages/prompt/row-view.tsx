import type { Span } from "charter";
import { memo } from "react";
import type { Placed } from "../../assembly/placed.ts";
import { count, plural, sourceText } from "../../kit/words.ts";
import { type CacheRule, lineText } from "../../strata/line.ts";
import { type Mark, type Piece, piecesOf, stretchesOf } from "./piece.ts";
import type { Row } from "./row.ts";

const edges = { fixed: "border-fixed", amendable: "border-amendable", live: "border-live" } as const;
const tints = { fixed: "bg-fixed-tint", amendable: "bg-amendable-tint", live: "bg-live-tint" } as const;
const marked = { hit: "bg-wait/25", here: "bg-accent text-on-accent", word: "bg-ink text-paper" } as const;

/** Words of others have a mark before every line; foreign ones a broken one. */
const trusts = {
  own: "",
  user: "box-decoration-clone border-accent/60 border-l-2 pl-1.5",
  foreign: "box-decoration-clone border-bad border-l-2 border-dashed pl-1.5",
} as const;

type RowProps = {
  readonly text: string;
  readonly row: Row;
  readonly spans: readonly Span[];
  readonly marks: readonly Mark[];
  /** It is looked at in the picture. */
  readonly lit: boolean;
  /** Of the line before the tail, where this row opens it. */
  readonly line: { readonly tokens: number; readonly cache: CacheRule } | undefined;
};

/** A row of the text: at its margin whose words they are, each stretch in its colour. */
export const RowView = memo(function RowView({ text, row, spans, marks, lit, line }: RowProps) {
  const { section, opens } = row;
  return (
    <>
      {line && (
        <p className="flex items-center gap-2 py-2 text-accent text-xs">
          <span className="w-4 border-accent border-t-2" />
          {lineText(line.tokens, line.cache)} · below: dynamic state, sent again with every request
          <span className="flex-1 border-accent border-t-2" />
        </p>
      )}
      <div
        className={`grid border-l-4 md:grid-cols-[8.5rem_minmax(0,1fr)] ${opens ? "mt-px" : ""} ${edges[section.mutability]} ${tints[section.mutability]} ${lit ? "outline-2 outline-ink/40 -outline-offset-2" : ""}`}
      >
        <div className={`px-2.5 text-xs ${opens ? "pt-2 md:pb-2" : ""}`}>{opens && <Margin section={section} />}</div>
        <div
          className={`min-w-0 whitespace-pre-wrap px-2.5 font-mono text-[0.8125rem] leading-relaxed [overflow-wrap:anywhere] [unicode-bidi:plaintext] ${opens ? "pt-1.5" : ""} ${row.closes ? "pb-2" : ""}`}
        >
          {stretchesOf(piecesOf(row, spans, marks, section.end - section.gap)).map((pieces) => (
            <span key={pieces[0].start} className={`rounded-xs hover:bg-ink/8 ${lookOf(pieces[0], section)}`}>
              {pieces.map((piece) => (
                <span
                  key={piece.start}
                  data-at={piece.start}
                  className={piece.mark && `rounded-xs ${marked[piece.mark]}`}
                >
                  {wordsOf(text, piece, row)}
                </span>
              ))}
            </span>
          ))}
        </div>
      </div>
    </>
  );
});

/**
 * Until it is known who wrote what, a section is no more to be trusted than the least trusted words in it. What the
 * charter puts between this section and the next is nobody's.
 */
function lookOf({ span, apart }: Piece, { trust }: Placed): string {
  return apart ? "text-soft" : trusts[span?.trust ?? trust];
}

/** The line end that ends a row would be an empty line at its end. */
function wordsOf(text: string, { start, end }: Piece, row: Row): string {
  return text.slice(start, end === row.end && text.charCodeAt(end - 1) === 10 ? end - 1 : end);
}

function Margin({ section }: { readonly section: Placed }) {
  const { name, layer, source, revision, tokens, cut } = section;
  return (
    <div className="flex flex-wrap gap-x-2 text-soft md:flex-col">
      <bdi className="line-clamp-4 font-medium text-ink [overflow-wrap:anywhere]">{name}</bdi>
      <span className="line-clamp-2 [overflow-wrap:anywhere]">
        layer <bdi>{layer}</bdi>
      </span>
      <span className="tabular-nums">
        {plural(tokens, "token")}
        {cut && " · trimmed"}
      </span>
      <span className="line-clamp-3 [overflow-wrap:anywhere]">
        <bdi>{sourceText(source)}</bdi>
        {revision !== null && ` · revision ${count(revision)}`}
      </span>
    </div>
  );
}
