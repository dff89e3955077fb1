import { useVirtualizer } from "@tanstack/react-virtual";
import { SquarePen } from "lucide-react";
import { type MouseEvent, memo, type ReactNode, useCallback, useEffect, useMemo } from "react";
import { Link } from "wouter";
import type { Whose } from "../../api/request.ts";
import { placeOf } from "../../app/place.ts";
import { type HandName, handEdge, handInk, handTint } from "../../kit/hand.tsx";
import { Icon, mutabilityIcons } from "../../kit/icon.tsx";
import { useSize } from "../../kit/window.ts";
import { count, plural } from "../../kit/words.ts";
import {
  type Block,
  type HandStretch,
  type Mark,
  nextWord,
  type PromptDocument,
  piecesOf,
  type Row,
  rowAt,
  type Stretch,
  spanOfLine,
  within,
  wordAt,
} from "./document.ts";
import { titleOf } from "./ribbon.tsx";

type TextProps = {
  readonly document: PromptDocument;
  readonly rows: readonly Row[];
  readonly marksOf: (row: Row) => readonly Mark[];
  readonly about: Whose;
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
    cursor,
    look,
    editing,
  } = props;
  const [scroller, { width }] = useSize<HTMLElement>();
  const columns = Math.max(20, Math.min(736, width - (width < 640 ? 44 : 136)) / letterWidth);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => guessHeight(rows[index] as Row, columns),
    // The same function for the same rows: with another the place of every row is worked out anew.
    getItemKey: useCallback((index: number) => (rows[index] as Row).key, [rows]),
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
    return spanOfLine(within(spans, row.start, row.end), row);
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
                marksOf={props.marksOf}
                whose={whoseAt(index)}
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

const looks: Readonly<Record<Mark["kind"], string>> = {
  hit: "bg-wait/25",
  here: "bg-accent text-on-accent",
  word: "bg-ink text-paper",
  new: "underline decoration-2 decoration-good underline-offset-4",
  cut: "line-through decoration-bad decoration-2 opacity-60",
};

type RowProps = {
  readonly text: string;
  readonly row: Row;
  readonly spans: readonly HandStretch[];
  readonly marksOf: TextProps["marksOf"];
  /** Whose line it is, and whether the line before it is another's: then it is said. */
  readonly whose: HandStretch | undefined;
  readonly saysWhose: boolean;
  readonly about: Whose;
  readonly partTokens: number;
  /** What is said of the cached prefix where it ends. */
  readonly line: string;
  readonly onFold: ((block: Block) => void) | undefined;
  /** Opens its section in place. */
  readonly onEdit: ((section: string) => void) | undefined;
};

/** A line of the document: at its margin the hand, always; above the first one of a block what it is. */
const RowView = memo(function RowView(props: RowProps) {
  const { text, row, spans, marksOf, whose, saysWhose, partTokens, line } = props;
  const { block, opens, opensPart } = row;
  const plain = block.kind === "tools" || (block.kind === "message" && block.role === "tool");
  const pieces = piecesOf(row, within(spans, row.start, row.end), marksOf(row));
  return (
    <>
      {opensPart && <PartHeading part={block.part} tokens={partTokens} line={line} />}
      {opens && <Heading {...props} />}
      {!row.folded && (
        <div className="grid grid-cols-[1.25rem_minmax(0,1fr)] sm:grid-cols-[7rem_minmax(0,1fr)]">
          <div
            title={whose && handWords(whose)}
            className={`select-none border-e-4 pe-2 text-end text-xs leading-6 ${whose ? `${handEdge[whose.hand]} ${handInk[whose.hand]}` : "border-transparent"}`}
          >
            {whose && saysWhose && <span className="max-sm:sr-only">{handWords(whose)}</span>}
          </div>
          <div
            dir="auto"
            className={`min-h-6 min-w-0 max-w-[46rem] whitespace-pre-wrap px-3 leading-6 [overflow-wrap:anywhere] ${plain ? "font-mono text-[0.8125rem]" : ""} ${row.closes ? "pb-2" : ""}`}
          >
            {block.kind === "message" && row.start === row.end && row.opens ? (
              <span className="text-soft italic">The next message comes here.</span>
            ) : (
              pieces.map(({ start, end, span, marks }) => (
                <span
                  key={start}
                  data-at={start}
                  className={`rounded-xs ${marks.map((kind) => looks[kind]).join(" ")} ${span?.replaced ? "text-soft line-through" : ""} ${span && whose && span.hand !== whose.hand && !marks.includes("here") && !marks.includes("word") ? handTint[span.hand] : ""}`}
                  title={span?.replaced ? "A later update has other words for this" : undefined}
                >
                  {wordsOf(text, start, end, row)}
                </span>
              ))
            )}
          </div>
        </div>
      )}
    </>
  );
});

