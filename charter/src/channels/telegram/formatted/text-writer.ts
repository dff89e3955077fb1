import type { SyntaxNode } from "@lezer/common";
import type { TextEntity } from "./formatted-text.ts";

/** What writes a formatted text, piece by piece: all that is there so far, and how far lines are set in. */
export type TextWriter = {
  readonly source: string;
  text: string;
  readonly entities: TextEntity[];
  readonly indent: string;
  /** Inside these, their own kind is not begun again; Telegram wants no code in a quotation. */
  readonly within: ReadonlySet<TextEntity["type"]>;
};

export function newWriter(source: string): TextWriter {
  return { source, text: "", entities: [], indent: "", within: new Set() };
}

/** What is written inside of something comes back into the same text. */
export function writeInside(
  writer: TextWriter,
  { indent = writer.indent, within = [] }: { readonly indent?: string; readonly within?: TextEntity["type"][] },
  work: (inner: TextWriter) => void,
): void {
  const inner: TextWriter = { ...writer, indent, within: new Set([...writer.within, ...within]) };
  work(inner);
  writer.text = inner.text;
}

/** Words as they are; lines that follow are set in like the first. */
export function put(writer: TextWriter, words: string): void {
  const begins = writer.text === "" || writer.text.endsWith(`\n${writer.indent}`);
  const own = begins ? words.replace(/^[ \t]+/, "") : words;
  writer.text += own.replace(/[ \t]*\n[ \t]*/g, `\n${writer.indent}`);
}

/** From there to here it is of this kind, unless it is already. */
export function mark(writer: TextWriter, type: TextEntity["type"], offset: number, language?: string): void {
  if (writer.within.has(type)) return;
  const length = writer.text.length - offset;
  writer.entities.push({ type, offset, length, ...(language === undefined ? {} : { language }) });
}

export function sourceOf({ source }: TextWriter, { from, to }: Pick<SyntaxNode, "from" | "to">): string {
  return source.slice(from, to);
}

export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}
