import { useVirtualizer } from "@tanstack/react-virtual";
import { type MouseEvent, useEffect, useRef } from "react";
import type { Assembled } from "../../assembly/assembled.ts";
import { cacheRuleOf, type Placed } from "../../assembly/placed.ts";
import { useSize } from "../../kit/size.ts";
import { caretAt } from "./caret.ts";
import { movedCursor } from "./cursor.ts";
import type { Mark } from "./piece.ts";
import { type Row, rowAt } from "./row.ts";
import { RowView } from "./row-view.tsx";
import { useSpans } from "./use-spans.ts";
import { type Stretch, wordAt } from "./word/word.ts";

export type TextProps = {
  readonly assembled: Assembled;
  readonly sections: readonly Placed[];
  readonly rows: readonly Row[];
  readonly prefixTokens: number;
  readonly marks: readonly Mark[];
  /** The section that is looked at in the picture. */
  readonly lit: string | undefined;
  /** Where to look: a new object looks there again. */
  readonly look: { readonly at: number; readonly align: "start" | "auto" | "center" } | undefined;
  readonly cursor: Stretch | undefined;
  readonly onCursor: (word: Stretch) => void;
  readonly onOpen: (word: Stretch) => void;
  readonly onClose: () => void;
};

/** How high a line is, and how wide a letter, as a first guess: each row is measured when it is drawn. */
const lineHeight = 21;
const letterWidth = 7.9;

/** The prompt's text. Only the rows that are looked at are drawn; a click or Enter asks who wrote the word. */
export function PromptText(props: TextProps) {
  const { assembled, sections, rows, marks, cursor, look } = props;
  const { text } = assembled;
  const scroller = useRef<HTMLElement>(null);
  const { width } = useSize(scroller);
  const columns = Math.max(20, (width - (width < 720 ? 30 : 170)) / letterWidth);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => guessHeight(rows[index] as Row, columns),
    getItemKey: (index) => (rows[index] as Row).key,
    overscan: 4,
  });
  const items = virtual.getVirtualItems();
  const spans = useSpans(
    assembled,
    items.map(({ index }) => rows[index] as Row),
  );
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
  return (
    <section
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: words are reached by arrow keys.
      tabIndex={0}
      aria-label="The text. Arrow keys move between words, Enter shows who wrote one."
      className="relative min-h-0 flex-1 overflow-y-auto rounded-lg border border-line bg-card"
      onClick={clicked}
      onKeyDown={(event) => {
        const to = movedCursor(text, sections, cursor, event.key);
        if (to) props.onCursor(to);
        else if (event.key === "Enter" && cursor) props.onOpen(cursor);
        else if (event.key === "Escape") props.onClose();
        else return;
        event.preventDefault();
      }}
    >
      <div className="relative" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, key, start }) => {
          const row = rows[index] as Row;
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
                spans={spans}
                marks={marks}
                lit={row.section.name === props.lit}
                line={row.opensTail ? { tokens: props.prefixTokens, cache: cacheRuleOf(assembled) } : undefined}
              />
            </div>
          );
        })}
      </div>
    </section>
  );
}

function guessHeight({ start, end, lines, opens, closes, opensTail }: Row, columns: number): number {
  const drawn = Math.max(lines, Math.ceil((end - start) / columns)) * lineHeight;
  return Math.max(drawn, opens ? 68 : 0) + (opens ? 8 : 0) + (closes ? 8 : 0) + (opensTail ? 32 : 0);
}