/** The line end that ends a row would be an empty line at its end. */
function wordsOf(text: string, start: number, end: number, row: Row): string {
  return text.slice(start, end === row.end && text.charCodeAt(end - 1) === 10 ? end - 1 : end);
}

/** “operator · r3”. */
function handWords({ hand, revision }: { readonly hand: HandName; readonly revision: number | null }): string {
  return revision ? `${hand} · r${count(revision)}` : hand;
}

const parts: Readonly<Record<Block["part"], readonly [string, string]>> = {
  tools: ["Tools", "offered with every request"],
  prefix: ["Prefix", "the system prompt as this conversation has it"],
  history: ["History", "what was said"],
  state: ["Dynamic state", "sent anew with each request, by an earlier version"],
};

type PartHeadingProps = { readonly part: Block["part"]; readonly tokens: number; readonly line: string };

function PartHeading({ part, tokens, line }: PartHeadingProps) {
  const [name, about] = parts[part];
  return (
    <div className="flex flex-wrap items-baseline gap-x-2 border-line border-b px-3 pt-5 pb-1">
      <h2 className="font-semibold">{name}</h2>
      <span className="text-sm text-soft">
        {about}
        {part === "history" && <span className="ms-2 text-accent text-xs">{line}</span>}
      </span>
      <span className="ml-auto text-sm text-soft tabular-nums">{plural(tokens, "token")}</span>
    </div>
  );
}

function Heading({ row, about: { agent, user }, onFold, onEdit }: RowProps) {
  const { block, folded } = row;
  const own = block.kind === "section" || block.kind === "update" ? block.section : undefined;
  return (
    <div
      data-block={block.name}
      className="group grid grid-cols-[1.25rem_minmax(0,1fr)] pt-3 sm:grid-cols-[7rem_minmax(0,1fr)]"
    >
      <span />
      <p className="flex max-w-[46rem] flex-wrap items-center gap-x-2 px-3 text-soft text-xs [overflow-wrap:anywhere]">
        {own && <Icon of={mutabilityIcons[own.mutability]} className="size-3" />}
        {own && own.layer !== "delivery" ? (
          <>
            {block.kind === "update" && <span className="font-medium text-accent">Update of</span>}
            <Link
              href={placeOf(agent, "sections", own.name, { user })}
              className="font-medium text-ink hover:underline"
            >
              <bdi>{own.name}</bdi>
            </Link>
          </>
        ) : (
          block.kind !== "tools" && <bdi className="font-medium text-ink">{titleOf(block)}</bdi>
        )}
        {/* Of the tools the heading of their part says it. */}
        {block.kind !== "tools" && <span className="tabular-nums">{plural(block.tokens, "token")}</span>}
        {block.kind === "message" && block.said?.turn && (
          <Link href={placeOf(agent, "turns", block.said.turn)} className="underline">
            turn
          </Link>
        )}
        {own && onEdit && own.mutability === "amendable" && (
          <button
            type="button"
            aria-label={`Edit ${own.name}`}
            title={`Edit ${own.name}`}
            onClick={() => onEdit(own.name)}
            className="inline-flex size-7 items-center justify-center rounded hover:bg-raised hover:text-ink pointer-coarse:size-9"
          >
            <Icon of={SquarePen} className="size-3.5" />
          </button>
        )}
        {block.kind === "tools" && onFold && (
          <button type="button" aria-expanded={!folded} onClick={() => onFold(block)} className="text-start underline">
            {folded ? `show ${plural(block.names.length, "tool")}: ${block.names.join(", ")}` : "fold"}
          </button>
        )}
      </p>
    </div>
  );
}

