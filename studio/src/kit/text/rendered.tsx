import type { SyntaxNode } from "@lezer/common";
import { GFM, parser } from "@lezer/markdown";
import { Fragment, memo, type ReactNode, useMemo, useState } from "react";
import { count } from "../words.ts";
import { blocks, opening } from "./long-text.tsx";

const longest = 20_000;
const blockSize = 8_000;

/**
 * An answer as it is meant to be read. Nothing in it becomes a tag: Markdown is parsed, and its tree is drawn as elements.
 * Of a very long one the beginning stands here at first; the rest is then drawn as it was written.
 */
export const Rendered = memo(function Rendered({ text }: { readonly text: string }) {
  const [all, setAll] = useState(false);
  const first = useMemo(() => opening(text, longest), [text]);
  const rest = useMemo(() => (all ? blocks(text.slice(first.length), blockSize) : []), [all, text, first]);
  return (
    <div className="min-w-0 space-y-2 leading-relaxed [overflow-wrap:anywhere]">
      {useMemo(() => drawMarkdown(first), [first])}
      {rest.map((part, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: the same text has the same parts.
          key={index}
          dir="auto"
          className="whitespace-pre-wrap [contain-intrinsic-size:auto_400px] [content-visibility:auto]"
        >
          {part.text}
        </div>
      ))}
      {first.length < text.length && (
        <button
          type="button"
          aria-expanded={all}
          onClick={() => setAll(!all)}
          className="font-medium text-accent text-xs underline"
        >
          {all ? "Show the beginning" : `Show all ${count(text.length)} characters`}
        </button>
      )}
    </div>
  );
});

/** HTML is words. So is what looks like code or a heading only by the space or the line around it. */
const markdown = parser.configure([
  GFM,
  {
    remove: ["HTMLBlock", "SetextHeading", "LinkReference", "IndentedCode", "Entity"],
  },
]);

/** Limits beyond any real answer: parsing takes time with the square of the marks, and of how deep lists and quotes are. */
const maxMarks = 2_000;
const deep = /^((?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))){20}).*(?:[>*+-]|\d[.)]).*/gm;

