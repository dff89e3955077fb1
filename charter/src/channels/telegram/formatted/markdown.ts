import type { SyntaxNode } from "@lezer/common";
import { GFM, parser } from "@lezer/markdown";
import { shallow } from "../../../prompt/passage.ts";
import { type FormattedText, soundEntities } from "./formatted-text.ts";
import { renderInline } from "./inline.ts";
import { tableText } from "./table.ts";
import { childrenOf, mark, newWriter, put, sourceOf, type TextWriter, writeInside } from "./text-writer.ts";

const markdown = parser.configure(GFM);

/** Longer than any answer is, with more brackets: to parse it takes time with their square. */
const maxLength = 40_000;
const maxBrackets = 2000;

/**
 * Markdown as a text with Telegram's entities. Nothing is hidden: an address stands beside the words it was under, and
 * what Telegram cannot show is left as it was written.
 */
export function formattedText(words: string): FormattedText {
  const source = words.replace(/\r\n?/g, "\n");
  const plain = { text: source, entities: [] };
  if (source.length > maxLength || source.split("[").length > maxBrackets) return plain;
  try {
    const writer = newWriter(source);
    renderBlocks(writer, childrenOf(markdown.parse(shallow(source)).topNode));
    // Of marks alone nothing would be left to send.
    if (writer.text.trim() === "" && source.trim() !== "") return plain;
    return { text: writer.text, entities: soundEntities(writer.text, writer.entities) };
  } catch (error) {
    // Nested deeper than a program can follow: nobody reads it as anything but text.
    if (error instanceof RangeError) return plain;
    throw error;
  }
}

/** Blocks under each other, as far apart as they were written. */
function renderBlocks(writer: TextWriter, nodes: readonly SyntaxNode[]): void {
  let before: SyntaxNode | undefined;
  for (const node of nodes) {
    if (node.name === "QuoteMark" || node.name === "ListMark") continue;
    if (before) {
      const apart = writer.source.slice(before.to, node.from).split("\n").length > 2 ? "\n\n" : "\n";
      writer.text += apart + (isPreformatted(writer, node) ? "" : writer.indent);
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
  // Words that are no language stand above it.
  if (about !== "" && language === undefined) put(writer, `${about}\n`);
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

/** A definition of a link, or HTML. */
const renderAsWritten: RenderBlock = (writer, node) => put(writer, sourceOf(writer, node));

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