/** Where the keys lead from a word: to the next word, to the next line, to the next section. Nowhere for other keys. */
export function movedCursor(
  text: string,
  sections: readonly Stretch[],
  from: Stretch | undefined,
  key: string,
): Stretch | undefined {
  const step = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, Home: 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1, End: -1 }[
    key
  ] as 1 | -1 | undefined;
  if (step === undefined) return undefined;
  if (key === "End") return seek(text, sections, sections.length - 1, undefined, -1);
  if (key === "Home" || from === undefined) return seek(text, sections, 0, undefined, 1);
  const at = sections.findIndex(({ start, end }) => from.start >= start && from.start < end);
  if (at === -1) return undefined;
  if (key.startsWith("Page")) return seek(text, sections, at + step, undefined, 1) ?? from;
  const edge = key === "ArrowLeft" || key === "ArrowRight" ? from : lineEdge(text, from, step);
  return seek(text, sections, at, edge, step, key === "ArrowUp") ?? from;
}

/** From a place in a section, else from its edge, over as many sections as have no word. */
function seek(
  text: string,
  sections: readonly Stretch[],
  first: number,
  from: Stretch | undefined,
  step: 1 | -1,
  lineStart = false,
): Stretch | undefined {
  let edge = from;
  for (let at = first; sections[at] !== undefined; at += step) {
    const bounds = sections[at] as Stretch;
    const start = edge ?? (step === 1 ? { start: 0, end: bounds.start } : { start: bounds.end, end: bounds.end });
    const word = nextWord(text, start, step, bounds);
    if (word) return lineStart ? firstOfLine(text, word, bounds) : word;
    edge = undefined;
  }
  return undefined;
}

function lineEdge(text: string, from: Stretch, step: 1 | -1): Stretch {
  const at = step === 1 ? text.indexOf("\n", from.end) : text.lastIndexOf("\n", from.start);
  if (at === -1) return step === 1 ? { start: text.length, end: text.length } : { start: 0, end: 0 };
  return { start: at, end: at };
}

function firstOfLine(text: string, word: Stretch, bounds: Stretch): Stretch {
  const start = Math.max(bounds.start, text.lastIndexOf("\n", word.start) + 1);
  return nextWord(text, { start, end: start }, 1, bounds) ?? word;
}

type caretAtProps = { readonly clientX: number; readonly clientY: number };

/** The place in the text under the pointer: each piece of it says where it starts. */
function caretAt({ clientX, clientY }: caretAtProps): number | undefined {
  const found = caretNode(clientX, clientY);
  const piece = found?.node.parentElement?.closest<HTMLElement>("[data-at]");
  if (!found || !piece) return undefined;
  // A caret stands between two letters: the one that is pointed at may be the one before it.
  const range = document.createRange();
  const { node, offset } = found;
  const before = offset > 0 && holds(range, node, offset - 1, clientX) ? offset - 1 : offset;
  return Number(piece.dataset.at) + Math.min(before, Math.max(0, (node.textContent?.length ?? 0) - 1));
}

function caretNode(x: number, y: number): { readonly node: Node; readonly offset: number } | undefined {
  const at = document.caretPositionFromPoint?.(x, y);
  if (at) return { node: at.offsetNode, offset: at.offset };
  const range = document.caretRangeFromPoint?.(x, y);
  return range ? { node: range.startContainer, offset: range.startOffset } : undefined;
}

function holds(range: Range, node: Node, at: number, x: number): boolean {
  if (at + 1 > (node.textContent?.length ?? 0)) return false;
  range.setStart(node, at);
  range.setEnd(node, at + 1);
  const { left, right } = range.getBoundingClientRect();
  return x >= left && x <= right;
}
