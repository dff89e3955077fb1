import type { SyntaxNode } from "@lezer/common";
import { GFM, parser } from "@lezer/markdown";
import { shallow } from "../../prompt/passage.ts";
import { type FormattedText, soundEntities, type TextEntity } from "./split.ts";

const markdown = parser.configure(GFM);

/** Limits beyond any real answer: parsing takes time with the square of the brackets. */
const maxLength = 40_000;
const maxBrackets = 2000;

/**
 * Converts Markdown to a text with Telegram's entities. Nothing is hidden: the address of a link follows its words, and formats
 * that Telegram lacks are left as they were written.
 */
export function formattedText(words: string): FormattedText {
  const source = words.replace(/\r\n?/g, "\n");
  const plain = { text: source, entities: [] };
  if (source.length > maxLength || source.split("[").length > maxBrackets) return plain;
  try {
    const writer = newWriter(source);
    renderBlocks(writer, childrenOf(markdown.parse(shallow(source)).topNode));
    // Falls back to the source, where only marks would be left.
    if (writer.text.trim() === "" && source.trim() !== "") return plain;
    return { text: writer.text, entities: soundEntities(writer.text, writer.entities) };
  } catch (error) {
    // Falls back to the source of a text that is nested too deeply for the parser: nobody reads it as formatted.
    if (error instanceof RangeError) return plain;
    throw error;
  }
}

/** Renders blocks below each other, as far apart as they were written. */
function renderBlocks(writer: TextWriter, nodes: readonly SyntaxNode[]): void {
  let before: SyntaxNode | undefined;
  for (const node of nodes) {
    if (node.name === "QuoteMark" || node.name === "ListMark") continue;
    if (before) {
      const separator = writer.source.slice(before.to, node.from).split("\n").length > 2 ? "\n\n" : "\n";
      writer.text += separator + (isPreformatted(writer, node) ? "" : writer.indent);
    }
    renderBlock(writer, node);
    before = node;
  }
}

function isPreformatted({ within }: TextWriter, { name }: SyntaxNode): boolean {
  return !within.has("pre") && (name === "FencedCode" || name === "CodeBlock" || name === "Table");
}

type RenderBlock = (writer: TextWriter, node: SyntaxNode) => void;

function renderBlock(writer: TextWriter, node: SyntaxNode): void {
  const heading = /^(?:ATX|Setext)Heading/.test(node.name);
  const render = heading ? renderHeading : (blocks[node.name] ?? renderAsWritten);
  render(writer, node);
}

const renderCode: RenderBlock = (writer, node) => {
  const code = node.getChildren("CodeText").map((one) => sourceOf(writer, one));
  const info = node.getChild("CodeInfo");
  const about = info ? sourceOf(writer, info).trim() : "";
  const language = /^[\w+#.-]{1,40}$/.test(about) ? about : undefined;
  // Puts words that are no language above the code.
  if (about !== "" && language === undefined) writeWords(writer, `${about}\n`);
  addCode(writer, code.join("").replace(/\n+$/, ""), language);
};

const renderList: RenderBlock = (writer, node) => renderBlocks(writer, childrenOf(node));

const blocks: Readonly<Record<string, RenderBlock>> = {
  Paragraph: (writer, node) => renderInline(writer, node, node.from, node.to),
  Task: (writer, node) => {
    const box = node.getChild("TaskMarker");
    writer.text += box && /x/i.test(sourceOf(writer, box)) ? "☑" : "☐";
    renderInline(writer, node, box?.to ?? node.from, node.to);
  },
  Blockquote: (writer, node) => {
    const start = writer.text.length;
    writeInside(writer, { within: ["blockquote", "code", "pre"] }, (inner) => renderBlocks(inner, childrenOf(node)));
    mark(writer, "blockquote", start);
  },
  BulletList: renderList,
  OrderedList: renderList,
  ListItem: (writer, node) => {
    const sign = node.getChild("ListMark");
    const words = sign ? sourceOf(writer, sign) : "";
    writer.text += /\d/.test(words) ? `${words} ` : "• ";
    writeInside(writer, { indent: `${writer.indent}  ` }, (inner) => renderBlocks(inner, childrenOf(node)));
  },
  FencedCode: renderCode,
  CodeBlock: renderCode,
  Table: (writer, node) => addCode(writer, tableText(writer, node)),
  HorizontalRule: (writer) => {
    writer.text += "———";
  },
};

/** Renders a definition of a link, or HTML, as it was written. */
const renderAsWritten: RenderBlock = (writer, node) => writeWords(writer, sourceOf(writer, node));

const renderHeading: RenderBlock = (writer, node) => {
  const signs = node.getChildren("HeaderMark");
  const [first, last] = [signs[0], signs.at(-1)];
  const from = node.name.startsWith("ATX") && first ? first.to : node.from;
  const to = last && last.from > from ? last.from : node.to;
  const words = writer.source.slice(from, to);
  const begin = from + (words.length - words.trimStart().length);
  const start = writer.text.length;
  writeInside(writer, { within: ["bold"] }, (inner) => renderInline(inner, node, begin, begin + words.trim().length));
  mark(writer, "bold", start);
};

function addCode(writer: TextWriter, code: string, language?: string): void {
  const start = writer.text.length;
  writer.text += code;
  mark(writer, "pre", start, language);
}

const styles: Readonly<Record<string, TextEntity["type"]>> = {
  Emphasis: "italic",
  StrongEmphasis: "bold",
  Strikethrough: "strikethrough",
};

/** Marks that only classify their content. */
const signs = new Set(["EmphasisMark", "StrikethroughMark", "CodeMark", "QuoteMark", "HeaderMark", "TaskMarker"]);

/** Renders the content of a line, or of a paragraph's lines. */
function renderInline(writer: TextWriter, node: SyntaxNode, from: number, to: number): void {
  let at = from;
  for (const child of childrenOf(node)) {
    if (child.to <= from || child.from >= to) continue;
    writeWords(writer, writer.source.slice(at, child.from));
    renderNode(writer, child);
    at = child.to;
  }
  writeWords(writer, writer.source.slice(at, to));
}

function renderNode(writer: TextWriter, node: SyntaxNode): void {
  const { name, from, to } = node;
  const style = styles[name];
  if (style) {
    const start = writer.text.length;
    writeInside(writer, { within: [style] }, (inner) => renderInline(inner, node, from, to));
    mark(writer, style, start);
  } else if (name === "InlineCode") renderInlineCode(writer, node);
  else if (name === "Link" || name === "Image") renderLink(writer, node);
  else if (!signs.has(name)) writeWords(writer, wordsOf(name, sourceOf(writer, node)));
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

function renderInlineCode(writer: TextWriter, node: SyntaxNode): void {
  const [open, close] = [node.firstChild, node.lastChild];
  const words = writer.source.slice(open?.to, close?.from).replace(/[ \t]*\n[ \t>]*/g, " ");
  const start = writer.text.length;
  writer.text += /^ .* $/.test(words) && words.trim() !== "" ? words.slice(1, -1) : words;
  mark(writer, "code", start);
}

/** Renders a link as `words (address)`, so that nobody has to press it to see where it leads. */
function renderLink(writer: TextWriter, node: SyntaxNode): void {
  const children = childrenOf(node);
  const open = children.find(({ name }) => name === "LinkMark");
  const close = children.find((one) => one.name === "LinkMark" && sourceOf(writer, one) === "]");
  if (!open || !close) {
    writeWords(writer, sourceOf(writer, node));
    return;
  }
  const url = children.find(({ name, from }) => name === "URL" && from >= close.to);
  const start = writer.text.length;
  // Keeps brackets that are no link, and the name of a reference whose address is elsewhere.
  if (!url) writeWords(writer, sourceOf(writer, open));
  renderInline(writer, node, open.to, close.from);
  const words = writer.text.slice(start).trim();
  const address = url ? sourceOf(writer, url).replace(/^<(.*)>$/, "$1") : "";
  if (!url) writeWords(writer, writer.source.slice(close.from, node.to));
  else if (words === "") writeWords(writer, address);
  else if (words !== address) writeWords(writer, ` (${address})`);
}

/** Renders a table as code with aligned columns: Telegram has no tables, and shows code in letters of one width. */
function tableText(writer: TextWriter, table: SyntaxNode): string {
  const rows = childrenOf(table)
    .filter(({ name }) => name === "TableHeader" || name === "TableRow")
    .map((row) => cellsOf(writer, row));
  const count = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, at) => Math.max(...rows.map((row) => widthOf(row[at] ?? ""))));
  const lineOf = (cells: readonly string[]) =>
    widths
      .map((width, at) => (cells[at] ?? "") + " ".repeat(width - widthOf(cells[at] ?? "")))
      .join(" | ")
      .trimEnd();
  const [head = [], ...rest] = rows;
  return [lineOf(head), widths.map((width) => "-".repeat(width)).join("-|-"), ...rest.map(lineOf)].join("\n");
}