/** Draws a text, every word of it. What nobody would read as Markdown stays as it was written. */
export function drawMarkdown(words: string): ReactNode {
  const source = words.replace(/\r\n?/g, "\n");
  if (source.trim() === "") return null;
  const marks = source.match(/[[*_~`!]|https?:/g)?.length ?? 0;
  if (source.length > longest || marks > maxMarks || source.search(deep) >= 0) return <Prose>{source}</Prose>;
  return childrenOf(markdown.parse(source).topNode).map((node) => drawBlock(source, node));
}

function Prose({ children }: { readonly children: ReactNode }) {
  return (
    <p dir="auto" className="whitespace-pre-wrap">
      {children}
    </p>
  );
}

function drawBlock(source: string, node: SyntaxNode): ReactNode {
  const key = node.from;
  const inside = () => childrenOf(node).map((one) => drawBlock(source, one));
  switch (node.name) {
    case "QuoteMark":
    case "ListMark":
      return null;
    case "FencedCode":
      return (
        <pre key={key} className="whitespace-pre-wrap rounded-md bg-raised px-3 py-2">
          <code>{node.getChildren("CodeText").map(({ from, to }) => source.slice(from, to))}</code>
        </pre>
      );
    case "HorizontalRule":
      return <hr key={key} className="border-line" />;
    case "Blockquote":
      return (
        <blockquote key={key} className="space-y-2 border-line border-s-2 ps-3 text-soft">
          {inside()}
        </blockquote>
      );
    case "BulletList":
      return (
        <ul key={key} className="list-disc space-y-1 ps-6 marker:text-soft">
          {inside()}
        </ul>
      );
    case "OrderedList":
      return (
        <ol key={key} start={firstNumber(source, node)} className="list-decimal space-y-1 ps-6 marker:text-soft">
          {inside()}
        </ol>
      );
    case "ListItem":
      return (
        <li key={key} dir="auto" className="space-y-1">
          {inside()}
        </li>
      );
    case "Task":
      return <Prose key={key}>{drawWords(source, node)}</Prose>;
    case "Table":
      return <Table key={key} source={source} node={node} />;
    default:
      if (!/^ATXHeading/.test(node.name)) return <Prose key={key}>{drawWords(source, node)}</Prose>;
      return (
        <p key={key} dir="auto" className="pt-1 font-semibold">
          {drawWords(source, node)}
        </p>
      );
  }
}

function firstNumber(source: string, list: SyntaxNode): number {
  const sign = list.firstChild?.getChild("ListMark");
  return sign ? Number.parseInt(source.slice(sign.from, sign.to), 10) : 1;
}

/** A wide one scrolls by itself, also by keys: the page does not. */
function Table({ source, node }: { readonly source: string; readonly node: SyntaxNode }) {
  const looks = "border border-line px-2.5 py-1 align-top [overflow-wrap:normal]";
  const dashes = node.getChild("TableDelimiter");
  const aligns = (dashes ? source.slice(dashes.from, dashes.to) : "")
    .replace(/^\s*\||\|\s*$/g, "")
    .split("|")
    .map(alignOf);
  const [head, ...rows] = childrenOf(node).filter(({ name }) => name === "TableHeader" || name === "TableRow");
  const cells = (row: SyntaxNode, Cell: "th" | "td") =>
    cellsOf(row).map((cell, at) => (
      <Cell
        // biome-ignore lint/suspicious/noArrayIndexKey: the same text has the same cells.
        key={at}
        {...(Cell === "th" ? { scope: "col" } : {})}
        dir="auto"
        className={looks}
        style={{ textAlign: aligns[at] ?? "start" }}
      >
        {cell && drawWords(source, cell)}
      </Cell>
    ));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields, and a page with many tables has no landmark for each.
    <div
      role="group"
      aria-label="Table"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keys.
      tabIndex={0}
      className="max-w-full overflow-x-auto"
    >
      <table className="border-collapse text-sm">
        <thead className="bg-raised">
          <tr>{head && cells(head, "th")}</tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.from}>{cells(row, "td")}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function alignOf(dashes: string): "left" | "center" | "right" | undefined {
  const cell = dashes.trim();
  if (!cell.endsWith(":")) return cell.startsWith(":") ? "left" : undefined;
  return cell.startsWith(":") ? "center" : "right";
}

/** The cells of a row, by the bars around them: an empty one is no node. */
function cellsOf(row: SyntaxNode): (SyntaxNode | undefined)[] {
  const cells: (SyntaxNode | undefined)[] = [];
  let cell: SyntaxNode | undefined;
  for (const [at, node] of childrenOf(row).entries()) {
    if (node.name === "TableCell") cell = node;
    else if (at > 0) {
      cells.push(cell);
      cell = undefined;
    }
  }
  return cell === undefined ? cells : [...cells, cell];
}

/** Marks that only say what their words are. */
const signs = new Set(["EmphasisMark", "StrikethroughMark", "CodeMark", "QuoteMark", "HeaderMark", "LinkMark"]);

/** The words of a node, and what Markdown makes of some of them. */
function drawWords(source: string, node: SyntaxNode, from = node.from, to = node.to): ReactNode[] {
  const drawn: ReactNode[] = [];
  let at = from;
  const write = (end: number) => {
    if (end > at) drawn.push(source.slice(at, end));
  };
  const isHeading = node.name.startsWith("ATX");
  for (const child of childrenOf(node)) {
    if (child.from < from || child.to > to) continue;
    write(child.from);
    drawn.push(<Fragment key={child.from}>{drawInline(source, child)}</Fragment>);
    at = child.to;
    // The space between a heading's sign and its words belongs to neither.
    if (isHeading && child.name === "HeaderMark") while (/[ \t]/.test(source[at] ?? "")) at++;
  }
  write(to);
  return drawn;
}

function drawInline(source: string, node: SyntaxNode): ReactNode {
  const { name, from, to } = node;
  const words = source.slice(from, to);
  if (signs.has(name)) return null;
  if (name === "Emphasis") return <em>{drawWords(source, node)}</em>;
  if (name === "StrongEmphasis") return <strong>{drawWords(source, node)}</strong>;
  if (name === "Strikethrough") return <del>{drawWords(source, node)}</del>;
  if (name === "TaskMarker") return /x/i.test(words) ? "☑" : "☐";
  if (name === "Escape") return words.slice(1);
  if (name === "InlineCode") return <code className="rounded bg-raised px-1 py-px">{codeIn(source, node)}</code>;
  if (name === "Link" || name === "Image") return drawLink(source, node);
  if (name === "Autolink" || name === "URL")
    return linkTo(words.replace(/^<|>$/g, ""), words.replace(/^<|>$/g, "")) ?? words;
  return words;
}

/** Of words that begin and end with a space, one space on either side makes room for ticks. */
function codeIn(source: string, { firstChild, lastChild }: SyntaxNode): string {
  const words = source.slice(firstChild?.to, lastChild?.from);
  return words.startsWith(" ") && words.endsWith(" ") && words.trim() !== "" ? words.slice(1, -1) : words;
}

/** A link leads to a web address or is none, and nothing is loaded: a picture is a link to it. */
function drawLink(source: string, node: SyntaxNode): ReactNode {
  const [open, close] = node.getChildren("LinkMark");
  const address = node.getChild("URL");
  const found =
    open &&
    close &&
    address &&
    linkTo(source.slice(address.from, address.to), drawWords(source, node, open.to, close.from));
  return found ?? source.slice(node.from, node.to);
}

function linkTo(href: string, words: ReactNode): ReactNode | undefined {
  if (!/^https?:\/\/[^\s]/.test(href)) return undefined;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" title={href} className="text-accent underline">
      {words}
    </a>
  );
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}
