import type { SyntaxNode } from "@lezer/common";
import type { TextEntity } from "./formatted-text.ts";
import { childrenOf, mark, put, sourceOf, type TextWriter, writeInside } from "./text-writer.ts";

const styles: Readonly<Record<string, TextEntity["type"]>> = {
  Emphasis: "italic",
  StrongEmphasis: "bold",
  Strikethrough: "strikethrough",
};

/** Marks that only say what the rest is. */
const signs = new Set(["EmphasisMark", "StrikethroughMark", "CodeMark", "QuoteMark", "HeaderMark", "TaskMarker"]);

/** What stands inside a line, or the lines of a paragraph. */
export function renderInline(writer: TextWriter, node: SyntaxNode, from: number, to: number): void {
  let at = from;
  for (const child of childrenOf(node)) {
    if (child.to <= from || child.from >= to) continue;
    put(writer, writer.source.slice(at, child.from));
    renderNode(writer, child);
    at = child.to;
  }
  put(writer, writer.source.slice(at, to));
}

function renderNode(writer: TextWriter, node: SyntaxNode): void {
  const { name, from, to } = node;
  const style = styles[name];
  if (style) {
    const start = writer.text.length;
    writeInside(writer, { within: [style] }, (inner) => renderInline(inner, node, from, to));
    mark(writer, style, start);
  } else if (name === "InlineCode") renderCode(writer, node);
  else if (name === "Link" || name === "Image") renderLink(writer, node);
  else if (!signs.has(name)) put(writer, wordsOf(name, sourceOf(writer, node)));
}

function wordsOf(name: string, words: string): string {
  if (name === "Autolink") return words.slice(1, -1);
  if (name === "Escape") return words.slice(1);
  if (name === "HardBreak") return "\n";
  return name === "Entity" ? (characters[words] ?? words) : words;
}

const characters: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&nbsp;": "\u00a0",
};

function renderCode(writer: TextWriter, node: SyntaxNode): void {
  const [open, close] = [node.firstChild, node.lastChild];
  const words = writer.source.slice(open?.to, close?.from).replace(/[ \t]*\n[ \t>]*/g, " ");
  const start = writer.text.length;
  writer.text += /^ .* $/.test(words) && words.trim() !== "" ? words.slice(1, -1) : words;
  mark(writer, "code", start);
}

/** `words (address)`: nobody has to press a link to see where it leads. */
function renderLink(writer: TextWriter, node: SyntaxNode): void {
  const children = childrenOf(node);
  const open = children.find(({ name }) => name === "LinkMark");
  const close = children.find((one) => one.name === "LinkMark" && sourceOf(writer, one) === "]");
  if (!open || !close) {
    put(writer, sourceOf(writer, node));
    return;
  }
  const url = children.find(({ name, from }) => name === "URL" && from >= close.to);
  const start = writer.text.length;
  // Words in brackets are no link, and one whose address stands elsewhere keeps the name of it.
  if (!url) put(writer, sourceOf(writer, open));
  renderInline(writer, node, open.to, close.from);
  const words = writer.text.slice(start).trim();
  const address = url ? sourceOf(writer, url).replace(/^<(.*)>$/, "$1") : "";
  if (!url) put(writer, writer.source.slice(close.from, node.to));
  else if (words === "") put(writer, address);
  else if (words !== address) put(writer, ` (${address})`);
}