/** Lists the cells of a row by the bars around them, since an empty cell is no node. */
function cellsOf(writer: TextWriter, row: SyntaxNode): string[] {
  const cells: string[] = [];
  let cell: string | undefined;
  for (const [at, node] of childrenOf(row).entries()) {
    if (node.name === "TableCell") cell = cellText(writer, node);
    else if (at > 0) {
      cells.push(cell ?? "");
      cell = undefined;
    }
  }
  return cell === undefined ? cells : [...cells, cell];
}

function widthOf(cell: string): number {
  return Array.from(cell).length;
}

function cellText({ source }: TextWriter, cell: SyntaxNode): string {
  const inner = newWriter(source);
  renderInline(inner, cell, cell.from, cell.to);
  return inner.text.trim();
}

/** The state of writing a formatted text: the text so far, and the indentation of its lines. */
type TextWriter = {
  readonly source: string;
  text: string;
  readonly entities: TextEntity[];
  readonly indent: string;
  /** Kinds that are not begun again inside themselves; Telegram allows no code in a quotation. */
  readonly within: ReadonlySet<TextEntity["type"]>;
};

function newWriter(source: string): TextWriter {
  return { source, text: "", entities: [], indent: "", within: new Set() };
}

/** Writes nested content into the same text. */
function writeInside(
  writer: TextWriter,
  { indent = writer.indent, within = [] }: { readonly indent?: string; readonly within?: TextEntity["type"][] },
  work: (inner: TextWriter) => void,
): void {
  const inner: TextWriter = { ...writer, indent, within: new Set([...writer.within, ...within]) };
  work(inner);
  writer.text = inner.text;
}

/** Appends words; following lines get the indentation of the first. */
function writeWords(writer: TextWriter, words: string): void {
  const begins = writer.text === "" || writer.text.endsWith(`\n${writer.indent}`);
  const own = begins ? words.replace(/^[ \t]+/, "") : words;
  writer.text += own.replace(/[ \t]*\n[ \t]*/g, `\n${writer.indent}`);
}

/** Marks the text from `offset` to the end with a kind, unless it has that already. */
function mark(writer: TextWriter, type: TextEntity["type"], offset: number, language?: string): void {
  if (writer.within.has(type)) return;
  const length = writer.text.length - offset;
  writer.entities.push({ type, offset, length, ...(language === undefined ? {} : { language }) });
}

function sourceOf({ source }: TextWriter, { from, to }: Pick<SyntaxNode, "from" | "to">): string {
  return source.slice(from, to);
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}
