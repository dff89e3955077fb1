import { SquarePen } from "lucide-react";
import { memo, type ReactNode } from "react";
import { Link } from "wouter";
import { placeOf } from "../../app/place.ts";
import { type HandName, handEdge, handInk, handTint } from "../../kit/hand.tsx";
import { Icon, mutabilityIcons } from "../../kit/icon.tsx";
import { count, plural } from "../../kit/words.ts";
import type { Block, HandStretch } from "./document.ts";
import { type Mark, piecesOf } from "./piece.ts";
import { titleOf } from "./ribbon.tsx";
import type { Row } from "./row.ts";

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
  readonly marks: readonly Mark[];
  /** Whose line it is, and whether the line before it is another's: then it is said. */
  readonly whose: HandStretch | undefined;
  readonly saysWhose: boolean;
  readonly about: { readonly agent: string; readonly user: string | undefined };
  readonly partTokens: number;
  /** What is said of the cached prefix where it ends. */
  readonly line: string;
  readonly onFold: ((block: Block) => void) | undefined;
  /** Opens its section in place. */
  readonly onEdit: ((section: string) => void) | undefined;
};

/** A line of the document: at its margin the hand, always; above the first one of a block what it is. */
export const RowView = memo(function RowView(props: RowProps) {
  const { text, row, spans, marks, whose, saysWhose, partTokens, line } = props;
  const { block, opens, opensPart } = row;
  const plain = block.kind === "tools" || (block.kind === "message" && block.role === "tool");
  const pieces = piecesOf(row, spans, marks);
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
  state: ["Dynamic state", "sent again with every request"],
};

function PartHeading({
  part,
  tokens,
  line,
}: {
  readonly part: Block["part"];
  readonly tokens: number;
  readonly line: string;
}) {
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
          <bdi className="font-medium text-ink">{titleOf(block)}</bdi>
        )}
        <span className="tabular-nums">{plural(block.tokens, "token")}</span>
        {block.kind === "message" && block.said?.turn && (
          <Link href={placeOf(agent, "turns", block.said.turn)} className="underline">
            turn
          </Link>
        )}
        {own && onEdit && own.mutability === "amendable" && (
          <IconButton label={`Edit ${own.name}`} onClick={() => onEdit(own.name)}>
            <Icon of={SquarePen} className="size-3.5" />
          </IconButton>
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

function IconButton({
  label,
  onClick,
  children,
}: {
  readonly label: string;
  readonly onClick: () => void;
  readonly children: ReactNode;
}) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={onClick}
      className="inline-flex size-7 items-center justify-center rounded hover:bg-raised hover:text-ink pointer-coarse:size-9"
    >
      {children}
    </button>
  );
}
