import { useVirtualizer } from "@tanstack/react-virtual";
import { type MouseEvent, type ReactNode, useEffect, useMemo, useRef } from "react";
import { useSize } from "../../kit/window.ts";
import { caretAt } from "./caret.ts";
import { movedCursor } from "./cursor.ts";
import type { Block, PromptDocument } from "./document.ts";
import type { Mark } from "./piece.ts";
import { type Row, rowAt, spanOfLine, spansWithin } from "./row.ts";
import { RowView } from "./row-view.tsx";
import { type Stretch, wordAt } from "./word/word.ts";

type TextProps = {
  readonly document: PromptDocument;
  readonly rows: readonly Row[];
  readonly marks: readonly Mark[];
  readonly about: { readonly agent: string; readonly user: string | undefined };
  readonly partTokens: Readonly<Record<Block["part"], number>>;
  readonly line: string;
  /** Where to look: a new object looks there again. */
  readonly look: { readonly at: number; readonly align: "start" | "auto" | "center" } | undefined;
  readonly cursor: Stretch | undefined;
  /** The section that is written in, and what it is written in. */
  readonly editing: { readonly section: string; readonly editor: ReactNode } | undefined;
  readonly onCursor: (word: Stretch) => void;
  readonly onOpen: (word: Stretch) => void;
  readonly onClose: () => void;
  readonly onFold: (block: Block) => void;
  readonly onEdit: ((section: string) => void) | undefined;
};

/** How high a line is, and how wide a letter, as a first guess: each row is measured when it is drawn. */
const lineHeight = 24;
const letterWidth = 7.5;

/** The document. Only the lines that are looked at are drawn; a click or Enter asks who wrote the word. */
export function PromptText(props: TextProps) {
  const {
    document: { text, blocks, spans },
    rows,
    marks,
    cursor,
    look,
    editing,
  } = props;
  const scroller = useRef<HTMLElement>(null);
  const { width } = useSize(scroller);
  const columns = Math.max(20, Math.min(736, width - (width < 640 ? 44 : 136)) / letterWidth);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => guessHeight(rows[index] as Row, columns),
    getItemKey: (index) => (rows[index] as Row).key,
    overscan: 8,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever scrolled on since is left where they are.
  useEffect(() => {
    const row = look ? rowAt(rows, look.at) : -1;
    if (look && row !== -1) virtual.scrollToIndex(row, { align: look.align });
  }, [look]);
  const clicked = (event: MouseEvent) => {
    // Whoever marks words to copy them asks nothing.
    if (getSelection()?.isCollapsed === false) return;
    const at = caretAt(event);
    const word = at === undefined ? undefined : wordAt(text, at);
    if (word) props.onOpen(word);
  };
  const unfolded = useMemo(() => {
    const folded = new Set(rows.filter((row) => row.folded).map(({ block }) => block));
    return blocks.filter((block) => !folded.has(block));
  }, [rows, blocks]);
  const whoseAt = (index: number) => {
    const row = rows[index] as Row;
    return spanOfLine(spansWithin(spans, row.start, row.end), row);
  };
  const sameAsBefore = (index: number) => {
    const [row, before] = [rows[index] as Row, rows[index - 1]];
    if (before?.block !== row.block) return false;
    const [one, other] = [whoseAt(index), whoseAt(index - 1)];
    return one?.hand === other?.hand && (one?.revision || 0) === (other?.revision || 0);
  };
  return (
    <section
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: words are reached by arrow keys.
      tabIndex={0}
      aria-label="The text. Arrow keys move between words, Enter shows who wrote one."
      className="relative min-h-0 flex-1 overflow-y-auto rounded-lg border border-line bg-card"
      onClick={clicked}
      onKeyDown={(event) => {
        if (event.target !== event.currentTarget) return;
        const to = movedCursor(text, unfolded, cursor, event.key);
        if (to) props.onCursor(to);
        else if (event.key === "Enter" && cursor) props.onOpen(cursor);
        else if (event.key === "Escape") props.onClose();
        else return;
        event.preventDefault();
      }}
    >
      <div className="relative" style={{ height: virtual.getTotalSize() + 24 }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index] as Row;
          const own = spansWithin(spans, row.start, row.end);
          return (
            <div
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              className="absolute inset-x-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              <RowView
                text={text}
                row={row}
                spans={own}
                marks={marks}
                whose={spanOfLine(own, row)}
                saysWhose={!sameAsBefore(index)}
                about={props.about}
                partTokens={props.partTokens[row.block.part]}
                line={props.line}
                onFold={props.onFold}
                onEdit={props.onEdit}
              />
              {row.folded && editing && row.block.name === editing.section && (
                // biome-ignore lint/a11y/noStaticElementInteractions: what is typed and clicked in it asks about no word.
                // biome-ignore lint/a11y/useKeyWithClickEvents: the same.
                <div className="px-3 py-2 sm:ps-[7.5rem]" onClick={(event) => event.stopPropagation()}>
                  {editing.editor}
                </div>
              )}
            </div>
          );
        })}
      </div>
    </section>
  );
}

function guessHeight({ start, end, opens, closes, opensPart }: Row, columns: number): number {
  const drawn = Math.max(1, Math.ceil((end - start) / columns)) * lineHeight;
  return drawn + (opens ? 32 : 0) + (closes ? 8 : 0) + (opensPart ? 50 : 0);
}
